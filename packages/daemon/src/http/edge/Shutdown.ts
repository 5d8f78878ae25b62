/**
 * A server that stops well: it takes no new connection, finishes what is in flight, and then exits at once. Node closes the
 * connections that are idle when `close` is called, and waits for those that turn idle later until their keep-alive runs out,
 * and for those that have not sent a whole request yet until that times out.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"

/** How long answers in flight may take after the signal; what runs longer is cut off, but a commit, which always ends. */
export const GRACE_SECONDS = 20

const LOOK_EVERY_MS = 50

/** A connection on which no request has arrived by then is not waited for. */
const SILENCE_MS = 1_000

/** Makes `server.close` end each connection as soon as it has nothing to do. */
export const closeWhenIdle = (server: Server): void => {
  const answers = new Map<Socket, number>()
  const count = (socket: Socket, change: number) => answers.set(socket, (answers.get(socket) ?? 0) + change)
  server.on("connection", (socket) => {
    answers.set(socket, 0)
    socket.once("close", () => answers.delete(socket))
  })
  server.on("request", ({ socket }, response) => {
    count(socket, 1)
    response.once("close", () => answers.has(socket) && count(socket, -1))
  })

  const close = server.close.bind(server)
  server.close = (done) => {
    const looking = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS)
    const waiting = setTimeout(() => {
      for (const [socket, running] of answers) if (running === 0) socket.destroy()
    }, SILENCE_MS)
    return close((error) => {
      clearInterval(looking)
      clearTimeout(waiting)
      done?.(error)
    })
  }
}
