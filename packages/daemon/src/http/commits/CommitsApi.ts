/** Commits by their id, for the account that made them; the id stands in the problem `commit_pending`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { CommitState } from "../../commits/CommitStates.ts"
import { problems, TOKEN_PROBLEMS } from "../ProblemSchemas.ts"
import { TokenAuth } from "../TokenAuth.ts"

export const CommitsGroup = HttpApiGroup.make("commits", { topLevel: true }).add(
  HttpApiEndpoint.get("commitState", "/commits/:id", {
    params: { id: Schema.String },
    success: CommitState,
    error: problems([...TOKEN_PROBLEMS, "not_found"])
  })
    .middleware(TokenAuth)
    .annotate(OpenApi.Summary, "Where a commit stands")
    .annotate(OpenApi.Description, "A commit of the caller's own account. Free, and changes nothing.")
)
