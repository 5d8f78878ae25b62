/**
 * What tokens spent today, as the holds say: what was taken, or is set aside for calls that run. Read in the transaction that sets money
 * aside, with the account's books locked, no other call of the same token can come between.
 */
import { spendingDay } from "@treemark/core/charging"
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AmountColumn, IntColumn } from "../store/Columns.ts"

const decodeRows = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ token_id: Schema.String, units: AmountColumn, calls: IntColumn }))
)

/** Amounts are summed here and not by the database, whose integers are too small for them. */
export const makeTokenSpending = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** By token, of those that spent anything today. */
  const today = Effect.fnUntraced(function* (tokenIds: ReadonlyArray<string>) {
    const spent = new Map<string, bigint>()
    if (tokenIds.length === 0) return spent
    const { from } = spendingDay(yield* Clock.currentTimeMillis)
    const rows = yield* sql`SELECT token_id, COALESCE(captured, amount) AS units, COUNT(*) AS calls FROM hold
      WHERE ${sql.in("token_id", tokenIds)} AND created_at >= ${from} AND state <> 'released'
      GROUP BY token_id, COALESCE(captured, amount)`
    for (const { calls, token_id, units } of yield* Effect.orDie(decodeRows(rows))) {
      spent.set(token_id, (spent.get(token_id) ?? 0n) + units * BigInt(calls))
    }
    return spent
  })

  return { today }
})
