/** `GET /commits/{id}`: where a commit of the caller's account stands. */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OwnLists } from "../../accounts/OwnLists.ts"
import { CommitStates } from "../../commits/CommitStates.ts"
import { Refused } from "../ApiErrors.ts"
import { pageAsked } from "../assets/PageQuery.ts"
import { refusingAs } from "../edge/Problems.ts"
import { CurrentCaller } from "../TokenAuth.ts"
import { TreemarkApi } from "../TreemarkApi.ts"
import { COMMIT_STATE_PROBLEMS, EVENTS_PROBLEMS, LIST_COMMITS_PROBLEMS } from "./CommitsApi.ts"
import { accountEvents } from "./Events.ts"

const commitState = Effect.fn("handlers.commitState")(function* ({
  params
}: {
  readonly params: { readonly id: string }
}) {
  const { accountId } = yield* CurrentCaller
  const found = yield* (yield* CommitStates).find(accountId, params.id)
  if (Option.isSome(found)) return found.value
  return yield* new Refused({
    code: "not_found",
    detail: `This account has no commit with the id "${params.id}". The id stands in the answer commit_pending; a commit that was refused before its price was held has none.`
  })
}, refusingAs(COMMIT_STATE_PROBLEMS))

const listCommits = Effect.fn("handlers.listCommits")(function* ({
  query
}: {
  readonly query: { readonly limit?: string; readonly cursor?: string }
}) {
  const { accountId } = yield* CurrentCaller
  const page = yield* pageAsked(query, /^\d{1,15}$/u)
  const { items, next } = yield* (yield* OwnLists).commits(accountId, page)
  return { commits: items, next }
}, refusingAs(LIST_COMMITS_PROBLEMS))

export const layer = HttpApiBuilder.group(TreemarkApi, "commits", (handlers) =>
  handlers
    .handle("commitState", commitState)
    .handle("listCommits", listCommits)
    .handle("events", ({ request }) => refusingAs(EVENTS_PROBLEMS)(accountEvents(request)))
)
