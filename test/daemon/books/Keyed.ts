/** Work under an `Idempotency-Key`, for tests of what the key does. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Idempotency, type StoredAnswer } from "../../../packages/daemon/src/books/Idempotency.ts"
import { makeKeys } from "../../../packages/daemon/src/books/Keys.ts"
import { storing } from "../../../packages/daemon/src/store/StorageFailure.ts"

/** A call under a key: work that claims the key where it begins, and keeps its answer where it ends, as every paid work does. */
export const keyed = Effect.fnUntraced(function* <E, R>(
  request: Parameters<Idempotency["Service"]["run"]>[0],
  call: (workId: string) => Effect.Effect<StoredAnswer, E, R>
) {
  const idempotency = yield* Idempotency
  const sql = yield* SqlClient.SqlClient
  const keys = yield* makeKeys
  return yield* idempotency.run(
    request,
    Effect.fnUntraced(function* (work) {
      const inUse = yield* sql.withTransaction(keys.claim(work, Date.now())).pipe(storing("a key was claimed"))
      if (inUse !== undefined) return yield* inUse
      const answer = yield* call(work.id)
      yield* sql
        .withTransaction(keys.keep(work.id, JSON.parse(answer.body), undefined))
        .pipe(storing("an answer was kept"))
      return answer
    })
  )
})
