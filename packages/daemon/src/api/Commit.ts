/** Operation 3 (interface.md, "Commit an asset"): needs a token, costs 0.1 and the gas that was used. */
import { CommitReceipt, CommitRequest } from "@treemark/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { IdempotencyHeaders } from "./IdempotencyHeaders.ts"
import { BODY_PROBLEMS, CHARGE_PROBLEMS, problems, TOKEN_PROBLEMS } from "./ProblemSchemas.ts"
import { SmallBody } from "./SmallBody.ts"
import { TokenAuth } from "./TokenAuth.ts"

const CommitResponse = Schema.Struct(CommitReceipt.fields).annotate({ identifier: "CommitResponse" })

export const Commit = HttpApiGroup.make("commit", { topLevel: true }).add(
  HttpApiEndpoint.post("commit", "/commit", {
    headers: IdempotencyHeaders,
    payload: CommitRequest,
    success: CommitResponse,
    error: problems([...TOKEN_PROBLEMS, ...BODY_PROBLEMS, ...CHARGE_PROBLEMS, "asset_not_registered", "commit_pending"])
  })
    .middleware(TokenAuth)
    .middleware(SmallBody)
    .annotate(OpenApi.Summary, "Commit an asset")
    .annotate(
      OpenApi.Description,
      "Records a commit in the history of a registered asset. Costs 0.1 and the gas that was used (about 0.004); a call that fails costs nothing."
    )
)
