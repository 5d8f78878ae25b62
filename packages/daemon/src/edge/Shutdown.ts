/**
 * A server that stops well: it takes no new connection, finishes what is in flight, and then exits at once. Node closes the
 * connections that are idle when `close` is called, and waits for those that turn idle later until their keep-alive runs out.
 */
import type { Server } from "node:http"

/** How long answers in flight may take after the signal; what runs longer is cut off, but a commit, which always ends. */
export const GRACE_SECONDS = 20

const LOOK_EVERY_MS = 50

/** Makes `server.close` end each connection as soon as it has nothing to do. */
export const closeWhenIdle = (server: Server): void => {
  const close = server.close.bind(server)
  server.close = (done) => {
    const looking = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS)
    return close((error) => {
      clearInterval(looking)
      done?.(error)
    })
  }
  server.on("request", (_, response) => {
    if (!server.listening) response.shouldKeepAlive = false
  })
}
