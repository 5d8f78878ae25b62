/**
 * The rows of idempotency keys, as parts of the transaction at hand: a key is claimed where the money of its call is set aside, and
 * answered where it is taken. So a key that has a row stands for work that was begun, and one with an answer for work that was charged.
 */
import { type Call, IdempotencyKeyInUse } from "@treemark/core"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isAlive, ReplicaId } from "../store/Replica.ts"
import { RECEIPT_HEADER } from "./Receipts.ts"

export const makeKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const replica_id = yield* ReplicaId

  /** Why the key cannot be had, as a value: a daemon beside this one was quicker, or works on it. */
  const claim = Effect.fnUntraced(function* ({ id, isNew, key: bound }: Call, at: number) {
    if (bound === undefined) return undefined
    const { accountId, fingerprint, key, operation } = bound
    if (!isNew && replica_id === null) return undefined
    const row = { account_id: accountId, operation, key, fingerprint, work_id: id, state: "running", replica_id }
    const taken = isNew
      ? yield* sql`INSERT INTO idempotency ${sql.insert({ ...row, created_at: at })}
          ON CONFLICT (account_id, operation, key) DO NOTHING RETURNING work_id`
      : yield* sql`UPDATE idempotency SET replica_id = ${replica_id} WHERE work_id = ${id}
          AND (replica_id IS NULL OR replica_id = ${replica_id} OR NOT ${isAlive(sql, "idempotency.replica_id")}) RETURNING work_id`
    return taken.length > 0 ? undefined : new IdempotencyKeyInUse({ key })
  })

  /** The answer of the work `id`, if it has a key: 200 with `answer` as JSON, and its receipt. The first one stays. */
  const keep = Effect.fnUntraced(function* (id: string, answer: unknown, receipt: string | undefined) {
    const answered_at = yield* Clock.currentTimeMillis
    const headers_json = JSON.stringify(headersOf(receipt))
    const columns = { state: "done", status: 200, body: JSON.stringify(answer), headers_json, answered_at }
    yield* sql`UPDATE idempotency SET ${sql.update(columns)} WHERE work_id = ${id} AND status IS NULL`
  })

  return { claim, keep }
})

/** The headers of an answer of its own. */
export const headersOf = (receipt: string | undefined): { readonly [name: string]: string } =>
  receipt === undefined ? {} : { [RECEIPT_HEADER]: receipt }
