/** Operation 2 (interface.md, "Balance on all networks"): needs a token, costs 0.01. */
import { BalanceRequest, BalanceText } from "@treemark/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { IdempotencyHeaders } from "../IdempotencyHeaders.ts"
import { BODY_PROBLEMS, CHARGE_PROBLEMS, problemsOf, TOKEN_PROBLEMS } from "../ProblemSchemas.ts"
import { SmallBody } from "../SmallBody.ts"
import { TokenAuth } from "../TokenAuth.ts"

export const AllNetworksResponse = Schema.Struct({
  wallet: Schema.String.annotate({ description: "The wallet, with its EIP-55 checksum" }),
  balance: BalanceText.annotate({ description: "Sum of the exact balances, then truncated to 4 decimals" }),
  networks: Schema.Array(Schema.Struct({ name: Schema.String, chainId: Schema.Int, balance: BalanceText }))
})

export const BALANCE_ALL_NETWORKS_PROBLEMS = problemsOf([...TOKEN_PROBLEMS, ...BODY_PROBLEMS, ...CHARGE_PROBLEMS])

export const BalanceAllNetworks = HttpApiGroup.make("balanceAllNetworks", { topLevel: true }).add(
  HttpApiEndpoint.post("balanceAllNetworks", "/balance/all-networks", {
    headers: IdempotencyHeaders,
    payload: BalanceRequest,
    success: AllNetworksResponse,
    error: BALANCE_ALL_NETWORKS_PROBLEMS.schemas
  })
    .middleware(TokenAuth)
    .middleware(SmallBody)
    .annotate(OpenApi.Summary, "Balance on all networks")
    .annotate(
      OpenApi.Description,
      "The native-token balance of one wallet across all networks. Costs 0.01; a call that fails costs nothing."
    )
)
