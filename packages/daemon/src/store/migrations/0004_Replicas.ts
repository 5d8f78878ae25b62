/**
 * Several daemons on one database: which of them live, who of them signs for a wallet, whose call a hold or an idempotency key belongs
 * to, and the terms of commits that wait to be signed. A daemon that is alone on its store leaves all of this empty.
 * `…_until` and `…_at` are milliseconds since 1970 by the database's clock.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Dialect, dialectOf } from "../Dialect.ts"

const statements = ({ int64, natural, strict }: Dialect) => [
  `CREATE TABLE replica (
    id TEXT NOT NULL PRIMARY KEY,
    embedded INTEGER NOT NULL CHECK (embedded IN (0, 1)),
    started_at ${int64} NOT NULL,
    lease_until ${int64} NOT NULL
  )${strict}`,
  `CREATE TABLE signer_lease (
    chain_id ${int64} NOT NULL,
    address TEXT NOT NULL,
    replica_id TEXT,
    epoch ${int64} NOT NULL CHECK (epoch >= 1),
    PRIMARY KEY (chain_id, address)
  )${strict}`,
  "ALTER TABLE hold ADD COLUMN replica_id TEXT",
  "ALTER TABLE idempotency ADD COLUMN replica_id TEXT",
  `ALTER TABLE commit_job ADD COLUMN gas_limit TEXT CHECK (${natural("gas_limit")})`,
  `ALTER TABLE commit_job ADD COLUMN max_fee TEXT CHECK (${natural("max_fee")})`,
  `ALTER TABLE commit_job ADD COLUMN max_tip TEXT CHECK (${natural("max_tip")})`,
  `ALTER TABLE commit_job ADD COLUMN wanted_until ${int64}`,
  `CREATE INDEX commit_job_open ON commit_job (chain_id, committer, created_at)
    WHERE state IN ('queued', 'signed', 'sent')`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements(dialectOf(sql)), (statement) => sql.unsafe(statement), { discard: true })
})
