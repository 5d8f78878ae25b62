/**
 * The watch over authors: whom and for which account, how far each ledger was looked through, the commits that were found, and what has to be
 * told of them, written before it is told. Alerts are events of the account too, so those take a text of their own; and assets get the topic
 * by which the ledger's logs name them, filled in when somebody watches.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Dialect, dialectOf } from "../Dialect.ts"
import { sqlite as eventTriggers } from "./0014_Holdings.ts"

const tables = ({ int64, strict }: Dialect) => [
  `CREATE TABLE author_watch (
    id TEXT NOT NULL PRIMARY KEY,
    author TEXT NOT NULL,
    account_id TEXT REFERENCES account (id),
    webhook TEXT,
    created_at ${int64} NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    next_try ${int64} NOT NULL DEFAULT 0,
    problem TEXT
  )${strict}`,
  `CREATE TABLE author_watch_place (
    chain_id ${int64} NOT NULL,
    contract TEXT NOT NULL,
    block ${int64} NOT NULL,
    forks ${int64} NOT NULL DEFAULT 0,
    PRIMARY KEY (chain_id, contract)
  )${strict}`,
  `CREATE TABLE author_alert (
    id TEXT NOT NULL PRIMARY KEY,
    watch_id TEXT NOT NULL REFERENCES author_watch (id),
    chain_id ${int64} NOT NULL,
    contract TEXT NOT NULL,
    tx_hash TEXT NOT NULL,
    block_number ${int64} NOT NULL,
    log_index INTEGER NOT NULL,
    content TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('standing', 'fallen', 'withdrawn')),
    body TEXT NOT NULL,
    found_at ${int64} NOT NULL
  )${strict}`,
  "CREATE INDEX author_alert_place ON author_alert (chain_id, contract, state, block_number)",
  "CREATE INDEX author_alert_content ON author_alert (content)",
  "CREATE INDEX author_alert_watch ON author_alert (watch_id)",
  `CREATE TABLE author_delivery (
    id TEXT NOT NULL PRIMARY KEY,
    alert_id TEXT NOT NULL REFERENCES author_alert (id),
    watch_id TEXT NOT NULL REFERENCES author_watch (id),
    kind TEXT NOT NULL CHECK (kind IN ('commit', 'withdrawn', 'restored')),
    made_at ${int64} NOT NULL,
    is_logged INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    done_at ${int64}
  )${strict}`,
  "CREATE INDEX author_delivery_open ON author_delivery (watch_id, attempts, made_at) WHERE done_at IS NULL",
  "CREATE INDEX author_delivery_alert ON author_delivery (alert_id)",
  "ALTER TABLE asset ADD COLUMN topic TEXT",
  "CREATE INDEX asset_topic ON asset (topic) WHERE topic IS NOT NULL",
  "CREATE INDEX asset_without_topic ON asset (asset_cid) WHERE topic IS NULL"
]

const KINDS = "kind IN ('registered', 'committed', 'reorganised', 'withdrawn', 'alert')"

const postgresEvents = [
  "ALTER TABLE account_event DROP CONSTRAINT account_event_kind_check",
  `ALTER TABLE account_event ADD CONSTRAINT account_event_kind_check CHECK (${KINDS})`,
  "ALTER TABLE account_event ALTER COLUMN asset_cid DROP NOT NULL",
  "ALTER TABLE account_event ADD COLUMN detail TEXT"
]

/** SQLite changes no check of a table that is there: the rows move to a new one, with their ids. */
const sqliteEvents = ({ int64, strict }: Dialect) => [
  "DROP TRIGGER commit_made",
  "DROP TRIGGER commit_fallen",
  `CREATE TABLE account_event_moved (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    account_id TEXT NOT NULL REFERENCES account (id),
    kind TEXT NOT NULL CHECK (${KINDS}),
    asset_cid TEXT,
    commit_id TEXT,
    at ${int64} NOT NULL,
    detail TEXT
  )${strict}`,
  `INSERT INTO account_event_moved (id, account_id, kind, asset_cid, commit_id, at)
    SELECT id, account_id, kind, asset_cid, commit_id, at FROM account_event`,
  "DROP TABLE account_event",
  "ALTER TABLE account_event_moved RENAME TO account_event",
  "CREATE INDEX account_event_order ON account_event (account_id, id)",
  ...eventTriggers
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const events = sql.onDialectOrElse({ pg: () => postgresEvents, orElse: () => sqliteEvents(dialect) })
  yield* Effect.forEach([...tables(dialect), ...events], (statement) => sql.unsafe(statement), { discard: true })
})
