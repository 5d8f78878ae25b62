/**
 * One connection for many fibers, and one COMMIT for many transactions (group commit). Transactions run one after another, each between
 * SAVEPOINT and RELEASE inside an open SQLite transaction; those that end within the same turn of the event loop share its COMMIT, and
 * with it the write to the disk that makes them durable. Each is told of its success only then, so a transaction that was answered has
 * survived, exactly as if it had been alone. Steps of a flow (Flow.ts) go on before that, and leave the COMMIT to somebody who waits.
 *
 * Gotcha: a COMMIT that fails undoes every transaction of its group, and each of them fails. That takes a full or failing disk, or rows
 * that break a deferred constraint, which are a mistake of this program.
 *
 * Gotcha: a read outside a transaction may see what the group has not committed yet. Whoever acts outside the store on what was read
 * writes down first that it will, and that write is answered after all that it saw.
 */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Exit, type Fiber, Scope, Semaphore } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import { CurrentFlow, CurrentStep, checked, Group } from "./Flow.ts"

type Connection = SqlConnection.Connection

/** How long a COMMIT that nobody waits for may wait for more transactions. */
const LATEST_MS = 20

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE)\b/iu
const READS = /^\s*SELECT\b/iu

/** What `SqlClient.make` takes of a driver, but for the compiler and its names. */
export const makeGroupCommit = (database: DatabaseSync, connection: Connection, turn: Effect.Effect<void>) => {
  const semaphore = Semaphore.makeUnsafe(1)
  let group: Group | undefined
  let isFlushing = false
  let due: NodeJS.Timeout | undefined

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
        group = new Group(flushSoon)
        return group
      })
    )
  })

  /** Ends the open group, if there is one, and tells everybody in it; the permit is held. */
  const close: Effect.Effect<void> = Effect.suspend(() => {
    const ended = group
    group = undefined
    clearTimeout(due)
    due = undefined
    if (ended === undefined) return Effect.void
    const commit = database.isTransaction ? control("COMMIT") : Effect.fail(endedByItself())
    return Effect.exit(commit).pipe(
      Effect.tap((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(clear))),
      Effect.map((exit) => ended.end(exit))
    )
  })

  const flush = () => void Effect.runFork(semaphore.withPermit(close))

  /** Sees to it that the open group ends once this turn of the event loop is over. */
  const flushSoon = (): void => {
    if (isFlushing || group === undefined) return
    isFlushing = true
    setImmediate(() => {
      isFlushing = false
      flush()
    })
  }

  const flushLater = (): void => {
    if (group !== undefined) due ??= setTimeout(flush, LATEST_MS)
  }

  const modeOf = (fiber: Fiber.Fiber<unknown, unknown>): Mode => {
    const flow = fiber.getRef(CurrentFlow)
    const step = flow?.isOpen === true ? fiber.getRef(CurrentStep) : undefined
    return {
      begin: flow === undefined ? Effect.void : checked(flow),
      flush: step === undefined ? flushSoon : flushLater,
      end: (joined) => {
        if (flow === undefined || (step === undefined && flow.newest === undefined)) return joined.committed
        flow.newest = joined
        if (step === undefined) return Effect.andThen(Effect.exit(joined.committed), checked(flow))
        joined.ifLost.push(Effect.provideContext(step.ifLost, fiber.context))
        return Effect.void
      }
    }
  }

  const acquire = Effect.fnUntraced(function* (taken: Effect.Effect<void, never, Scope.Scope>, mode: Mode) {
    const permit = Scope.makeUnsafe()
    const leave = Effect.andThen(Effect.sync(mode.flush), Scope.close(permit, Exit.void))
    yield* Scope.addFinalizer(yield* Effect.scope, leave)
    yield* Scope.provide(taken, permit)
    yield* turn
    const joined = yield* open
    yield* mode.begin
    return { ...connection, joined, leave, mode } satisfies Lent
  })

  const commit = (borrowed: Connection): Effect.Effect<void, SqlError.SqlError> => {
    const { joined, leave, mode } = borrowed as Lent
    const released = database.isTransaction ? control("RELEASE work") : Effect.fail(endedByItself())
    return released.pipe(
      Effect.tapError(() => Effect.ignore(control("ROLLBACK TO work"))),
      Effect.ensuring(leave),
      Effect.andThen(Effect.suspend(() => mode.end(joined)))
    )
  }

  /** The connection for a statement of its own: `before` is run with its text. */
  const lend = (before: (sql: string) => Effect.Effect<unknown, SqlError.SqlError>): Connection => ({
    ...connection,
    execute: (sql, ...rest) => Effect.andThen(before(sql), connection.execute(sql, ...rest)),
    executeRaw: (sql, ...rest) => Effect.andThen(before(sql), connection.executeRaw(sql, ...rest)),
    executeValues: (sql, ...rest) => Effect.andThen(before(sql), connection.executeValues(sql, ...rest)),
    executeUnprepared: (sql, ...rest) => Effect.andThen(before(sql), connection.executeUnprepared(sql, ...rest)),
    executeValuesUnprepared: (sql, ...rest) =>
      Effect.andThen(before(sql), connection.executeValuesUnprepared(sql, ...rest))
  })

  /** A statement of its own: a read at once, a write with the group, anything else (DDL, PRAGMA) with no group open. */
  const borrower: SqlConnection.Borrower = (use) =>
    Effect.withFiber((fiber) => {
      const mode = modeOf(fiber)
      let joined: Group | undefined
      const join = Effect.flatMap(open, (group) => {
        joined = group
        return mode.begin
      })
      const lent = lend((sql) => (READS.test(sql) ? Effect.void : WRITES.test(sql) ? join : close))
      const used = semaphore.withPermit(Effect.andThen(turn, use(lent)))
      const left = Effect.ensuring(
        used,
        Effect.sync(() => joined !== undefined && mode.flush())
      )
      return Effect.tap(left, () => (joined === undefined ? Effect.void : mode.end(joined)))
    })

  return {
    /** For reading over a while, as streams do: nothing is opened, so it works where nothing can be written. */
    acquirer: Effect.as(Effect.andThen(semaphore.takeScoped(1), turn), connection),
    /** The connection for one transaction. It is given up at its end or, before that, when the transaction waits for its COMMIT. */
    transactionAcquirer: Effect.uninterruptibleMask((restore) =>
      Effect.withFiber((fiber) => acquire(restore(semaphore.takeScoped(1)), modeOf(fiber)))
    ),
    borrower,
    beginTransaction: "SAVEPOINT work",
    commit,
    rollback: "ROLLBACK TO work",
    isTransaction: () => database.isTransaction,
    /** Ends what is open; for before the database is closed. */
    flush: semaphore.withPermit(close)
  }
}

/** How the transaction of a fiber begins, and what it does about its COMMIT. */
interface Mode {
  readonly begin: Effect.Effect<void, SqlError.SqlError>
  readonly flush: () => void
  /** The end of one that is part of `joined`. */
  readonly end: (joined: Group) => Effect.Effect<void, SqlError.SqlError>
}

/** What a transaction is lent, and has to know at its end. */
interface Lent extends Connection {
  readonly joined: Group
  readonly leave: Effect.Effect<unknown>
  readonly mode: Mode
}

const endedByItself = (): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({
      message: "SQLite ended the transaction by itself after a failed statement; nothing of it was stored",
      operation: "commit",
      cause: new Error("no transaction is active")
    })
  })
