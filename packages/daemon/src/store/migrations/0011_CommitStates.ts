/**
 * The states of a commit as the database knows them: those of core's machine (docs/architecture.md), and no other. SQLite adds no CHECK to a
 * table that is there, so it is made anew, its rows in the order they had. A column that nothing ever filled goes.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Dialect, dialectOf } from "../Dialect.ts"

const STATES = "state IN ('queued', 'signed', 'sent', 'mined', 'refused', 'reverted', 'displaced')"

const COLUMNS = `id, account_id, network, chain_id, asset_cid, asset_tree_cid, tree_sha256, commit_json, state, hold_id, committer, nonce,
  raw_tx, tx_hash, block_number, block_hash, log_index, gas_used, gas_price, error, created_at, updated_at, gas_limit, max_fee, max_tip,
  wanted_until, watched`

const sqlite = ({ hex, int64, natural, strict }: Dialect) => [
  `CREATE TABLE commit_job_checked (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id),
    network TEXT NOT NULL CHECK (network IN ('mainnet', 'testnet')),
    chain_id ${int64} NOT NULL,
    asset_cid TEXT NOT NULL,
    asset_tree_cid TEXT NOT NULL,
    tree_sha256 TEXT NOT NULL CHECK (${hex("tree_sha256", 64)}),
    commit_json TEXT NOT NULL,
    state TEXT NOT NULL CHECK (${STATES}),
    hold_id TEXT REFERENCES hold (id),
    committer TEXT,
    nonce ${int64} CHECK (nonce >= 0),
    raw_tx TEXT,
    tx_hash TEXT UNIQUE,
    block_number ${int64},
    block_hash TEXT,
    log_index INTEGER,
    gas_used TEXT CHECK (${natural("gas_used")}),
    gas_price TEXT CHECK (${natural("gas_price")}),
    error TEXT,
    created_at ${int64} NOT NULL,
    updated_at ${int64} NOT NULL,
    gas_limit TEXT CHECK (${natural("gas_limit")}),
    max_fee TEXT CHECK (${natural("max_fee")}),
    max_tip TEXT CHECK (${natural("max_tip")}),
    wanted_until ${int64},
    watched INTEGER NOT NULL DEFAULT 0 CHECK (watched IN (0, 1)),
    UNIQUE (chain_id, committer, nonce)
  )${strict}`,
  `INSERT INTO commit_job_checked (${COLUMNS}) SELECT ${COLUMNS} FROM commit_job ORDER BY rowid`,
  "DROP TABLE commit_job",
  "ALTER TABLE commit_job_checked RENAME TO commit_job",
  "CREATE INDEX commit_job_tree ON commit_job (asset_tree_cid)",
  "CREATE INDEX commit_job_hold ON commit_job (hold_id)",
  `CREATE INDEX commit_job_open ON commit_job (chain_id, committer, created_at)
    WHERE state IN ('queued', 'signed', 'sent')`,
  "CREATE INDEX commit_job_watched ON commit_job (chain_id, committer) WHERE watched = 1"
]

const postgres = [
  `ALTER TABLE commit_job ADD CONSTRAINT commit_job_state CHECK (${STATES})`,
  "ALTER TABLE commit_job DROP COLUMN idempotency_key"
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = sql.onDialectOrElse({ pg: () => postgres, orElse: () => sqlite(dialectOf(sql)) })
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
