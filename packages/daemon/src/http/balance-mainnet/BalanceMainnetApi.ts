/** Operation 1 (interface.md, "Balance on the mainnet"): free, no token. */
import { BalanceRequest, BalanceText } from "@treemark/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BODY_PROBLEMS, problemsOf } from "../ProblemSchemas.ts"
import { SmallBody } from "../SmallBody.ts"

const BalanceResponse = Schema.Struct({
  balance: BalanceText.annotate({ description: "Native tokens with exactly 4 decimals, truncated" })
})

export const BALANCE_MAINNET_PROBLEMS = problemsOf([...BODY_PROBLEMS, "ledger_unavailable"])

export const BalanceMainnet = HttpApiGroup.make("balanceMainnet", { topLevel: true }).add(
  HttpApiEndpoint.post("balanceMainnet", "/balance/mainnet", {
    payload: BalanceRequest,
    success: BalanceResponse,
    error: BALANCE_MAINNET_PROBLEMS.schemas
  })
    .middleware(SmallBody)
    .annotate(OpenApi.Summary, "Balance on the mainnet")
    .annotate(OpenApi.Description, "The native-token balance of one wallet on the mainnet. Free; a token is ignored.")
)
