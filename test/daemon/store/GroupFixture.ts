/** A store of two tables whose transactions share COMMITs, which are counted, and a second connection that sees only what was committed. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, Statement } from "effect/sql"
import { makeGroupCommit } from "../../../packages/daemon/src/store/GroupCommit.ts"
import { makeConnection } from "../../../packages/daemon/src/store/SqliteConnection.ts"
import { tempFolder } from "./TempStore.ts"

/** A row of `part` that refers to no `one` lets the COMMIT fail. */
export const opened = Effect.gen(function* () {
  const file = join(yield* tempFolder, "group.db")
  const open = (readOnly: boolean) =>
    Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(file, { readOnly, enableForeignKeyConstraints: true })),
      (database) => Effect.sync(() => database.close())
    )
  const database = yield* open(false)
  database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE one (id INTEGER PRIMARY KEY);
    CREATE TABLE part (whole INTEGER REFERENCES one (id) DEFERRABLE INITIALLY DEFERRED)`)
  const commits = { count: 0 }
  const connection = makeConnection(database)
  const counting: typeof connection = {
    ...connection,
    execute: (sql, ...rest) => {
      if (sql === "COMMIT") commits.count++
      return connection.execute(sql, ...rest)
    }
  }
  const { flush, ...group } = makeGroupCommit(database, counting, Effect.void)
  yield* Effect.addFinalizer(() => flush)
  const sql = yield* SqlClient.make({
    ...group,
    driver: "node-sqlite",
    compiler: Statement.makeCompilerSqlite(),
    prepareTransactionControls: true,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: []
  }).pipe(Effect.provide(Reactivity.layer))
  const watcher = yield* open(true)
  const ids = watcher.prepare("SELECT id FROM one ORDER BY id")
  const committed = Effect.sync(() => ids.all().map(({ id }) => Number(id)))
  return { sql, commits, committed, database }
})
