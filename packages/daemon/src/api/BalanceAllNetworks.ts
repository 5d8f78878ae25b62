/** Operation 2 (interface.md, "Balance on all networks"): needs a token, costs 0.01. */
import { BalanceRequest, BalanceText } from "@treemark/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems } from "./ProblemSchemas.ts"
import { SmallBody } from "./SmallBody.ts"
import { TokenAuth } from "./TokenAuth.ts"

export const AllNetworksResponse = Schema.Struct({
  wallet: Schema.String.annotate({ description: "The wallet, with its EIP-55 checksum" }),
  balance: BalanceText.annotate({ description: "Sum of the exact balances, then truncated to 4 decimals" }),
  networks: Schema.Array(Schema.Struct({ name: Schema.String, chainId: Schema.Int, balance: BalanceText }))
})

export const BalanceAllNetworks = HttpApiGroup.make("balanceAllNetworks").add(
  HttpApiEndpoint.post("balanceAllNetworks", "/balance/all-networks", {
    payload: BalanceRequest,
    success: AllNetworksResponse,
    error: problems([
      "malformed_json",
      "invalid_fields",
      "insufficient_funds",
      "idempotency_key_in_use",
      "unsupported_media_type",
      "idempotency_key_reused",
      "ledger_unavailable",
      "storage_unavailable"
    ])
  })
    .middleware(TokenAuth)
    .middleware(SmallBody)
    .annotate(OpenApi.Summary, "Balance on all networks")
    .annotate(
      OpenApi.Description,
      "The native-token balance of one wallet across all networks. Costs 0.01; a call that fails costs nothing. With an `Idempotency-Key` header the same call again gives the same answer and one charge."
    )
)
