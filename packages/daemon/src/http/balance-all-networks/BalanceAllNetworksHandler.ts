/** Operation 2: decode, then the charged question under its Idempotency-Key. A client that leaves ends the call, uncharged. */
import { allNetworksBalance, decodeBalanceRequest } from "@treemark/core"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Idempotency } from "../../books/Idempotency.ts"
import { headersOf } from "../../books/Keys.ts"
import { Receipts } from "../../books/Receipts.ts"
import { answerOf, fingerprintOf, idempotencyKey, storedAnswer } from "../edge/IdempotencyKey.ts"
import { nothingCharged, refusingAs } from "../edge/Problems.ts"
import { strictJson } from "../edge/StrictBody.ts"
import { RequestBody } from "../SmallBody.ts"
import { CurrentCaller } from "../TokenAuth.ts"
import { TreemarkApi } from "../TreemarkApi.ts"
import { AllNetworksResponse, BALANCE_ALL_NETWORKS_PROBLEMS } from "./BalanceAllNetworksApi.ts"

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
        Effect.gen(function* () {
          const balances = yield* allNetworksBalance({ caller, wallet, call })
          const receipt = yield* (yield* Receipts).ofWork(caller.accountId, "balance-all-networks", call.id)
          return storedAnswer(AllNetworksResponse, balances, headersOf(Option.getOrUndefined(receipt)))
        })
    )
    return answerOf(outcome)
  },
  nothingCharged,
  refusingAs(BALANCE_ALL_NETWORKS_PROBLEMS)
)

export const layer = HttpApiBuilder.group(TreemarkApi, "balanceAllNetworks", (handlers) =>
  handlers.handleRaw("balanceAllNetworks", balanceAllNetworks)
)
