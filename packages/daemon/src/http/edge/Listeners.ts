/**
 * TCP listeners: one for everything, and one for each operation that is given an address of its own. Each `listener` layer opens
 * one; its address is known from then on (port 0 picks a free one), and `serveOn` puts an application on it.
 */
import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Duration, Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { answerClientErrors } from "./ClientErrors.ts"
import { ROUTER_CONFIG } from "./RouteIndex.ts"
import { closeWhenIdle, ShutdownGrace, Stopping } from "./Shutdown.ts"

export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String
}) {
  override get message() {
    const why =
      this.reason === "EADDRINUSE"
        ? "another program listens there, maybe a daemon that runs already (treemarkd status)"
        : this.reason
    return `${this.host}:${this.port} cannot be listened on: ${why}. Nothing was started; stop the other program or choose another port (--port 0 or TREEMARK_PORT=0 picks a free one).`
  }
}

/** Limits of a connection. A body may take as long as its route allows (edge/StrictBody, handlers/Assets), so Node does not time it. */
const SERVER_OPTIONS = {
  headersTimeout: 5_000,
  requestTimeout: 0,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16_384,
  /** A missing Host is refused by edge/HostGuard, with a body that says so. */
  requireHostHeader: false,
  /** Nothing here upgrades; such a request is answered as if it had not asked. */
  shouldUpgradeCallback: () => false
}

/** After this the server is closed whatever its connections say: a little more than what `closeWhenIdle` takes to cut them off. */
const FAREWELL = Duration.seconds(1)

interface ToOpen {
  readonly host: string
  readonly port: number
  /** Gives the port free, where it is kept for this listener until it opens. */
  readonly vacated?: Effect.Effect<void>
}

/** Opens a listener. Fails with a message for the person who started it. */
export const listener = ({ host, port, vacated = Effect.void }: ToOpen) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const address = { host, port }
      yield* vacated
      const grace = yield* ShutdownGrace
      const server = createServer(SERVER_OPTIONS)
      const stopping = closeWhenIdle(server, grace)
      answerClientErrors(server)
      return Layer.mergeAll(
        NodeHttpServer.layerServer(() => server, {
          ...address,
          gracefulShutdownTimeout: Duration.sum(grace, FAREWELL)
        }).pipe(
          Layer.catchTag("ServeError", ({ cause }) =>
            Layer.effect(HttpServer.HttpServer, Effect.fail(new ListenFailed({ ...address, reason: reasonOf(cause) })))
          )
        ),
        Layer.succeed(Stopping, stopping),
        NodeHttpServer.layerHttpServices
      )
    })
  )

const reasonOf = (cause: unknown): string => {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  return code ?? String(cause)
}

/** Serves `app` (handlers/HttpApp) on the listener that is provided. */
export const serveOn = <A, E, R>(app: Layer.Layer<A, E, R>) =>
  HttpRouter.serve(app, { routerConfig: ROUTER_CONFIG, disableLogger: true, disableListenLog: true })
