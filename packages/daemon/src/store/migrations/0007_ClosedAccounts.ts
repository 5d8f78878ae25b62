/** When an account was closed for good: its books stay, its tokens are revoked, and nothing is posted for it any more. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { dialectOf } from "../Dialect.ts"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`ALTER TABLE account ADD COLUMN closed_at ${dialectOf(sql).int64}`)
})
