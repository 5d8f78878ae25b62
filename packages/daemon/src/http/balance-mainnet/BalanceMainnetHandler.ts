/** Operation 1: decode, ask, encode. An `Authorization` header is not looked at. */
import { decodeBalanceRequest, mainnetBalance } from "@treemark/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { refusingAs } from "../edge/Problems.ts"
import { strictJson } from "../edge/StrictBody.ts"
import { RequestBody } from "../SmallBody.ts"
import { TreemarkApi } from "../TreemarkApi.ts"
import { BALANCE_MAINNET_PROBLEMS } from "./BalanceMainnetApi.ts"

const balanceMainnet = Effect.fn("handlers.balanceMainnet")(function* () {
  const { wallet } = yield* decodeBalanceRequest(yield* strictJson(yield* RequestBody))
  return yield* mainnetBalance(wallet)
}, refusingAs(BALANCE_MAINNET_PROBLEMS))

export const layer = HttpApiBuilder.group(TreemarkApi, "balanceMainnet", (handlers) =>
  handlers.handleRaw("balanceMainnet", balanceMainnet)
)
