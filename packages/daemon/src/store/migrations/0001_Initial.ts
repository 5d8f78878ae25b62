/**
 * The first tables: settings, accounts and their tokens, assets, the double-entry books, commit jobs, nonces, idempotent answers.
 * Runs on SQLite and on PostgreSQL. Amounts are decimal TEXT in 10^-18, `…_at` are milliseconds since 1970, flags are 0 or 1.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { atMost, type Dialect, dialectOf } from "../Dialect.ts"

/** Who may call. `wallet_index` is the BIP-44 address index of the account's wallet; 0 is the service's own. */
const accounts = ({ hex, int64, strict }: Dialect) => [
  `CREATE TABLE settings (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)${strict}`,
  `CREATE TABLE account (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    service_name TEXT NOT NULL,
    wallet_index INTEGER NOT NULL UNIQUE CHECK (wallet_index >= 1),
    wallet TEXT NOT NULL UNIQUE,
    disabled_at ${int64},
    created_at ${int64} NOT NULL
  )${strict}`,
  `CREATE TABLE access_token (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id),
    token_hash TEXT NOT NULL UNIQUE CHECK (${hex("token_hash", 64)}),
    label TEXT NOT NULL,
    created_at ${int64} NOT NULL,
    expires_at ${int64},
    revoked_at ${int64},
    last_used_at ${int64}
  )${strict}`,
  "CREATE INDEX access_token_account ON access_token (account_id)"
]

/** What may be committed. `stored` is 1 when our own content store holds the bytes. */
const assets = ({ hex, int64, natural, strict }: Dialect) => [
  `CREATE TABLE asset (
    asset_cid TEXT NOT NULL PRIMARY KEY,
    asset_sha256 TEXT NOT NULL CHECK (${hex("asset_sha256", 64)}),
    encoding_format TEXT NOT NULL,
    size TEXT CHECK (${natural("size")}),
    import_profile TEXT,
    stored INTEGER NOT NULL CHECK (stored IN (0, 1)),
    registered_by TEXT REFERENCES account (id),
    created_at ${int64} NOT NULL
  )${strict}`,
  "CREATE INDEX asset_by_sha256 ON asset (asset_sha256)"
]

/** Double entry: the postings of an entry sum to zero; only an account with `overdraft` may go below zero. */
const books = ({ int64, integer, natural, strict }: Dialect) => [
  `CREATE TABLE ledger_account (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    overdraft INTEGER NOT NULL DEFAULT 0 CHECK (overdraft IN (0, 1)),
    balance TEXT NOT NULL DEFAULT '0' CHECK (${integer("balance")}),
    CHECK (overdraft = 1 OR balance NOT LIKE '-%')
  )${strict}`,
  `CREATE TABLE ledger_entry (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    reference TEXT,
    created_at ${int64} NOT NULL
  )${strict}`,
  "CREATE INDEX ledger_entry_reference ON ledger_entry (reference)",
  `CREATE TABLE posting (
    entry_id TEXT NOT NULL REFERENCES ledger_entry (id),
    account_id TEXT NOT NULL REFERENCES ledger_account (id),
    amount TEXT NOT NULL CHECK (${integer("amount")} AND amount <> '0'),
    PRIMARY KEY (entry_id, account_id)
  )${strict}`,
  "CREATE INDEX posting_account ON posting (account_id)",
  `CREATE TABLE hold (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id),
    amount TEXT NOT NULL CHECK (${natural("amount")}),
    captured TEXT CHECK (${natural("captured")} AND ${atMost("captured", "amount")}),
    funding TEXT NOT NULL CHECK (funding IN ('credits', 'tokens')),
    state TEXT NOT NULL CHECK (state IN ('held', 'captured', 'released')),
    reference TEXT,
    created_at ${int64} NOT NULL,
    closed_at ${int64},
    CHECK ((state = 'captured') = (captured IS NOT NULL)),
    CHECK ((state = 'held') = (closed_at IS NULL))
  )${strict}`,
  "CREATE INDEX hold_account ON hold (account_id, state)"
]

/** Work towards the ledger: signed bytes and nonce are written before they are sent, so the same bytes can be sent again. */
const commits = ({ hex, int64, natural, strict }: Dialect) => [
  `CREATE TABLE commit_job (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account (id),
    network TEXT NOT NULL CHECK (network IN ('mainnet', 'testnet')),
    chain_id ${int64} NOT NULL,
    asset_cid TEXT NOT NULL,
    asset_tree_cid TEXT NOT NULL,
    tree_sha256 TEXT NOT NULL CHECK (${hex("tree_sha256", 64)}),
    commit_json TEXT NOT NULL,
    state TEXT NOT NULL,
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
    idempotency_key TEXT,
    created_at ${int64} NOT NULL,
    updated_at ${int64} NOT NULL,
    UNIQUE (chain_id, committer, nonce)
  )${strict}`,
  "CREATE INDEX commit_job_state ON commit_job (state)",
  "CREATE INDEX commit_job_account ON commit_job (account_id)",
  "CREATE INDEX commit_job_asset ON commit_job (asset_cid)",
  "CREATE INDEX commit_job_tree ON commit_job (asset_tree_cid)",
  `CREATE TABLE signer_nonce (
    chain_id ${int64} NOT NULL,
    address TEXT NOT NULL,
    next_nonce ${int64} NOT NULL CHECK (next_nonce >= 0),
    PRIMARY KEY (chain_id, address)
  )${strict}`
]

/** Answers kept for `Idempotency-Key`; `work_id` is the id of the work behind the key, the same for every repetition. */
const answers = ({ hex, int64, strict }: Dialect) => [
  `CREATE TABLE idempotency (
    account_id TEXT NOT NULL REFERENCES account (id),
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL CHECK (${hex("fingerprint", 64)}),
    work_id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('running', 'done')),
    status INTEGER,
    headers_json TEXT,
    body TEXT,
    created_at ${int64} NOT NULL,
    PRIMARY KEY (account_id, operation, key),
    CHECK (state = 'running' OR (status IS NOT NULL AND body IS NOT NULL))
  )${strict}`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  for (const tables of [accounts, assets, books, commits, answers]) {
    yield* Effect.forEach(tables(dialect), (statement) => sql.unsafe(statement), { discard: true })
  }
})
