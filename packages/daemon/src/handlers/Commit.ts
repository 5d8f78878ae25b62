/** Operation 3: decode, then the commit under its Idempotency-Key. Once its body is here, a client that leaves does not end it. */
import { commitAsset, decodeCommitRequest } from "@treemark/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { RequestBody } from "../api/SmallBody.ts"
import { CurrentCaller } from "../api/TokenAuth.ts"
import { TreemarkApi } from "../api/TreemarkApi.ts"
import { Idempotency } from "../books/Idempotency.ts"
import { answerOf, fingerprintOf, idempotencyKey, storedAnswer } from "../edge/IdempotencyKey.ts"
import { refusing } from "../edge/Problems.ts"
import { strictJson } from "../edge/StrictBody.ts"

const commit = Effect.fn("handlers.commit")(function* ({
  headers
}: {
  readonly headers: { readonly "idempotency-key"?: string }
}) {
  const idempotency = yield* Idempotency
  const caller = yield* CurrentCaller
  const body = yield* RequestBody
  const json = yield* strictJson(body)
  const key = yield* idempotencyKey(headers)
  const decoded = yield* decodeCommitRequest(json)
  const outcome = yield* idempotency.run(
    { accountId: caller.accountId, operation: "commit", key, fingerprint: fingerprintOf(body.bytes) },
    (commitId) => Effect.map(commitAsset({ caller, request: decoded, commitId }), storedAnswer)
  )
  return answerOf(outcome)
}, refusing)

export const layer = HttpApiBuilder.group(TreemarkApi, "commit", (handlers) =>
  handlers.handleRaw("commit", commit, { uninterruptible: true })
)
