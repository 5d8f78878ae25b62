/** Commits by their id, for the account that made them (the id stands in the problem `commit_pending`); and what the account does, live. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CommitState } from "../../commits/CommitStates.ts"
import { ListedCommit } from "../assets/AssetsApi.ts"
import { PAGE_QUERY } from "../assets/PageQuery.ts"
import { problemsOf, TOKEN_PROBLEMS } from "../ProblemSchemas.ts"
import { TokenAuth } from "../TokenAuth.ts"

export const LIST_COMMITS_PROBLEMS = problemsOf([...TOKEN_PROBLEMS, "invalid_fields"])
export const EVENTS_PROBLEMS = problemsOf([...TOKEN_PROBLEMS, "invalid_fields"])
export const COMMIT_STATE_PROBLEMS = problemsOf([...TOKEN_PROBLEMS, "not_found"])

export const CommitsGroup = HttpApiGroup.make("commits", { topLevel: true }).add(
  HttpApiEndpoint.get("listCommits", "/commits", {
    query: PAGE_QUERY,
    success: Schema.Struct({ commits: Schema.Array(ListedCommit), next: Schema.NullOr(Schema.String) }),
    error: LIST_COMMITS_PROBLEMS.schemas
  })
    .middleware(TokenAuth)
    .annotate(OpenApi.Summary, "The account's commits")
    .annotate(
      OpenApi.Description,
      "What the caller's account committed and the ledger has, newest first. `next` is the cursor of the next page, null on the last."
    ),
  HttpApiEndpoint.get("events", "/events", {
    success: HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" }),
    error: EVENTS_PROBLEMS.schemas
  })
    .middleware(TokenAuth)
    .annotate(OpenApi.Summary, "What happens to the account, as it happens")
    .annotate(
      OpenApi.Description,
      "Server-sent events `registered`, `committed`, `reorganised` (that commit's block fell out of the chain, and it is sent again) and `alert` (somebody commits in the name of an author whom treemarkd watch-author watches, or on an asset registered here), each with JSON as its data. With the header Last-Event-ID those after it, none left out; without it those from now on."
    ),
  HttpApiEndpoint.get("commitState", "/commits/:id", {
    params: { id: Schema.String },
    success: CommitState,
    error: COMMIT_STATE_PROBLEMS.schemas
  })
    .middleware(TokenAuth)
    .annotate(OpenApi.Summary, "Where a commit stands")
    .annotate(OpenApi.Description, "A commit of the caller's own account. Free, and changes nothing.")
)
