/** A store of two tables whose transactions share COMMITs, which are counted, and a second connection that sees only what was committed. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { makeConnection } from "../../../packages/daemon/src/store/SqliteConnection.ts"
import { makeClient } from "../../../packages/daemon/src/store/Writer.ts"
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
  const sql = yield* makeClient(database, counting, Effect.void).pipe(Effect.provide(Reactivity.layer))
  const watcher = yield* open(true)
  const ids = watcher.prepare("SELECT id FROM one ORDER BY id")
  const committed = Effect.sync(() => ids.all().map(({ id }) => Number(id)))
  return { sql, commits, committed, database }
})
