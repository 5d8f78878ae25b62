/** What only Node's own request object tells. A request that comes from elsewhere (an in-memory test) tells nothing. */
import { IncomingMessage } from "node:http"
import type { HttpServerRequest } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

/** Every Host header as it was sent; Node's own headers keep only the first. */
export const hostHeaders = (request: Request): ReadonlyArray<string> => {
  const { host } = request.headers
  const sent = request.source instanceof IncomingMessage ? (request.source.headersDistinct.host ?? []).slice(1) : []
  return host === undefined ? [] : [host, ...sent]
}

/** The port the connection came in on. */
export const localPort = (request: Request): number | undefined =>
  request.source instanceof IncomingMessage ? request.source.socket.localPort : undefined

/** Whether some of the body has not arrived yet. */
export const hasUnreadBody = (request: Request): boolean => {
  const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers
  const hasBody = encoding !== undefined || Number(length) > 0
  return hasBody && request.source instanceof IncomingMessage && !request.source.complete
}
