/** Copies of a whole store: no table can be forgotten, nothing arrives in a store that is not empty, and a damaged copy is found out. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { copyStore } from "../../../packages/daemon/src/keeping/CopyStore.ts"
import * as Migrations from "../../../packages/daemon/src/store/Migrations.ts"
import * as Postgres from "../../../packages/daemon/src/store/Postgres.ts"
import * as Sqlite from "../../../packages/daemon/src/store/Sqlite.ts"
import { tablesOf } from "../../../packages/daemon/src/store/Tables.ts"
import { isPostgresMissing, startPostgres } from "../../layers/PostgresCluster.ts"
import { tempFolder } from "../store/TempStore.ts"

const open = <E, R>(layer: Layer.Layer<SqlClient.SqlClient, E, R>) =>
  Effect.map(Layer.build(Migrations.layer.pipe(Layer.provideMerge(layer))), (context) =>
    // Each store has a client of its own here, so none can be in the context of the test.
    Effect.runSync(Effect.provideContext(SqlClient.SqlClient, context))
  )

const openFile = Effect.flatMap(tempFolder, (folder) => open(Sqlite.layer({ filename: join(folder, "treemark.db") })))

const statements = [
  `INSERT INTO account (id, name, service_name, wallet_index, wallet, created_at) VALUES ('acc_1', 'a "quoted" ünïcode', 's', 1, '0x1', 1700000000000)`,
  `INSERT INTO ledger_account (id, kind, overdraft, debit, balance) VALUES ('issued', 'issued', 1, 1, '-100000000000000000000000000000001')`,
  `INSERT INTO ledger_account (id, kind, balance) VALUES ('credits:acc_1', 'credits', '100000000000000000000000000000001')`,
  `INSERT INTO ledger_entry (id, kind, reference, created_at) VALUES ('grant:1', 'grant', NULL, 9007199254740993)`,
  `INSERT INTO posting VALUES ('grant:1', 'issued', '-100000000000000000000000000000001'), ('grant:1', 'credits:acc_1', '100000000000000000000000000000001')`,
  `INSERT INTO hold (id, account_id, amount, funding, state, created_at) VALUES ('hold_1', 'acc_1', '0', 'credits', 'held', 1)`
]

const fill = (sql: SqlClient.SqlClient, rows: ReadonlyArray<string> = statements) =>
  sql.withTransaction(Effect.forEach(rows, (statement) => sql.unsafe(statement), { discard: true }))

/** Tables that only say how a database does its own work. */
const NOT_COPIED = ["balanced_entry", "ledger_asset", "ledger_commit", "ledger_index", "replica", "schema_migration"]

const safe = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, SqlClient.SafeIntegers, true)

describe("a copy of a store", () => {
  it.live("takes every table that is there, each after those it refers to, also one that was added just now", () =>
    Effect.gen(function* () {
      const sql = yield* openFile
      yield* sql.unsafe(
        "CREATE TABLE brand_new (id TEXT NOT NULL PRIMARY KEY, hold_id TEXT REFERENCES hold (id)) STRICT"
      )
      const names = (yield* tablesOf(sql)).map(({ name }) => name)
      const rows = yield* sql<{ readonly name: string }>`SELECT name FROM sqlite_schema
        WHERE type = 'table' AND name NOT LIKE 'sqlite%'`
      const expected = rows.map(({ name }) => name).filter((name) => !NOT_COPIED.includes(name))
      assert.deepStrictEqual([...names].sort(), expected.sort())
      assert.isAbove(names.indexOf("brand_new"), names.indexOf("hold"))
      assert.isAbove(names.indexOf("hold"), names.indexOf("account"))
      assert.isAbove(names.indexOf("posting"), names.indexOf("ledger_entry"))
    }).pipe(Effect.scoped)
  )

  it.live("into another file holds the same rows to the last digit", () =>
    Effect.gen(function* () {
      const from = yield* openFile
      const to = yield* openFile
      yield* fill(from)
      const copied = yield* to.withTransaction(copyStore(from, to))
      assert.strictEqual(copied.rows, 7)
      for (const table of ["account", "ledger_account", "posting", "hold"]) {
        const read = (sql: SqlClient.SqlClient) => sql`SELECT * FROM ${sql(table)} ORDER BY 1, 2`
        assert.deepStrictEqual(yield* safe(read(to)), yield* safe(read(from)), table)
      }
    }).pipe(Effect.scoped)
  )

  it.live("is refused by a store that has rows, and by books that do not balance, and then nothing arrives", () =>
    Effect.gen(function* () {
      const from = yield* openFile
      const to = yield* openFile
      yield* fill(to, statements.slice(0, 1))
      yield* fill(from)
      const refused = yield* Effect.flip(to.withTransaction(copyStore(from, to)))
      assert.include(refused.message, "its table account has rows")
      const empty = yield* openFile
      yield* from`UPDATE ledger_account SET balance = '5' WHERE id = 'credits:acc_1'`
      const wrong = yield* Effect.flip(empty.withTransaction(copyStore(from, empty)))
      assert.include(wrong.message, "balance_differs credits:acc_1")
      assert.deepStrictEqual(yield* empty`SELECT id FROM account`, [])
    }).pipe(Effect.scoped)
  )

  it.live("that loses a value on its way is found out", () =>
    Effect.gen(function* () {
      const from = yield* openFile
      const to = yield* openFile
      yield* fill(from)
      yield* to.unsafe(`CREATE TRIGGER lossy AFTER INSERT ON account BEGIN
        UPDATE account SET name = 'other' WHERE id = NEW.id; END`)
      const wrong = yield* Effect.flip(to.withTransaction(copyStore(from, to)))
      assert.include(wrong.message, "the table account arrived")
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(isPostgresMissing)("goes to PostgreSQL and back, where the tables and columns are the same", () =>
    Effect.gen(function* () {
      const postgres = yield* startPostgres
      const from = yield* openFile
      const there = yield* open(Postgres.layer({ url: Redacted.make(yield* postgres.create("copy")) }))
      const back = yield* openFile
      assert.sameDeepMembers([...(yield* tablesOf(there))], [...(yield* tablesOf(from))])
      yield* fill(from)
      assert.strictEqual((yield* there.withTransaction(copyStore(from, there))).rows, 7)
      const balance = "SELECT balance FROM ledger_account WHERE id = 'issued'"
      assert.strictEqual(yield* postgres.ask("copy", balance), "-100000000000000000000000000000001")
      yield* back.withTransaction(copyStore(there, back))
      const read = (sql: SqlClient.SqlClient) => safe(sql`SELECT id, reference, created_at FROM ledger_entry`)
      assert.deepStrictEqual(yield* read(back), yield* read(from))
    }).pipe(Effect.scoped)
  )
})
