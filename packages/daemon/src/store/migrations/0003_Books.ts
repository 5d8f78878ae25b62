/**
 * What the books need beyond the first tables: accounts that never rise above zero, what a hold is for and what it costs, transfers
 * that settle wallets, and when an idempotent answer was given. At most one hold that was not released per piece of work.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Dialect, dialectOf } from "../Dialect.ts"

const statements = ({ int64, natural, strict }: Dialect) => [
  `ALTER TABLE ledger_account ADD COLUMN debit INTEGER NOT NULL DEFAULT 0
    CHECK (debit = 0 OR (debit = 1 AND (balance = '0' OR balance LIKE '-%')))`,
  "ALTER TABLE hold ADD COLUMN operation TEXT NOT NULL DEFAULT 'commit'",
  `ALTER TABLE hold ADD COLUMN price TEXT NOT NULL DEFAULT '0' CHECK ${natural("price")}`,
  "ALTER TABLE hold ADD COLUMN price_version TEXT NOT NULL DEFAULT ''",
  "CREATE UNIQUE INDEX hold_work ON hold (account_id, operation, reference) WHERE state <> 'released'",
  "CREATE INDEX hold_open ON hold (created_at) WHERE state = 'held'",
  "CREATE INDEX commit_job_hold ON commit_job (hold_id)",
  `CREATE TABLE settlement (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id),
    amount TEXT NOT NULL CHECK (${natural("amount")} AND amount <> '0'),
    state TEXT NOT NULL CHECK (state IN ('sending', 'settled', 'returned')),
    tx_hash TEXT,
    gas_paid TEXT CHECK (${natural("gas_paid")}),
    created_at ${int64} NOT NULL,
    closed_at ${int64},
    CHECK ((state = 'settled') = (tx_hash IS NOT NULL)),
    CHECK ((state = 'sending') = (closed_at IS NULL))
  )${strict}`,
  "CREATE INDEX settlement_account ON settlement (account_id, state)",
  "CREATE UNIQUE INDEX settlement_open ON settlement (account_id) WHERE state = 'sending'",
  `ALTER TABLE idempotency ADD COLUMN answered_at ${int64}`,
  "CREATE INDEX idempotency_created ON idempotency (created_at)"
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements(dialectOf(sql)), (statement) => sql.unsafe(statement), { discard: true })
})
