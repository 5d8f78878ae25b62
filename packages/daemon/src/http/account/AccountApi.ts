/** What a caller may see of the own account (decisions.md, section 9). */
import { BalanceText, STATEMENT_MEDIA_TYPE } from "@treemark/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problemsOf, TOKEN_PROBLEMS } from "../ProblemSchemas.ts"
import { TokenAuth } from "../TokenAuth.ts"

const Storage = Schema.Struct({
  used: Schema.Int.annotate({ description: "Bytes of registered files; the same file counts once" }),
  limit: Schema.NullOr(Schema.Int).annotate({ description: "Bytes that may be stored; null: no limit" })
})

const AccountResponse = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  wallet: Schema.String,
  credits: Schema.String.annotate({ description: "Exact decimal number of native tokens, without what is held" }),
  balance: BalanceText.annotate({ description: "Of the wallet on the mainnet: 4 decimals, truncated" }),
  storage: Schema.Struct({
    ...Storage.fields,
    token: Storage.annotate({ description: "Of what was sent with this very token" })
  })
})

const moment = (description: string) =>
  Schema.optionalKey(
    Schema.String.annotate({ description: `${description}: a date (midnight UTC) or a moment, 2026-11-01T12:30:00Z` })
  )

const exact = Schema.String.annotate({ description: "Exact decimal number of native tokens" })

const Balance = Schema.Struct({
  credits: exact,
  owed: exact,
  receipt: Schema.NullOr(Schema.Struct({ sequence: Schema.Int, hash: Schema.String }))
})

export const StatementResponse = Schema.Struct({
  mediaType: Schema.Literal(STATEMENT_MEDIA_TYPE),
  account: Schema.Struct({ id: Schema.String, name: Schema.String, wallet: Schema.String }),
  service: Schema.String.annotate({ description: "Wallet that signs receipts and statement" }),
  from: Schema.String,
  to: Schema.String,
  issuedAt: Schema.String,
  opening: Balance,
  movements: Schema.Array(
    Schema.Struct({
      at: Schema.String,
      kind: Schema.Literals(["grant", "charge", "settlement"]),
      posting: Schema.String,
      reference: Schema.String,
      credits: exact,
      owed: exact,
      receipt: Schema.NullOr(Schema.String),
      txHash: Schema.NullOr(Schema.String)
    })
  ),
  closing: Balance,
  signature: Schema.String
}).annotate({ identifier: "Statement" })

export const ACCOUNT_PROBLEMS = problemsOf([...TOKEN_PROBLEMS, "ledger_unavailable"])
export const STATEMENT_PROBLEMS = problemsOf([...TOKEN_PROBLEMS, "invalid_fields"])

export const AccountGroup = HttpApiGroup.make("account", { topLevel: true }).add(
  HttpApiEndpoint.get("account", "/account", {
    success: AccountResponse,
    error: ACCOUNT_PROBLEMS.schemas
  })
    .middleware(TokenAuth)
    .annotate(OpenApi.Summary, "The caller's account")
    .annotate(OpenApi.Description, "Whose token it is, the credits that are left, and what is in the wallet. Free."),
  HttpApiEndpoint.get("statement", "/account/statement", {
    query: {
      from: moment("Begins then (default: when the account was made)"),
      to: moment("Ends before (default: now)")
    },
    success: StatementResponse,
    error: STATEMENT_PROBLEMS.schemas
  })
    .middleware(TokenAuth)
    .annotate(OpenApi.Summary, "The caller's statement")
    .annotate(
      OpenApi.Description,
      "Every movement of the account in a period with its receipt, signed by the service's wallet; treemark-verify statement FILE checks it offline. Free."
    )
)
