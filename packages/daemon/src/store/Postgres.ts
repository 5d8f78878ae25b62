/**
 * The shared data store: Effect's `SqlClient` over PostgreSQL (or an engine that speaks its protocol), for one daemon or many.
 * READ COMMITTED, and rows that are changed after being read are locked; a transaction that the database gave up for another's
 * sake (deadlock, serialization) is run again, which is safe because transactions hold nothing but SQL.
 *
 * Gotcha: @effect/sql-pg 4.0.5 predates `SqlClient.driver`, and reports a connection that broke inside a transaction as a defect of
 * the rollback that followed; both are mended here.
 */
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Cause, Duration, Effect, Layer, Option, Predicate, Redacted, Result, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import { DatabaseUnusable, databaseUnusable } from "./StoreErrors.ts"

export interface PostgresOptions {
  /**
   * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, and what else libpq's URLs may say (`?sslmode=require`). `?pgbouncer=true`: a pooler in transaction
   * mode stands in between, where a connection has no settings of its own and no prepared statements. Never printed.
   */
  readonly url: Redacted.Redacted<string>
  /** Connections this client may open; 10 by default. */
  readonly connections?: number
}

const CONNECTIONS = 10

/**
 * Sent when a connection opens. A daemon that stands still in the middle of a transaction (a paused machine) must not hold its
 * locks for longer than others wait for a lock, and no statement of ours takes long.
 */
const SESSION = {
  statement_timeout: "10s",
  lock_timeout: "8s",
  idle_in_transaction_session_timeout: "5s",
  default_transaction_isolation: "read committed"
}

/** 64-bit integers are numbers where numbers hold them, as they are from the embedded store; beyond that they stay bigints. */
const TYPES = PgTypes.makeRegistry()
TYPES.register<number | bigint>(PgTypes.OID.int8, {
  encode: (value) => {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigInt64(0, BigInt(value))
    return Result.succeed(bytes)
  },
  decode: (bytes) => {
    const value = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigInt64(0)
    const number = Number(value)
    return Result.succeed(Number.isSafeInteger(number) ? number : value)
  }
})

/** Tries of one transaction, with growing, jittered pauses from 5 ms. */
const TRIES = 8
const pauses = Schedule.exponential(Duration.millis(5)).pipe(Schedule.jittered, Schedule.upTo({ times: TRIES - 1 }))

/** The client, once the database has answered. */
export const make = Effect.fnUntraced(function* ({ connections = CONNECTIONS, url }: PostgresOptions) {
  const place = placeOf(url)
  if (place === undefined) {
    const cause = new Error("it is not of the form postgres://USER:PASSWORD@HOST:PORT/DATABASE")
    return yield* new DatabaseUnusable({ place: "TREEMARK_DATABASE_URL", reason: "url", cause })
  }
  const { isPooled, server } = withoutPooler(url)
  const client = yield* PgClient.make({
    url: server,
    maxConnections: connections,
    applicationName: "treemarkd",
    ...(isPooled ? {} : { startupParameters: SESSION }),
    keepAlive: Duration.seconds(10),
    types: TYPES,
    preparedStatementCacheSize: isPooled ? 0 : 256
  }).pipe(Effect.mapError((error) => databaseUnusable(place, error)))
  yield* Effect.mapError(isPooled ? limitsOf(client) : client`SELECT 1`, (error) => databaseUnusable(place, error))
  return Object.assign(client, {
    driver: "pg",
    withTransaction: withRetries(client)
  }) as SqlClient.SqlClient
})

/** The store at `url`. Fails with `DatabaseUnusable` when it does not answer. */
export const layer = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient, DatabaseUnusable> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))

/** Says how to give what `SESSION` would, where a pooler's connections lack it. */
const limitsOf = Effect.fnUntraced(function* (client: SqlClient.SqlClient) {
  const [row] = yield* client<{ readonly role: string; readonly unlimited: boolean }>`SELECT current_user AS role,
    '0' IN (current_setting('statement_timeout'), current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout')) AS unlimited`
  if (row?.unlimited !== true) return
  const wanted = Object.entries(SESSION).map(([name, value]) => `ALTER ROLE "${row.role}" SET ${name} = '${value}';`)
  yield* Effect.logWarning(
    `Connections through the pooler have no time limits: a daemon that stands still in a transaction holds others up. Run once in the database, then reload the pooler: ${wanted.join(" ")}`
  )
})

const POOLER = "pgbouncer"

/** The URL without our own word in it, and whether it was there. */
const withoutPooler = (url: Redacted.Redacted<string>) => {
  const parsed = new URL(Redacted.value(url))
  const isPooled = parsed.searchParams.get(POOLER) === "true"
  parsed.searchParams.delete(POOLER)
  return { isPooled, server: isPooled ? Redacted.make(parsed.href) : url }
}

/** `HOST:PORT/DATABASE` for messages, without user and password; undefined when it is not such a URL. */
export const placeOf = (url: Redacted.Redacted<string>): string | undefined => {
  const parsed = URL.parse(Redacted.value(url))
  if (parsed === null || !/^postgres(?:ql)?:$/u.test(parsed.protocol)) return undefined
  return `${parsed.hostname}:${parsed.port || "5432"}${parsed.pathname}`
}

type WithTransaction = SqlClient.SqlClient["withTransaction"]

/** Only the outermost transaction can be run again: the database has undone all of it. */
const withRetries = (client: SqlClient.SqlClient): WithTransaction => {
  const withTransaction: WithTransaction = client.withTransaction.bind(client)
  return (self) =>
    Effect.flatMap(Effect.serviceOption(client.transactionService), (open) =>
      Option.isSome(open)
        ? withTransaction(self)
        : withTransaction(self).pipe(
            Effect.catchCause(brokenConnection),
            Effect.retry({ schedule: pauses, while: isUndone })
          )
    )
}

/**
 * A rollback on a connection that is gone dies, and the failure before it becomes a defect beside it, whatever was made of it: what the
 * caller needs to know is that the store could not be used. A real defect stays one.
 */
const brokenConnection = <E>(cause: Cause.Cause<E>): Effect.Effect<never, E | SqlError.SqlError> => {
  const defects = cause.reasons.filter(Cause.isDieReason).map((reason) => reason.defect)
  const [first] = defects.filter(SqlError.isSqlError)
  if (first === undefined || !defects.every(wasFailure)) return Effect.failCause(cause)
  return Option.match(Cause.findErrorOption(cause), {
    onNone: () => Effect.fail(first),
    onSome: (error) => Effect.fail(error)
  })
}

const wasFailure = (defect: unknown): boolean => defect instanceof Error && Predicate.hasProperty(defect, "_tag")

const isUndone = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")
