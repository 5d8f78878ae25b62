/**
 * Moves to PostgreSQL that do not go well: killed (SIGKILL) at chosen moments, refused by the database, taken back. At each moment the
 * database is made to wait by locks of this test: the target is empty or whole after it, and the file is either used or says where to go.
 */
import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrate } from "../../packages/daemon/src/store/Migrations.ts"
import * as Postgres from "../../packages/daemon/src/store/Postgres.ts"
import { isPostgresMissing, type PostgresCluster, startPostgres } from "../layers/PostgresCluster.ts"
import { BIN, launch, parsed, temporaryHome } from "./Treemarkd.ts"

const run = (home: string, ...args: ReadonlyArray<string>) => parsed([...args, "--home", home])

const succeeds = (home: string, ...args: ReadonlyArray<string>) =>
  Effect.map(run(home, ...args, "--json"), (ended) => {
    assert.strictEqual(ended.code, 0, ended.stderr)
    return ended.json() as Readonly<Record<string, unknown>>
  })

const isUsed = (home: string) =>
  Effect.map(succeeds(home, "account", "show", "here"), (account) => assert.deepInclude(account, { credits: "3" }))

/** A data folder with one account; each test moves a copy of it. */
const originalHome = Effect.tap(temporaryHome, (home) =>
  succeeds(home, "account", "create", "--name", "here", "--credits", "3")
)
const copyOf = (home: string) =>
  Effect.tap(temporaryHome, (copy) => Effect.sync(() => cpSync(home, copy, { recursive: true })))

/** Runs statements in one transaction, which stays open as long as `during` takes. */
const holding = <A, E, R>(url: string, statements: ReadonlyArray<string>, during: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(["SET LOCAL idle_in_transaction_session_timeout = 0", ...statements], (text) =>
      sql.unsafe(text)
    ).pipe(Effect.andThen(during), sql.withTransaction)
  ).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url), connections: 1 })))

const connections = (postgres: PostgresCluster, database: string, more: string) =>
  Effect.map(
    postgres.ask("postgres", `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '${database}' AND ${more}`),
    Number
  )
const untilCount = (postgres: PostgresCluster, database: string, more: string, count: number) =>
  connections(postgres, database, more).pipe(
    Effect.delay("25 millis"),
    Effect.repeat({ until: (found) => found === count }),
    Effect.timeout("10 minutes")
  )

const withTables = (url: string) => Effect.provide(migrate, Postgres.layer({ url: Redacted.make(url), connections: 1 }))

/** Makes the COMMIT of whoever wrote the settings wait for an advisory lock. */
const WAIT_AT_COMMIT = `
  CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(7053); RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER wait_here AFTER INSERT ON settings DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wait_here()`

interface Moment {
  readonly name: string
  readonly locks: string
  /** Whether all of it is there after the kill. */
  readonly arrives: boolean
}

const MOMENTS: ReadonlyArray<Moment> = [
  { name: "accounts", locks: "LOCK TABLE account IN SHARE MODE", arrives: false },
  { name: "postings", locks: "LOCK TABLE posting IN SHARE MODE", arrives: false },
  { name: "commit", locks: "SELECT pg_advisory_xact_lock(7053)", arrives: true }
]

/** Starts a move, waits until the database makes it wait, and kills it there. */
const killedAt = Effect.fnUntraced(function* (postgres: PostgresCluster, home: string, { locks, name }: Moment) {
  const url = postgres.urlOf(name)
  const killed = Effect.gen(function* () {
    const moving = yield* Effect.acquireRelease(
      Effect.sync(() => launch(process.execPath, [BIN, "export", "--to", url], { home })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    yield* untilCount(postgres, name, "wait_event_type = 'Lock'", 1)
    yield* Effect.callback<void>((resume) => {
      moving.once("exit", () => resume(Effect.void))
      moving.kill("SIGKILL")
    })
    assert.strictEqual(moving.signalCode, "SIGKILL")
  }).pipe(Effect.scoped)
  yield* holding(url, [locks], killed)
  yield* untilCount(postgres, name, "application_name = 'treemarkd'", 0)
})

describe.skipIf(isPostgresMissing)("treemarkd export", () => {
  it.live(
    "that is killed at any moment has moved all or nothing, keeps the file shut until it is run again, and then ends well",
    () =>
      Effect.gen(function* () {
        const postgres = yield* startPostgres
        const original = yield* originalHome
        for (const moment of MOMENTS) {
          const home = yield* copyOf(original)
          const url = yield* postgres.create(moment.name)
          yield* withTables(url)
          if (moment.arrives) yield* postgres.ask(moment.name, WAIT_AT_COMMIT)
          yield* killedAt(postgres, home, moment)
          const count = "SELECT (SELECT COUNT(*) FROM account) || ' ' || (SELECT COUNT(*) FROM posting)"
          assert.strictEqual(yield* postgres.ask(moment.name, count), moment.arrives ? "1 2" : "0 0", moment.name)

          const shut = yield* run(home, "account", "show", "here")
          assert.strictEqual(shut.code, 69, moment.name)
          assert.match(shut.stderr, /its move was cut off.*treemarkd export --to.*treemarkd export --undo/su)
          const elsewhere = yield* run(home, "export", "--to", `${url}_other`)
          assert.notStrictEqual(elsewhere.code, 0)
          if (moment.name === "accounts") {
            assert.deepInclude(yield* succeeds(home, "export", "--undo"), { undone: true })
            yield* isUsed(home)
          }
          const again = yield* succeeds(home, "export", "--to", url)
          assert.deepInclude(again, { hadArrived: moment.arrives }, moment.name)
          assert.strictEqual(yield* postgres.ask(moment.name, count), "1 2", moment.name)
        }
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "--undo goes back to the file, once; a database that was filled before is not filled again",
    () =>
      Effect.gen(function* () {
        const postgres = yield* startPostgres
        const home = yield* originalHome
        const url = yield* postgres.create("undone")
        const never = yield* run(home, "export", "--undo", "--json")
        assert.strictEqual(never.code, 1)
        assert.match(never.stderr, /this store was not moved/u)
        yield* succeeds(home, "export", "--to", url)
        const undone = yield* run(home, "export", "--undo")
        assert.strictEqual(undone.code, 0, undone.stderr)
        assert.match(
          undone.stdout,
          /used again, as of its move to 127\.0\.0\.1:\d+\/undone.*unset TREEMARK_DATABASE_URL/su
        )
        yield* isUsed(home)
        assert.strictEqual((yield* run(home, "export", "--undo")).code, 1)
        const refused = yield* run(home, "export", "--to", url)
        assert.strictEqual(refused.code, 1)
        assert.match(refused.stderr, /not empty/u)
        yield* isUsed(home)
        const nothing = yield* run(join(home, "nothing"), "export", "--undo")
        assert.strictEqual(nothing.code, 1)
        assert.match(nothing.stderr, /There is no .*treemark\.db/u)
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "that the database refuses tells why without the password, and leaves the file in use",
    () =>
      Effect.gen(function* () {
        const postgres = yield* startPostgres
        const home = yield* originalHome
        yield* postgres.create("guarded")
        yield* postgres.ask("guarded", "CREATE ROLE guest LOGIN PASSWORD 'hush-right'")
        const rules = yield* postgres.ask("postgres", "SHOW hba_file")
        const before = readFileSync(rules, "utf8")
        writeFileSync(rules, "host all guest 127.0.0.1/32 scram-sha-256\n")
        appendFileSync(rules, before)
        yield* postgres.ask("postgres", "SELECT pg_reload_conf()")
        const urlWith = (password: string, more = "") =>
          `postgres://guest:${password}@127.0.0.1:${postgres.port}/guarded${more}`
        const refusals: ReadonlyArray<readonly [string, RegExp]> = [
          [urlWith("hush-wrong"), /password authentication failed.*Correct user and password/su],
          [urlWith("hush-right", "_missing"), /does not exist.*Create that database/su],
          [urlWith("hush-right").replace(String(postgres.port), "1"), /127\.0\.0\.1:1\/guarded.*Start the database/su],
          [urlWith("hush-right"), /permission denied.*Let the user/su],
          ["postgres//guest:hush@[/guarded", /not of the form/u]
        ]
        for (const [url, told] of refusals) {
          const refused = yield* run(home, "export", "--to", url, "--json")
          assert.strictEqual(refused.code, 69, refused.stderr)
          assert.match(refused.stderr, told, refused.stderr)
          assert.notInclude(refused.stdout + refused.stderr, "hush")
          yield* isUsed(home)
        }
        const other = yield* temporaryHome
        writeFileSync(join(other, "treemark.toml"), `database_url = "${urlWith("hush-right")}"\n`)
        for (const args of [["migrate"], ["account", "show", "here"]]) {
          const refused = yield* run(other, ...args)
          assert.strictEqual(refused.code, 69)
          assert.match(refused.stderr, /guarded cannot be used: permission denied.*GRANT ALL/su)
        }
        yield* postgres.ask("guarded", "GRANT ALL ON SCHEMA public TO guest")
        const moved = yield* run(home, "export", "--to", urlWith("hush-right"))
        assert.strictEqual(moved.code, 0, moved.stderr)
        assert.notInclude(moved.stdout + moved.stderr, "hush")
      }).pipe(Effect.scoped),
    600_000
  )
})
