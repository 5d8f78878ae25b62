/**
 * Effect's `Connection` over one `DatabaseSync` of node:sqlite: prepared statements kept, oldest out first, errors classified, integers
 * read as numbers unless `SqlClient.SafeIntegers` is set. Rows are objects without a prototype.
 *
 * Gotcha: everything is synchronous. A statement blocks the event loop while it runs, and a stream is read whole first.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { Effect, Stream } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"

/** Prepared statements kept; the daemon has fewer distinct ones, so that none is parsed twice. */
const CACHE_SIZE = 256

type Transform = Parameters<SqlConnection.Connection["execute"]>[2]

/** The connection. Statements go through the cache, but for the `…Unprepared` ones. */
export const makeConnection = (database: DatabaseSync): SqlConnection.Connection => {
  const cache = new Map<string, StatementSync>()

  const cached = (sql: string): StatementSync => {
    const known = cache.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare(sql)
    cache.set(sql, statement)
    if (cache.size > CACHE_SIZE) {
      for (const oldest of cache.keys()) {
        cache.delete(oldest)
        break
      }
    }
    return statement
  }

  const run = <A>(
    prepare: (sql: string) => StatementSync,
    sql: string,
    asArrays: boolean,
    use: (statement: StatementSync) => A
  ): Effect.Effect<A, SqlError.SqlError> =>
    Effect.withFiber((fiber) => {
      try {
        const statement = prepare(sql)
        statement.setReadBigInts(fiber.getRef(SqlClient.SafeIntegers))
        statement.setReturnArrays(asArrays)
        return Effect.succeed(use(statement))
      } catch (cause) {
        return Effect.fail(sqlError(cause))
      }
    })

  const rows =
    (prepare: (sql: string) => StatementSync) => (sql: string, params: ReadonlyArray<unknown>, transform: Transform) =>
      run(prepare, sql, false, (statement) => {
        const found = statement.all(...(params as ReadonlyArray<SQLInputValue>))
        return transform === undefined ? found : transform(found)
      })

  const values =
    (prepare: (sql: string) => StatementSync) =>
    (
      sql: string,
      params: ReadonlyArray<unknown>
    ): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError.SqlError> =>
      // With setReturnArrays each row is an array, which the types of node:sqlite do not say.
      run(prepare, sql, true, (statement) => statement.all(...(params as ReadonlyArray<SQLInputValue>)) as never)

  const prepareOnce = (sql: string) => database.prepare(sql)
  const execute = rows(cached)

  return {
    execute,
    executeRaw: (sql, params) =>
      run(cached, sql, false, (statement) =>
        statement.columns().length === 0
          ? statement.run(...(params as ReadonlyArray<SQLInputValue>))
          : statement.all(...(params as ReadonlyArray<SQLInputValue>))
      ),
    executeStream: (sql, params, transform) => Stream.fromIterableEffect(execute(sql, params, transform)),
    executeValues: values(cached),
    executeValuesUnprepared: values(prepareOnce),
    executeUnprepared: rows(prepareOnce)
  }
}

const SQLITE_CONSTRAINT_PRIMARYKEY = 1555
const SQLITE_CONSTRAINT_UNIQUE = 2067

/**
 * node:sqlite puts SQLite's extended result code into `errcode`, the classifier reads `errno`. A duplicate primary key counts as
 * a unique violation, as PostgreSQL reports it, so that callers handle one tag on both.
 */
const sqlError = (cause: unknown): SqlError.SqlError => {
  const errcode = (cause as { readonly errcode?: unknown }).errcode
  if (cause instanceof Error && typeof errcode === "number") {
    Object.assign(cause, { errno: errcode === SQLITE_CONSTRAINT_PRIMARYKEY ? SQLITE_CONSTRAINT_UNIQUE : errcode })
  }
  const said = cause instanceof Error ? cause.message : String(cause)
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError(cause, {
      message: `SQLite refused the statement: ${said}`,
      operation: "execute"
    })
  })
}
