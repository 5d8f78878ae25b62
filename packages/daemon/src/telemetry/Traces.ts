/** Spans sent to a collector, OTLP over HTTP as JSON (https://opentelemetry.io/docs/specs/otlp/). A collector that is away costs spans, nothing else. */
import { Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"

const exporter = (endpoint: URL, serviceVersion: string) =>
  OtlpTracer.layer({
    url: new URL("v1/traces", endpoint.href.endsWith("/") ? endpoint : `${endpoint.href}/`).href,
    resource: { serviceName: "treemark", serviceVersion },
    exportInterval: "2 seconds",
    shutdownTimeout: "1 second"
  }).pipe(Layer.provide(OtlpSerialization.layerJson), Layer.provide(FetchHttpClient.layer))

/** Runs `work` with its spans sent to the endpoint; without one nobody collects them, and none is made, because each costs. */
export const traced =
  (endpoint: Option.Option<URL>, serviceVersion: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Option.match(endpoint, {
      onNone: () => Effect.withTracerEnabled(work, false),
      onSome: (url) => work.pipe(Effect.provide(exporter(url, serviceVersion)), Effect.withTracerEnabled(true))
    })
