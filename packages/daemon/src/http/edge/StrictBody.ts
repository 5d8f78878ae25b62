/**
 * Reads the body of an operation: whole, at most 64 KiB, within 10 s (`SmallBody`, before the token is looked at), and later, once
 * the caller is known, as strict JSON under `Content-Type: application/json`.
 */
import { type JsonValue, type MalformedJson, parseStrictJson } from "@treemark/core"
import { Context, Duration, Effect, Layer, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { Refused } from "../ApiErrors.ts"
import { LARGEST_JSON_BODY, RequestBody, SmallBody } from "../SmallBody.ts"
import { refuse } from "./Problems.ts"

/** How long a small body may take to arrive. */
export const BodyDeadline = Context.Reference<Duration.Duration>("@treemark/daemon/http/edge/StrictBody/BodyDeadline", {
  defaultValue: () => Duration.seconds(10)
})

/** The bytes of the body; what is over `limit` is refused after at most one chunk more, and at once when Content-Length says so. */
export const readBody = Effect.fnUntraced(
  function* (request: HttpServerRequest.HttpServerRequest, limit: number) {
    const deadline = yield* BodyDeadline
    const tooLarge = new Refused({
      code: "payload_too_large",
      detail: `A body here has at most ${limit} bytes (${limit / 1024} KiB). Send less; nothing was charged.`
    })
    if (Number(request.headers["content-length"] ?? 0) > limit) return yield* tooLarge
    const chunks: Array<Uint8Array> = []
    let size = 0
    yield* request.stream.pipe(
      Stream.runForEach((chunk) => {
        size += chunk.length
        chunks.push(chunk)
        return size > limit ? Effect.fail(tooLarge) : Effect.void
      }),
      Effect.timeoutOrElse({
        duration: deadline,
        orElse: () =>
          Effect.fail(
            new Refused({
              code: "request_timeout",
              detail: `The body did not arrive within ${Duration.format(deadline)}. Nothing was charged; send the request again, whole.`
            })
          )
      })
    )
    return new Uint8Array(Buffer.concat(chunks, size))
  },
  Effect.catchTag("HttpServerError", () =>
    Effect.fail(
      new Refused({
        code: "bad_request",
        detail: "The body broke off or is not framed as HTTP/1.1 says. Send the request again, whole."
      })
    )
  )
)

/** Reads before the token is looked at, so that a body that is too large is 413 whoever sends it. */
export const layer = Layer.succeed(SmallBody, (operation) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    Effect.matchEffect(readBody(request, LARGEST_JSON_BODY), {
      onFailure: refuse,
      onSuccess: (bytes) => Effect.provideService(operation, RequestBody, { bytes, headers: request.headers })
    })
  )
)

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i

/** Fails with 415 unless the headers say that the body is JSON, and not compressed. */
export const requireJsonType = (
  headers: RequestBody["Service"]["headers"]
): Effect.Effect<void, Refused<"unsupported_media_type">> => {
  const { "content-type": contentType, "content-encoding": encoding = "identity" } = headers
  if (encoding.trim().toLowerCase() !== "identity") {
    return Effect.fail(
      new Refused({
        code: "unsupported_media_type",
        detail: `The body came with the Content-Encoding ${JSON.stringify(encoding.slice(0, 100))}, and compressed bodies are not read. Send it as it is, without that header. Nothing was charged.`,
        headers: { "accept-encoding": "identity" }
      })
    )
  }
  if (contentType !== undefined && JSON_TYPE.test(contentType.trim())) return Effect.void
  const sent = contentType === undefined ? "none was sent" : `not ${JSON.stringify(contentType.slice(0, 100))}`
  return Effect.fail(
    new Refused({
      code: "unsupported_media_type",
      detail: `The body is JSON and its Content-Type has to be application/json; ${sent}. Nothing was charged.`
    })
  )
}

/** The JSON value in the body; its headers have to say that it is one. */
export const strictJson = Effect.fnUntraced(function* ({
  bytes,
  headers
}: RequestBody["Service"]): Effect.fn.Return<JsonValue, Refused<"unsupported_media_type"> | MalformedJson> {
  yield* requireJsonType(headers)
  return yield* Effect.fromResult(parseStrictJson(bytes))
})
