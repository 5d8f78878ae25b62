/** `GET /commits/{id}`: where a commit of the caller's account stands. */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CommitStates } from "../../commits/CommitStates.ts"
import { Refused } from "../ApiErrors.ts"
import { refusing } from "../edge/Problems.ts"
import { CurrentCaller } from "../TokenAuth.ts"
import { TreemarkApi } from "../TreemarkApi.ts"

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
}, refusing)

export const layer = HttpApiBuilder.group(TreemarkApi, "commits", (handlers) =>
  handlers.handleRaw("commitState", commitState)
)
