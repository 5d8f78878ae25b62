/**
 * The `Idempotency-Key` header of paid calls (draft-ietf-httpapi-idempotency-key-header): 1 to 255 visible ASCII characters, taken
 * as they are. The fingerprint of a call is the sha256 of its body's bytes.
 */
import { createHash } from "node:crypto"
import { FieldProblem, InvalidFields } from "@treemark/core"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { StoredAnswer } from "../../books/Idempotency.ts"

const KEY = /^[\x21-\x7e]{1,255}$/

/** The key of the request, `undefined` when it has none. */
export const idempotencyKey = (headers: {
  readonly "idempotency-key"?: string
}): Effect.Effect<string | undefined, InvalidFields> => {
  const key = headers["idempotency-key"]
  if (key === undefined || KEY.test(key)) return Effect.succeed(key)
  const message =
    "(a header) must be 1 to 255 visible ASCII characters without spaces, sent once, such as a UUID; leave it out to have none"
  return Effect.fail(new InvalidFields({ problems: [new FieldProblem({ path: "/Idempotency-Key", message })] }))
}

/** sha256 of a body, 64 lower-case hex digits. */
export const fingerprintOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** An answer to keep: 200 with `value` as JSON, as the operation's `schema` has it, and headers of its own. */
export const storedAnswer = <A, I>(
  schema: Schema.Codec<A, I>,
  value: A,
  headers: { readonly [name: string]: string } = {}
): StoredAnswer => ({
  status: 200,
  body: JSON.stringify(Schema.encodeSync(schema)(value)),
  headers
})

/** A kept answer as it is sent; one that is given again says so. */
export const answerOf = ({
  answer,
  replayed
}: {
  readonly answer: StoredAnswer
  readonly replayed: boolean
}): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(answer.body, {
    status: answer.status,
    contentType: "application/json",
    headers: { ...answer.headers, ...(replayed ? { "idempotency-replayed": "true" } : {}) }
  })
