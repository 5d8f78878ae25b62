/** Operation 3 (interface.md, "Commit an asset"): needs a token, costs 0.1 and the gas that was used. */
import { CommitReceipt, CommitRequest } from "@treemark/core"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems } from "./ProblemSchemas.ts"
import { SmallBody } from "./SmallBody.ts"
import { TokenAuth } from "./TokenAuth.ts"

export const Commit = HttpApiGroup.make("commit").add(
  HttpApiEndpoint.post("commit", "/commit", {
    payload: CommitRequest,
    success: CommitReceipt,
    error: problems([
      "malformed_json",
      "invalid_fields",
      "asset_not_registered",
      "insufficient_funds",
      "idempotency_key_in_use",
      "unsupported_media_type",
      "idempotency_key_reused",
      "ledger_unavailable",
      "storage_unavailable",
      "commit_pending"
    ])
  })
    .middleware(TokenAuth)
    .middleware(SmallBody)
    .annotate(OpenApi.Summary, "Commit an asset")
    .annotate(
      OpenApi.Description,
      "Records a commit in the history of a registered asset. Costs 0.1 and the gas that was used (about 0.004); a call that fails costs nothing. With an `Idempotency-Key` header the same call again gives the same answer and one charge."
    )
)
