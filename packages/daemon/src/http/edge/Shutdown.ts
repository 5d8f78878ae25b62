/**
 * A server that stops well: it takes no new connection and no new work (`Stopping`), finishes what is in flight, each answer with
 * `Connection: close`, and then ends at once. Node closes the connections that are idle when `close` is called, and waits for those that
 * turn idle later until their keep-alive runs out, and for those that have not sent a whole request yet until that times out. What
 * is still in flight after the grace period is told so, and cut off.
 */
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Context, Duration } from "effect"
import { writeProblem } from "./ClientErrors.ts"

/** How long answers in flight may take after the signal. */
export const ShutdownGrace = Context.Reference<Duration.Duration>("@treemark/daemon/http/edge/Shutdown/Grace", {
  defaultValue: () => Duration.seconds(10)
})

/** Whether this listener has begun to stop. */
export class Stopping extends Context.Service<Stopping, { readonly isStopping: () => boolean }>()(
  "@treemark/daemon/http/edge/Shutdown/Stopping"
) {}

const LOOK_EVERY_MS = 50

/** A connection on which no request has arrived by then is not waited for. */
const SILENCE_MS = 1_000

/** What was cut off has this long to reach its client. */
const FAREWELL_MS = 100

/** Makes `server.close` end each connection as soon as it has nothing to do, and every connection once `grace` is over. */
export const closeWhenIdle = (server: Server, grace: Duration.Duration): Stopping["Service"] => {
  let isStopping = false
  const answers = new Map<Socket, Set<ServerResponse>>()
  server.on("connection", (socket) => {
    answers.set(socket, new Set())
    socket.once("close", () => answers.delete(socket))
  })
  server.on("request", ({ socket }, response) => {
    const running = answers.get(socket)
    running?.add(response)
    response.once("close", () => running?.delete(response))
  })

  const cutOff = () => {
    for (const running of answers.values()) for (const response of running) farewell(response)
    setTimeout(() => server.closeAllConnections(), FAREWELL_MS)
  }

  const close = server.close.bind(server)
  server.close = (done) => {
    isStopping = true
    const looking = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS)
    const waiting = setTimeout(() => {
      for (const [socket, running] of answers) if (running.size === 0) socket.destroy()
    }, SILENCE_MS)
    const ending = setTimeout(cutOff, Duration.toMillis(grace))
    return close((error) => {
      clearInterval(looking)
      clearTimeout(waiting)
      clearTimeout(ending)
      done?.(error)
    })
  }
  return { isStopping: () => isStopping }
}

/** An answer that has begun cannot be ended truthfully: its connection is cut, and its client sees that it is not whole. */
const farewell = (response: ServerResponse): void => {
  if (response.headersSent) return void response.destroy()
  writeProblem(response, {
    code: "not_ready",
    detail:
      "The daemon was told to stop, and this call did not end in time. A paid call goes on by itself once the daemon is back: call again with the same Idempotency-Key, and nothing is done or charged twice.",
    headers: { "retry-after": "5" }
  })
}
