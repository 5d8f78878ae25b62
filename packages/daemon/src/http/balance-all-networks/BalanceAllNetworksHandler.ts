/** Operation 2: decode, then the charged question under its Idempotency-Key. A client that leaves ends the call, uncharged. */
import { allNetworksBalance, decodeBalanceRequest } from "@treemark/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Idempotency } from "../../books/Idempotency.ts"
import { answerOf, fingerprintOf, idempotencyKey } from "../edge/IdempotencyKey.ts"
import { nothingCharged, refusing } from "../edge/Problems.ts"
import { receiptedAnswer } from "../edge/ReceiptHeader.ts"
import { strictJson } from "../edge/StrictBody.ts"
import { RequestBody } from "../SmallBody.ts"
import { CurrentCaller } from "../TokenAuth.ts"
import { TreemarkApi } from "../TreemarkApi.ts"

const balanceAllNetworks = Effect.fn("handlers.balanceAllNetworks")(
  function* ({ headers }: { readonly headers: { readonly "idempotency-key"?: string } }) {
    const idempotency = yield* Idempotency
    const caller = yield* CurrentCaller
    const body = yield* RequestBody
    const json = yield* strictJson(body)
    const key = yield* idempotencyKey(headers)
    const { wallet } = yield* decodeBalanceRequest(json)
    const outcome = yield* idempotency.run(
      {
        accountId: caller.accountId,
        operation: "balance-all-networks",
        key,
        fingerprint: fingerprintOf(body.bytes)
      },
      (call) =>
        Effect.flatMap(allNetworksBalance({ caller, wallet, call }), (balances) =>
          receiptedAnswer(caller, "balance-all-networks", call.id, balances)
        )
    )
    return answerOf(outcome)
  },
  nothingCharged,
  refusing
)

export const layer = HttpApiBuilder.group(TreemarkApi, "balanceAllNetworks", (handlers) =>
  handlers.handleRaw("balanceAllNetworks", balanceAllNetworks)
)
