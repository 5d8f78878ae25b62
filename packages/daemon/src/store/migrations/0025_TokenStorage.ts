/** How many bytes were stored with each token, beside those of its account (0019_Quotas). What was stored before counts for no token. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { dialectOf } from "../Dialect.ts"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { int64 } = dialectOf(sql)
  yield* sql.unsafe(`ALTER TABLE access_token ADD COLUMN stored_bytes ${int64} NOT NULL DEFAULT 0`)
})
