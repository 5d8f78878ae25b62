/** HTTP as a test sends it: any method, any headers, any body, over TCP or a unix socket. */
import { type IncomingHttpHeaders, type RequestOptions, request } from "node:http"
import { Effect } from "effect"

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly bytes: Uint8Array
  /** The body as JSON. */
  readonly json: () => Record<string, unknown>
}

export interface Call {
  /** Default: POST with a body, else GET. */
  readonly method?: string
  /** A JSON body gets its Content-Type unless one is given (`""` leaves it out). */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is when it is text or bytes, else as JSON. */
  readonly body?: unknown
}

const bodyOf = (body: unknown): string | Uint8Array | undefined =>
  body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)

/** One request on a connection of its own; whatever the status, it is an answer. */
export const send = (where: RequestOptions, { method, headers = {}, body }: Call) =>
  Effect.callback<Answer, Error>((resume) => {
    const sent = bodyOf(body)
    const all: Record<string, string> = {
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
      ...(sent === undefined ? {} : { "content-length": String(Buffer.byteLength(sent)) }),
      ...headers
    }
    if (all["content-type"] === "") delete all["content-type"]
    const outgoing = request(
      { ...where, agent: false, method: method ?? (sent === undefined ? "GET" : "POST"), headers: all },
      (incoming) => {
        const parts: Array<Buffer> = []
        incoming.on("data", (part: Buffer) => parts.push(part))
        incoming.on("error", (error) => resume(Effect.fail(error)))
        incoming.on("end", () => {
          const bytes = Buffer.concat(parts)
          const text = bytes.toString("utf8")
          resume(
            Effect.succeed({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              text,
              bytes: new Uint8Array(bytes),
              json: () => JSON.parse(text)
            })
          )
        })
      }
    )
    outgoing.on("error", (error) => resume(Effect.fail(error)))
    outgoing.end(sent)
    return Effect.sync(() => outgoing.destroy())
  })
