/**
 * The index of the ledger's commits: every commit in the blocks `low` to `high` of a contract, by anybody, kept by asset and by place;
 * and the assets whose commits before `low` are in it as well. `text` is null where `commit_job` has it. All of it can be read off the
 * ledger again, so it is neither copied nor exported.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { dialectOf } from "../Dialect.ts"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { int64, strict } = dialectOf(sql)
  const { bytes, clustered } = sql.onDialectOrElse({
    pg: () => ({ bytes: "BYTEA", clustered: "" }),
    orElse: () => ({ bytes: "BLOB", clustered: `${strict}, WITHOUT ROWID` })
  })
  const statements = [
    `CREATE TABLE ledger_index (
      id INTEGER NOT NULL PRIMARY KEY,
      chain_id ${int64} NOT NULL,
      contract TEXT NOT NULL,
      low ${int64} NOT NULL CHECK (low >= 0),
      high ${int64} NOT NULL CHECK (high >= low - 1),
      high_hash TEXT NOT NULL,
      UNIQUE (chain_id, contract)
    )${strict}`,
    `CREATE TABLE ledger_commit (
      ledger INTEGER NOT NULL REFERENCES ledger_index (id),
      asset_topic ${bytes} NOT NULL,
      block_number ${int64} NOT NULL,
      log_index INTEGER NOT NULL,
      block_hash ${bytes} NOT NULL,
      tx_hash ${bytes} NOT NULL,
      recorder ${bytes} NOT NULL,
      text ${bytes},
      PRIMARY KEY (ledger, asset_topic, block_number, log_index)
    )${clustered}`,
    "CREATE INDEX ledger_commit_block ON ledger_commit (ledger, block_number)",
    `CREATE TABLE ledger_asset (
      ledger INTEGER NOT NULL REFERENCES ledger_index (id),
      asset_topic ${bytes} NOT NULL,
      PRIMARY KEY (ledger, asset_topic)
    )${clustered}`
  ]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
