/** A real store file in a folder of its own, removed with the scope, and ways to open it in this process or in another one. */

import { type ChildProcessByStdio, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import * as Migrations from "../../../packages/daemon/src/store/Migrations.ts"
import * as Postgres from "../../../packages/daemon/src/store/Postgres.ts"
import * as Sqlite from "../../../packages/daemon/src/store/Sqlite.ts"

/** A folder for one test. */
export const tempFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "treemark-store-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** Where tests keep their stores when they run on PostgreSQL: the URL of a server (child processes see it too). */
export const SERVER = "TREEMARK_TEST_POSTGRES"

const nameOf = (filename: string) => `store_${createHash("sha256").update(filename).digest("hex").slice(0, 24)}`

/** The URL of the database that stands for the file `filename`; undefined when the tests run on SQLite. */
export const databaseUrl = (filename: string) => {
  const server = process.env[SERVER]
  return server === undefined ? undefined : Redacted.make(`${server}/${nameOf(filename)}`)
}

/** A database with all tables and no rows, where a server has one: others are made as copies of it, which is quicker. */
const MIGRATED = "store_migrated"

/** Makes {@link MIGRATED} on the server that {@link SERVER} names. */
export const makeMigrated = Effect.gen(function* () {
  const server = process.env[SERVER]
  const url = (database: string) => Redacted.make(`${server}/${database}`)
  const sql = yield* Postgres.make({ url: url("postgres"), connections: 1 })
  yield* sql`CREATE DATABASE ${sql(MIGRATED)}`
  yield* Migrations.migrate.pipe(Effect.provide(Postgres.layer({ url: url(MIGRATED), connections: 1 })))
}).pipe(Effect.provide(Reactivity.layer), Effect.scoped)

/** The database that stands for the file `filename`, made when it is not there yet. */
const databaseOf = (server: string, filename: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const name = nameOf(filename)
      const sql = yield* Postgres.make({ url: Redacted.make(`${server}/postgres`), connections: 1 })
      const known = yield* sql<{ readonly datname: string }>`SELECT datname FROM pg_database
        WHERE datname IN (${name}, ${MIGRATED})`
      const names = known.map(({ datname }) => datname)
      const like = names.includes(MIGRATED) ? sql`TEMPLATE ${sql(MIGRATED)}` : sql.literal("")
      if (!names.includes(name)) yield* sql`CREATE DATABASE ${sql(name)} ${like}`
      return Postgres.layer({ url: Redacted.make(`${server}/${name}`) })
    }).pipe(Effect.provide(Reactivity.layer), Effect.scoped)
  )

/** The migrated store of `filename`: that file, or a PostgreSQL database where {@link SERVER} says so. */
export const storeLayer = (filename: string) => {
  const server = process.env[SERVER]
  const store = server === undefined ? Sqlite.layer({ filename }) : databaseOf(server, filename)
  return Migrations.layer.pipe(Layer.provideMerge(store as typeof store & Layer.Layer<SqlClient.SqlClient, Error>))
}

/** Makes every write of the connected store fail, and lets writes happen again. */
export const setWritable = (isWritable: boolean) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.onDialectOrElse({
      pg: () => sql.unsafe(isWritable ? LET_WRITES : REFUSE_WRITES),
      orElse: () => sql.unsafe(`PRAGMA query_only = ${isWritable ? "OFF" : "ON"}`)
    })
  )

/** A trigger on every table, since read-only sessions would only be those opened later. */
const onEveryTable = (statement: string) => `DO $do$
  DECLARE one record;
  BEGIN
    CREATE OR REPLACE FUNCTION refuse_write() RETURNS trigger LANGUAGE plpgsql AS
      $refuse$ BEGIN RAISE EXCEPTION 'the store is read-only'; END $refuse$;
    FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('${statement}', one.tablename);
    END LOOP;
  END $do$`
const REFUSE_WRITES = onEveryTable(
  "CREATE TRIGGER refuse_write BEFORE INSERT OR UPDATE OR DELETE ON %I EXECUTE FUNCTION refuse_write()"
)
const LET_WRITES = onEveryTable("DROP TRIGGER refuse_write ON %I")

/** Runs `use` on a fresh migrated store. */
export const withStore = <A, E>(use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    return yield* use.pipe(Effect.provide(storeLayer(join(folder, "treemark.db"))))
  }).pipe(Effect.scoped)

/** A second process on `filename`: `hold` keeps the store open, `write` commits rows and prints each after its commit. */
export const spawnWriter = (mode: "hold" | "write", filename: string): ChildProcessByStdio<null, Readable, null> =>
  spawn(
    process.execPath,
    ["--conditions=@treemark/source", fileURLToPath(new URL("./WriterProcess.ts", import.meta.url)), mode, filename],
    { stdio: ["ignore", "pipe", "inherit"] }
  )
