/**
 * Transfers of native tokens from our own wallets, made durable the way commits are: signed bytes and nonce stand here before
 * they are sent. `value` is decimal TEXT in 10^-18, `…_at` are milliseconds since 1970.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { dialectOf } from "../Dialect.ts"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { int64, natural, strict } = dialectOf(sql)
  yield* sql.unsafe(`CREATE TABLE transfer_job (
    id TEXT NOT NULL PRIMARY KEY,
    network TEXT NOT NULL CHECK (network IN ('mainnet', 'testnet')),
    chain_id ${int64} NOT NULL,
    sender TEXT NOT NULL,
    recipient TEXT NOT NULL,
    value TEXT NOT NULL CHECK (${natural("value")}),
    state TEXT NOT NULL,
    nonce ${int64} CHECK (nonce >= 0),
    raw_tx TEXT,
    tx_hash TEXT UNIQUE,
    block_number ${int64},
    block_hash TEXT,
    gas_used TEXT CHECK (${natural("gas_used")}),
    gas_price TEXT CHECK (${natural("gas_price")}),
    error TEXT,
    created_at ${int64} NOT NULL,
    updated_at ${int64} NOT NULL,
    UNIQUE (chain_id, sender, nonce)
  )${strict}`)
  yield* sql.unsafe("CREATE INDEX transfer_job_state ON transfer_job (state)")
})
