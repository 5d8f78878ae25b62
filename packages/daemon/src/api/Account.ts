/** What a caller may see of the own account (decisions.md, section 9). */
import { BalanceText } from "@treemark/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems, TOKEN_PROBLEMS } from "./ProblemSchemas.ts"
import { TokenAuth } from "./TokenAuth.ts"

const AccountResponse = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  wallet: Schema.String,
  credits: Schema.String.annotate({ description: "Exact decimal number of native tokens, without what is held" }),
  balance: BalanceText.annotate({ description: "Of the wallet on the mainnet: 4 decimals, truncated" })
})

export const AccountGroup = HttpApiGroup.make("account", { topLevel: true }).add(
  HttpApiEndpoint.get("account", "/account", {
    success: AccountResponse,
    error: problems([...TOKEN_PROBLEMS, "ledger_unavailable"])
  })
    .middleware(TokenAuth)
    .annotate(OpenApi.Summary, "The caller's account")
)
