/** Small JSON bodies of the console's own addresses: read whole, strictly, and decoded. */
import { decodeBody } from "@treemark/core"
import { Effect, type Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { readBody, strictJson } from "../edge/StrictBody.ts"

const LARGEST = 4_096

/** The body of the request at hand as `schema` reads it. */
export const consoleBody = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = decodeBody(schema)
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const bytes = yield* readBody(request, LARGEST)
    return yield* decode(yield* strictJson({ bytes, headers: request.headers }))
  })
}
