/**
 * The life of a commit's transaction on the ledger: what happened to each job, in order; every variant of a transaction that was
 * replaced under the same nonce; and which mined commits are still watched, because their block may yet fall out of the chain.
 * Events outlive the row of a refused commit, which is written over when the same id is tried anew: hence no foreign key.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Dialect, dialectOf } from "../Dialect.ts"

const statements = ({ int64, natural, strict }: Dialect) => [
  `CREATE TABLE commit_event (
    job_id TEXT NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence >= 1),
    at ${int64} NOT NULL,
    what TEXT NOT NULL,
    tx_hash TEXT,
    block_number ${int64},
    block_hash TEXT,
    detail TEXT,
    PRIMARY KEY (job_id, sequence)
  )${strict}`,
  `CREATE TABLE transaction_variant (
    tx_hash TEXT NOT NULL PRIMARY KEY,
    job_id TEXT NOT NULL,
    raw_tx TEXT NOT NULL,
    nonce ${int64} NOT NULL CHECK (nonce >= 0),
    max_fee TEXT NOT NULL CHECK (${natural("max_fee")}),
    max_tip TEXT NOT NULL CHECK (${natural("max_tip")}),
    created_at ${int64} NOT NULL
  )${strict}`,
  "CREATE INDEX transaction_variant_job ON transaction_variant (job_id, created_at)",
  "ALTER TABLE commit_job ADD COLUMN watched INTEGER NOT NULL DEFAULT 0 CHECK (watched IN (0, 1))",
  "CREATE INDEX commit_job_watched ON commit_job (chain_id, committer) WHERE watched = 1"
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements(dialectOf(sql)), (statement) => sql.unsafe(statement), { discard: true })
})
