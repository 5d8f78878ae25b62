/**
 * The embedded data store: Effect's `SqlClient` over node:sqlite, one connection, one process, WAL with synchronous=FULL, so that
 * what was committed survives kill -9 and power loss; transactions of one moment share a COMMIT (Writer). Mode 0600 in a folder 0700.
 *
 * Why our own: nothing published works with Effect 4.1. @effect/sql-sqlite-node ends at 4.0.0-beta.102, imports
 * `effect/unstable/sql`, which 4.1 no longer has, begins transactions deferred and knows no busy timeout.
 *
 * Gotcha: a transaction holds the only connection, and a statement blocks the event loop. Never await anything but SQL inside
 * `withTransaction`.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { ensurePrivateFile } from "./PrivateFile.ts"
import { makeConnection } from "./SqliteConnection.ts"
import { type StoreLocked, StoreUnusable, storeUnusable } from "./StoreErrors.ts"
import { holdStoreLock } from "./StoreLock.ts"
import { makeClient } from "./Writer.ts"

/** How long statements may keep the event loop before timers and sockets get a turn; one transaction may run over it. */
const MAX_TURN_MS = 4

/** Waiting for a lock sleeps the whole thread; only foreign tools can hold one, so it is short. */
const BUSY_TIMEOUT_MS = 250

/** Pages of 4 KiB that the log may hold before they move to the database: the same few pages change with every commit. */
const CHECKPOINT_PAGES = 8_000

export interface SqliteOptions {
  /** Path of the database file; created with its folder when missing. Beside it: `-wal`, `-shm` and `.lock`. */
  readonly filename: string
}

/** The store in `filename`, closed with the scope. Fails with `StoreLocked` when another process has it open. */
export const layer = (options: SqliteOptions): Layer.Layer<SqlClient.SqlClient, StoreLocked | StoreUnusable> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))

const make = Effect.fnUntraced(function* ({ filename }: SqliteOptions) {
  yield* holdStoreLock(filename)
  const database = yield* Effect.acquireRelease(
    Effect.try({
      try: () => open(filename),
      catch: (cause) => (cause instanceof StoreUnusable ? cause : storeUnusable(filename, cause))
    }),
    (opened) => Effect.sync(() => opened.close())
  )
  return yield* makeClient(database, makeConnection(database), makeTurn())
})

/**
 * Yields once the current turn of the event loop has lasted long enough. The semaphore hands over within one tick: without
 * this, queued work would run back to back and no timer or socket would be served until the last of it ended.
 */
const makeTurn = (): Effect.Effect<void> => {
  let since: number | undefined
  return Effect.suspend(() => {
    const now = performance.now()
    if (since !== undefined) return now - since < MAX_TURN_MS ? Effect.void : Effect.yieldNow
    since = now
    setImmediate(() => {
      since = undefined
    })
    return Effect.void
  })
}

const open = (filename: string): DatabaseSync => {
  ensurePrivateFile(filename)
  const database = new DatabaseSync(filename, {
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false
  })
  try {
    const mode = database.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode
    if (mode !== "wal") {
      const cause = new Error(`write-ahead logging is not available (journal mode ${String(mode)})`)
      throw new StoreUnusable({ filename, reason: "wal", cause })
    }
    database.exec(
      `PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`
    )
    // What a nested transaction keeps for its rollback is longer than SQLite keeps in memory by itself: each would make and remove a file.
    database.exec("PRAGMA temp_store = MEMORY")
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
