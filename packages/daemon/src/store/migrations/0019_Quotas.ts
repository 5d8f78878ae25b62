/**
 * How many bytes each account has stored: of each asset that it registered itself by its bytes the size, once, and of each account the sum, so
 * that neither an upload nor its refusal has to add up what is there. What an account only committed counts for whoever registered it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { dialectOf } from "../Dialect.ts"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { int64 } = dialectOf(sql)
  const statements = [
    `ALTER TABLE holding ADD COLUMN bytes ${int64} NOT NULL DEFAULT 0`,
    `ALTER TABLE account ADD COLUMN stored_bytes ${int64} NOT NULL DEFAULT 0`,
    `UPDATE holding SET bytes = COALESCE((SELECT CAST(asset.size AS ${int64}) FROM asset
        WHERE asset.asset_cid = holding.asset_cid AND asset.stored = 1), 0)
      WHERE (account_id, asset_cid) IN (SELECT account_id, asset_cid FROM account_event WHERE kind = 'registered')`,
    `UPDATE account SET stored_bytes = CAST(COALESCE(
        (SELECT SUM(holding.bytes) FROM holding WHERE holding.account_id = account.id), 0) AS ${int64})`,
    "CREATE INDEX holding_bytes ON holding (account_id, bytes)"
  ]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
