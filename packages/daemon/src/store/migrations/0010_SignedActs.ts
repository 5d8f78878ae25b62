/**
 * The signed acts of commits: each is recorded once on a chain. A row outlives its commit; where that one came to nothing, the act is free
 * for the next.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { dialectOf } from "../Dialect.ts"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { int64, strict } = dialectOf(sql)
  yield* sql.unsafe(`CREATE TABLE signed_act (
    chain_id ${int64} NOT NULL,
    signature TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    PRIMARY KEY (chain_id, signature)
  )${strict}`)
})
