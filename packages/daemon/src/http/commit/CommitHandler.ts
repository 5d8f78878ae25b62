/**
 * Operation 3: decode, then the commit under its Idempotency-Key. Once its body is here, a client that leaves does not end it. With
 * `Prefer: return=quote` (RFC 7240) it is told what the commit would cost, and nothing happens.
 */
import { commitAsset, decodeCommitRequest, quoteCommit } from "@treemark/core"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Idempotency } from "../../books/Idempotency.ts"
import { headersOf } from "../../books/Keys.ts"
import { answerOf, fingerprintOf, idempotencyKey, storedAnswer } from "../edge/IdempotencyKey.ts"
import { prefersQuote, QUOTE } from "../edge/Prefer.ts"
import { nothingCharged, refusingAs } from "../edge/Problems.ts"
import { strictJson } from "../edge/StrictBody.ts"
import { RequestBody } from "../SmallBody.ts"
import { CurrentCaller } from "../TokenAuth.ts"
import { TreemarkApi } from "../TreemarkApi.ts"
import { COMMIT_PROBLEMS, CommitResponse, QuoteResponse } from "./CommitApi.ts"

const commit = Effect.fn("handlers.commit")(
  function* ({ headers }: { readonly headers: { readonly "idempotency-key"?: string; readonly prefer?: string } }) {
    const idempotency = yield* Idempotency
    const caller = yield* CurrentCaller
    const body = yield* RequestBody
    const json = yield* strictJson(body)
    const key = yield* idempotencyKey(headers)
    const request = yield* decodeCommitRequest(json)
    if (prefersQuote(headers.prefer)) {
      const quote = yield* quoteCommit({ caller, request })
      const headers = { "preference-applied": QUOTE }
      return yield* Effect.orDie(HttpServerResponse.schemaJson(QuoteResponse)(quote, { headers }))
    }
    const outcome = yield* idempotency.run(
      { accountId: caller.accountId, operation: "commit", key, fingerprint: fingerprintOf(body.bytes) },
      (call) =>
        Effect.map(commitAsset({ caller, request, call }), ({ answer, receipt }) =>
          storedAnswer(CommitResponse, answer, headersOf(receipt))
        )
    )
    return answerOf(outcome)
  },
  nothingCharged,
  refusingAs(COMMIT_PROBLEMS)
)

export const layer = HttpApiBuilder.group(TreemarkApi, "commit", (handlers) =>
  handlers.handleRaw("commit", commit, { uninterruptible: true })
)
