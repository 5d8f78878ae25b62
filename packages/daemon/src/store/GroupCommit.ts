/**
 * One connection for many fibers, and one COMMIT for many transactions (group commit). Transactions run one after another, each between
 * SAVEPOINT and RELEASE inside an open SQLite transaction; those that end within the same turn of the event loop share its COMMIT, and
 * with it the write to the disk that makes them durable. Each is told of its success only then, so a transaction that was answered has
 * survived, exactly as if it had been alone.
 *
 * Gotcha: a COMMIT that fails undoes every transaction of its group, and each of them fails. That takes a full or failing disk, or rows
 * that break a deferred constraint, which are a mistake of this program.
 *
 * Gotcha: a read outside a transaction may see what the group has not committed yet. Whoever acts outside the store on what was read
 * writes down first that it will, and that write is answered after all that it saw.
 */
import type { DatabaseSync } from "node:sqlite"
import { Deferred, Effect, Exit, Scope, Semaphore } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"

type Connection = SqlConnection.Connection

/** Transactions between two COMMITs. */
interface Group {
  readonly done: Deferred.Deferred<void, SqlError.SqlError>
}

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE)\b/iu
const READS = /^\s*SELECT\b/iu

/** What `SqlClient.make` takes of a driver, but for the compiler and its names. */
export const makeGroupCommit = (database: DatabaseSync, connection: Connection, turn: Effect.Effect<void>) => {
  const semaphore = Semaphore.makeUnsafe(1)
  let group: Group | undefined
  let isFlushing = false

  const control = (sql: string) => Effect.asVoid(connection.execute(sql, [], undefined))

  /** What a failed statement or COMMIT left open. SQLite ends a transaction by itself when the disk is full. */
  const clear = Effect.suspend(() => (database.isTransaction ? control("ROLLBACK") : Effect.void))

  /** The open group; the permit is held. A group whose transaction SQLite has ended by itself is lost, with all that was in it. */
  const open = Effect.suspend((): Effect.Effect<Group, SqlError.SqlError> => {
    if (group !== undefined && database.isTransaction) return Effect.succeed(group)
    const lost = group === undefined ? Effect.void : close
    return Effect.andThen(lost, clear).pipe(
      Effect.andThen(control("BEGIN IMMEDIATE")),
      Effect.map(() => {
        group = { done: Deferred.makeUnsafe() }
        return group
      })
    )
  })

  /** Ends the open group, if there is one, and tells everybody in it; the permit is held. */
  const close: Effect.Effect<void> = Effect.suspend(() => {
    const ended = group
    group = undefined
    if (ended === undefined) return Effect.void
    const commit = database.isTransaction ? control("COMMIT") : Effect.fail(endedByItself())
    return Effect.exit(commit).pipe(
      Effect.tap((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(clear))),
      Effect.flatMap((exit) => Deferred.done(ended.done, exit))
    )
  })

  /** Sees to it that the open group ends once this turn of the event loop is over. */
  const flushSoon = Effect.sync(() => {
    if (isFlushing || group === undefined) return
    isFlushing = true
    setImmediate(() => {
      isFlushing = false
      Effect.runFork(semaphore.withPermit(close))
    })
  })

  /** The connection for one transaction. It is given up at its end or, before that, when the transaction waits for its COMMIT. */
  const transactionAcquirer: Effect.Effect<Connection, SqlError.SqlError, Scope.Scope> = Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const permit = Scope.makeUnsafe()
      const leave = Effect.andThen(flushSoon, Scope.close(permit, Exit.void))
      yield* Scope.addFinalizer(yield* Effect.scope, leave)
      yield* restore(Scope.provide(semaphore.takeScoped(1), permit))
      yield* turn
      const lent: Lent = { ...connection, joined: yield* open, leave }
      return lent
    })
  )

  const commit = (borrowed: Connection): Effect.Effect<void, SqlError.SqlError> => {
    const { joined, leave } = borrowed as Lent
    const released = database.isTransaction ? control("RELEASE work") : Effect.fail(endedByItself())
    return released.pipe(
      Effect.tapError(() => Effect.ignore(control("ROLLBACK TO work"))),
      Effect.ensuring(leave),
      Effect.andThen(Deferred.await(joined.done))
    )
  }

  /** A statement of its own: a read at once, a write with the group, anything else (DDL, PRAGMA) with no group open. */
  const borrower: SqlConnection.Borrower = (use) =>
    Effect.suspend(() => {
      let joined: Group | undefined
      const before = (sql: string): Effect.Effect<unknown, SqlError.SqlError> => {
        if (READS.test(sql)) return Effect.void
        if (!WRITES.test(sql)) return close
        return Effect.tap(open, (group) => Effect.sync(() => (joined = group)))
      }
      const lent: Connection = {
        ...connection,
        execute: (sql, ...rest) => Effect.andThen(before(sql), connection.execute(sql, ...rest)),
        executeRaw: (sql, ...rest) => Effect.andThen(before(sql), connection.executeRaw(sql, ...rest)),
        executeValues: (sql, ...rest) => Effect.andThen(before(sql), connection.executeValues(sql, ...rest)),
        executeUnprepared: (sql, ...rest) => Effect.andThen(before(sql), connection.executeUnprepared(sql, ...rest)),
        executeValuesUnprepared: (sql, ...rest) =>
          Effect.andThen(before(sql), connection.executeValuesUnprepared(sql, ...rest))
      }
      const used = semaphore.withPermit(Effect.andThen(turn, use(lent)))
      return Effect.tap(Effect.ensuring(used, flushSoon), () =>
        joined === undefined ? Effect.void : Deferred.await(joined.done)
      )
    })

  return {
    /** For reading over a while, as streams do: nothing is opened, so it works where nothing can be written. */
    acquirer: Effect.as(Effect.andThen(semaphore.takeScoped(1), turn), connection),
    transactionAcquirer,
    borrower,
    beginTransaction: "SAVEPOINT work",
    commit,
    rollback: "ROLLBACK TO work",
    isTransaction: () => database.isTransaction,
    /** Ends what is open; for before the database is closed. */
    flush: semaphore.withPermit(close)
  }
}

/** What a transaction is lent, and has to know at its end. */
interface Lent extends Connection {
  readonly joined: Group
  readonly leave: Effect.Effect<unknown>
}

const endedByItself = (): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({
      message: "SQLite ended the transaction by itself after a failed statement; nothing of it was stored",
      operation: "commit",
      cause: new Error("no transaction is active")
    })
  })
