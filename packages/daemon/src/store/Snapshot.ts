/**
 * Reads that must see one moment of the store while the daemon works on: statements and the audit. SQLite: a second, read-only
 * connection in a transaction, which WAL lets read beside the writer. PostgreSQL: a REPEATABLE READ transaction.
 *
 * Gotcha: on SQLite every statement still blocks the event loop, so read in pages (`eachPage` yields between them).
 */
import { DatabaseSync } from "node:sqlite"
import { Context, Effect, Layer, Semaphore } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError, Statement } from "effect/sql"
import { makeConnection } from "./SqliteConnection.ts"

export class Snapshot extends Context.Service<
  Snapshot,
  {
    /** Runs `use` with a client that sees the store as it is now, however long it reads, and cannot write. */
    readonly read: <A, E, R>(
      use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | SqlError.SqlError, R>
  }
>()("@treemark/daemon/store/Snapshot") {
  static readonly layer: Layer.Layer<Snapshot, never, SqlClient.SqlClient> = Layer.effect(
    Snapshot,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return Snapshot.of({
        read: (use) => sql.onDialectOrElse({ pg: () => ofPostgres(sql, use), orElse: () => ofSqlite(sql, use) })
      })
    })
  )
}

type Use<A, E, R> = (sql: SqlClient.SqlClient) => Effect.Effect<A, E, R>

const ofPostgres = <A, E, R>(sql: SqlClient.SqlClient, use: Use<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
  sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`.pipe(Effect.andThen(use(sql)), sql.withTransaction)

const ofSqlite = <A, E, R>(sql: SqlClient.SqlClient, use: Use<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
  openedReader(readerOf(sql)).pipe(Effect.flatMap(use), Effect.scoped)

/** A client over an open connection that is only read. */
export const openedReader = Effect.fnUntraced(function* <E, R>(open: Effect.Effect<DatabaseSync, E, R>) {
  const database = yield* open
  return yield* SqlClient.make({
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(makeConnection(database)),
      semaphore: Semaphore.makeUnsafe(1),
      isTransaction: () => database.isTransaction
    }),
    driver: "node-sqlite",
    compiler: Statement.makeCompilerSqlite(),
    spanAttributes: [["db.system.name", "sqlite"]]
  }).pipe(Effect.provide(Reactivity.layer))
})

/** A read-only connection to the embedded store behind `sql`, in a transaction that sees this moment until the scope closes. */
export const readerOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const rows = yield* sql<{ readonly file: string }>`SELECT file FROM pragma_database_list WHERE name = 'main'`
  return yield* Effect.acquireRelease(
    Effect.try({
      try: () => openReader(rows[0]?.file ?? ""),
      catch: (cause) => new SqlError.SqlError({ reason: SqlError.classifySqliteError(cause, { operation: "connect" }) })
    }),
    (database) => Effect.sync(() => database.close())
  )
})

/** Long reads come by the same pages of an index again and again; SQLite's own default is 2 MiB. */
const READER_CACHE_KIB = 32_768

const openReader = (file: string): DatabaseSync => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 250 })
  try {
    database.exec(`PRAGMA cache_size = -${READER_CACHE_KIB}; BEGIN`)
    database.prepare("SELECT COUNT(*) FROM sqlite_schema").get()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * The order in which a whole table is read fastest, to page by: in SQLite that of its rows on the disk, which is that of their making;
 * in PostgreSQL that of the key named. `first` comes before every row.
 */
export const readingOrder = (sql: SqlClient.SqlClient, table: string, key: string) =>
  sql.onDialectOrElse({
    pg: (): ReadingOrder => ({ column: sql.literal(`${table}.${key}`), first: "" }),
    orElse: (): ReadingOrder => ({ column: sql.literal(`${table}.rowid`), first: -1 })
  })

interface ReadingOrder {
  readonly column: Statement.Fragment
  readonly first: number | string
}

/** Reads page after page: `page` is asked for the rows after `last` (none at first) until there are none; `use` sees each page. */
export const eachPage = Effect.fnUntraced(function* <Row, E, R>(
  page: (last: Row | undefined) => Effect.Effect<ReadonlyArray<Row>, E, R>,
  use: (rows: ReadonlyArray<Row>) => void
) {
  let last: Row | undefined
  do {
    const rows = yield* page(last)
    use(rows)
    last = rows.at(-1)
    yield* Effect.yieldNow
  } while (last !== undefined)
})

/** So many values are looked at before others get their turn. */
const TURN = 5_000

/** Shows `use` every value of something long that is in memory already, without keeping the event loop for all of it. */
export const eachInTurns = Effect.fnUntraced(function* <A>(values: Iterable<A>, use: (value: A) => void) {
  let seen = 0
  for (const value of values) {
    use(value)
    if (++seen % TURN === 0) yield* Effect.yieldNow
  }
})
