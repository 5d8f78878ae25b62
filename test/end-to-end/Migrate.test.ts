/** `treemarkd migrate` as a person runs it: a store of an older version, none at all, one beside a running daemon, one from the future. */
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { LATEST, MIGRATION_TABLE, stepsBetween } from "../../packages/daemon/src/store/Migrations.ts"
import initial from "../../packages/daemon/src/store/migrations/0001_Initial.ts"
import transferJobs from "../../packages/daemon/src/store/migrations/0002_TransferJobs.ts"
import * as Sqlite from "../../packages/daemon/src/store/Sqlite.ts"
import { parsed, running, temporaryHome } from "./Treemarkd.ts"

const OLD = 2
const ACCOUNT = "acc_0123456789abcdef0123"
const WALLET = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

/** A data folder with the store as the first two steps made it, and an account that holds credits. */
const oldHome = Effect.tap(temporaryHome, (home) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const loader = Migrator.fromRecord({ "0001_Initial": initial, "0002_TransferJobs": transferJobs })
    yield* Migrator.make({})({ loader, table: MIGRATION_TABLE })
    yield* sql`INSERT INTO account ${sql.insert({ id: ACCOUNT, name: "old", service_name: "old", wallet_index: 1, wallet: WALLET, created_at: 1 })}`
    yield* sql`INSERT INTO ledger_account ${sql.insert([
      { id: "issued", kind: "issued", overdraft: 1, balance: "-2500000000000000000" },
      { id: `credits:${ACCOUNT}`, kind: "credits", overdraft: 0, balance: "2500000000000000000" }
    ])}`
    yield* sql`INSERT INTO ledger_entry ${sql.insert({ id: "grant:1", kind: "grant", created_at: 1 })}`
    yield* sql`INSERT INTO posting ${sql.insert([
      { entry_id: "grant:1", account_id: "issued", amount: "-2500000000000000000" },
      { entry_id: "grant:1", account_id: `credits:${ACCOUNT}`, amount: "2500000000000000000" }
    ])}`
  }).pipe(Effect.provide(Sqlite.layer({ filename: fileOf(home) })))
)

const run = (home: string, ...args: ReadonlyArray<string>) => parsed([...args, "--home", home])

const fileOf = (home: string) => join(home, "treemark.db")

/** What the file itself says, by a connection of this process that only reads. */
const look = (home: string, statement: string) => {
  const database = new DatabaseSync(fileOf(home), { readOnly: true })
  try {
    return Object.values(database.prepare(statement).get() ?? {})[0]
  } finally {
    database.close()
  }
}
const versionIn = (home: string) => look(home, `SELECT MAX(migration_id) FROM ${MIGRATION_TABLE}`)
const tablesIn = (home: string) => look(home, "SELECT COUNT(*) FROM sqlite_schema")

const versions = (from: number) => stepsBetween(from, LATEST).map(({ version }) => version)

const stepsOf = (document: unknown) =>
  (document as { readonly steps: ReadonlyArray<{ readonly version: number }> }).steps.map(({ version }) => version)

describe("treemarkd migrate", () => {
  it.live(
    "tells what is pending without doing it, does it once, and leaves books that the audit finds clean",
    () =>
      Effect.gen(function* () {
        const home = yield* oldHome
        const tables = tablesIn(home)
        const pending = yield* run(home, "migrate", "--check", "--json")
        assert.strictEqual(pending.code, 1, pending.stderr)
        assert.deepInclude(pending.json(), { before: OLD, after: OLD, latest: LATEST })
        assert.deepStrictEqual(stepsOf(pending.json()), versions(OLD))
        assert.match(pending.stderr, /of version 2.*backup.*treemarkd migrate/su)
        assert.deepStrictEqual([versionIn(home), tablesIn(home)], [OLD, tables])

        const done = yield* run(home, "migrate", "--json")
        assert.strictEqual(done.code, 0, done.stderr)
        assert.deepInclude(done.json(), { before: OLD, after: LATEST })
        assert.deepStrictEqual(stepsOf(done.json()), versions(OLD))
        assert.strictEqual(versionIn(home), LATEST)
        const again = yield* run(home, "migrate")
        assert.match(again.stdout, new RegExp(`of version ${LATEST} already.*Nothing was changed`, "u"))
        const shown = yield* run(home, "account", "show", "old", "--json")
        assert.deepInclude(shown.json(), { credits: "2.5" }, shown.stderr)
        const audited = yield* run(home, "audit", "--json")
        assert.deepInclude(audited.json(), { clean: true, findings: [] }, audited.stderr)
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "is what start does by itself; beside the running daemon --check says that nothing is pending",
    () =>
      Effect.gen(function* () {
        const home = yield* oldHome
        const daemon = yield* running(["start", "--port", "0"], { home })
        assert.strictEqual(versionIn(home), LATEST)
        const checked = yield* run(home, "migrate", "--check")
        assert.strictEqual(checked.code, 0, checked.stderr)
        const refused = yield* run(home, "migrate")
        assert.strictEqual(refused.code, 69)
        assert.match(refused.stderr, /in use by another treemarkd/u)
        yield* daemon.signal("SIGTERM")
        yield* daemon.ended
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "--check of a data folder without a store makes none, and speaks of no backup",
    () =>
      Effect.gen(function* () {
        const home = join(yield* temporaryHome, "new")
        mkdirSync(home)
        const checked = yield* run(home, "migrate", "--check", "--json")
        assert.strictEqual(checked.code, 1)
        assert.deepStrictEqual(stepsOf(checked.json()), versions(0))
        assert.match(checked.stderr, /There are no tables yet/u)
        assert.notMatch(checked.stderr, /backup/u)
        assert.isFalse(existsSync(fileOf(home)))
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "and start refuse a store that a newer treemarkd wrote, say so, and leave it as it is",
    () =>
      Effect.gen(function* () {
        const home = yield* oldHome
        const database = new DatabaseSync(fileOf(home))
        database.exec(`INSERT INTO ${MIGRATION_TABLE} (migration_id, name) VALUES (99, 'Later')`)
        database.close()
        const tables = tablesIn(home)
        for (const args of [["migrate", "--check"], ["migrate"], ["start", "--port", "0"]]) {
          const refused = yield* run(home, ...args, "--json")
          assert.strictEqual(refused.code, 69, refused.stderr)
          assert.match(refused.stderr, new RegExp(`version 99, and this treemarkd knows versions up to ${LATEST}`, "u"))
          assert.match(refused.stderr, /Nothing was changed. Run the newer treemarkd/u)
          assert.deepInclude((refused.json() as { readonly error: object }).error, { code: "store_too_new" })
          assert.deepStrictEqual([versionIn(home), tablesIn(home)], [99, tables], args.join(" "))
        }
      }).pipe(Effect.scoped),
    600_000
  )
})
