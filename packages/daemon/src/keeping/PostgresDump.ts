/**
 * The books of a PostgreSQL database as a SQLite store, for a backup: one file that restores without a server. All of it is of one moment
 * (a REPEATABLE READ snapshot), and so are the embedded chains: while they are copied no job can be written.
 */
import { rm } from "node:fs/promises"
import { Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { commitTable } from "../commits/CommitTable.ts"
import * as Migrations from "../store/Migrations.ts"
import type { Snapshot } from "../store/Snapshot.ts"
import * as Sqlite from "../store/Sqlite.ts"
import { copyStore } from "./CopyStore.ts"

/** Copies the store behind `sql` into the new file `file`; `copyChains` runs while commits stand still, and only for that long. */
export const dumpPostgres = Effect.fn("Backup.dumpPostgres")(function* <E extends { readonly message: string }>(
  sql: SqlClient.SqlClient,
  snapshot: Snapshot["Service"],
  file: string,
  copyChains: Effect.Effect<void, E>
) {
  const stopped = yield* Deferred.make<void>()
  const begun = yield* Deferred.make<void>()
  const chains = Effect.gen(function* () {
    yield* sql`SET LOCAL idle_in_transaction_session_timeout = 0`
    yield* commitTable(sql).standStill
    yield* copyChains
    yield* Deferred.succeed(stopped, undefined)
    yield* Deferred.await(begun)
  }).pipe(sql.withTransaction)
  const books = Effect.andThen(
    Deferred.await(stopped),
    snapshot.read((from) =>
      Effect.gen(function* () {
        yield* from`SELECT 1 FROM settings LIMIT 1`
        yield* Deferred.succeed(begun, undefined)
        yield* copyInto(from, file)
      })
    )
  )
  yield* Effect.all([chains, books], { concurrency: "unbounded", discard: true })
  yield* Effect.promise(() => rm(`${file}.lock`, { force: true }))
})

const copyInto = (from: SqlClient.SqlClient, file: string) =>
  Effect.gen(function* () {
    const to = yield* SqlClient.SqlClient
    yield* Migrations.migrate
    yield* to.withTransaction(copyStore(from, to))
  }).pipe(Effect.provide(Sqlite.layer({ filename: file })))
