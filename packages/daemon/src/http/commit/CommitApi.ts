/** Operation 3 (interface.md, "Commit an asset"): needs a token, costs 0.1 and the gas that was used. */
import { CommitReceipt, CommitRequest } from "@treemark/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { IdempotencyHeaders } from "../IdempotencyHeaders.ts"
import { BODY_PROBLEMS, CHARGE_PROBLEMS, problemsOf, TOKEN_PROBLEMS } from "../ProblemSchemas.ts"
import { SmallBody } from "../SmallBody.ts"
import { TokenAuth } from "../TokenAuth.ts"

const exact = Schema.String.annotate({ description: "Exact decimal number of native tokens" })

export const QuoteResponse = Schema.Struct({
  price: exact,
  gasCeiling: exact,
  total: exact,
  priceListVersion: Schema.String,
  expiresAt: Schema.String
}).annotate({
  identifier: "Quote",
  description: "Answered to Prefer: return=quote; nothing was done and nothing charged"
})

export const CommitResponse = Schema.Struct(CommitReceipt.fields).annotate({ identifier: "CommitResponse" })

export const COMMIT_PROBLEMS = problemsOf([
  ...TOKEN_PROBLEMS,
  ...BODY_PROBLEMS,
  ...CHARGE_PROBLEMS,
  "asset_not_registered",
  "commit_pending"
])

export const Commit = HttpApiGroup.make("commit", { topLevel: true }).add(
  HttpApiEndpoint.post("commit", "/commit", {
    headers: {
      ...IdempotencyHeaders,
      prefer: Schema.optionalKey(
        Schema.String.annotate({
          description: "return=quote: answers what the commit would cost (a Quote), and does nothing else"
        })
      )
    },
    payload: CommitRequest,
    success: [CommitResponse, QuoteResponse],
    error: COMMIT_PROBLEMS.schemas
  })
    .middleware(TokenAuth)
    .middleware(SmallBody)
    .annotate(OpenApi.Summary, "Commit an asset")
    .annotate(
      OpenApi.Description,
      "Records a commit in the history of a registered asset. Costs 0.1 and the gas that was used (about 0.004); a call that fails costs nothing."
    )
)
