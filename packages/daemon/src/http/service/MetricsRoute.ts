/** `GET /metrics`: every instrument as OpenMetrics text. On the administration socket, and on a listener of its own where one is asked for. */
import { Context, Effect, Option } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { OPEN_METRICS_TYPE, openMetrics } from "../../telemetry/OpenMetrics.ts"

/** Brings the gauges that somebody has to look for up to date; a command without a daemon has none. */
export class MetricsGauges extends Context.Service<MetricsGauges, { readonly look: Effect.Effect<void> }>()(
  "@treemark/daemon/http/service/MetricsRoute/MetricsGauges"
) {}

export const metricsRoute = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const gauges = yield* Effect.serviceOption(MetricsGauges)
    const look = Option.match(gauges, { onNone: () => Effect.void, onSome: (found) => found.look })
    yield* router.add(
      "GET",
      "/metrics",
      Effect.map(look, () => HttpServerResponse.text(openMetrics(), { contentType: OPEN_METRICS_TYPE }))
    )
  })
)
