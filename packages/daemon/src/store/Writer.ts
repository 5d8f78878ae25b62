/**
 * One connection for many fibers, and one COMMIT for many transactions: those that wait in the same moment run one after another in one
 * SQLite transaction, and with it they share the write to the disk that makes them durable. Each is answered after that COMMIT and never
 * before, so whatever was answered has survived, and whatever is done on an answer (a transaction sent to a node) has its row on the disk.
 *
 * If one of them fails, or their COMMIT does, all are undone and each runs again alone: a failure harms nobody else. So what runs here
 * holds nothing but SQL, as on PostgreSQL, where a transaction may run again too. A refusal that is to be expected under load is better
 * answered as a value.
 *
 * Gotcha: nothing else uses the connection meanwhile. Never await anything but SQL inside a transaction.
 */
import type { DatabaseSync } from "node:sqlite"
import { Clock, Effect, Exit, Fiber, Option, Semaphore } from "effect"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { note, storeCommits } from "../telemetry/Metrics.ts"

type Connection = SqlConnection.Connection

/** The span of a transaction, as Effect names those of its own clients. */
const TRANSACTION = "sql.transaction"

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE)\b/iu

type Ended = Exit.Exit<unknown, unknown>

/** A transaction that waits: what it does, without its begin and end, and whom to tell how it ended. */
class Waiting {
  readonly #work: Effect.Effect<unknown, unknown>
  readonly #told: Array<(exit: Ended) => void>
  /** Called when all of it is written, before the COMMIT. */
  readonly committing: () => void
  #running: Fiber.Fiber<unknown, unknown> | undefined
  isBegun = false
  /** Nobody waits for it any more: it is not begun, or ended where it is. */
  isLeft = false

  constructor(work: Effect.Effect<unknown, unknown>, committing: () => void, told: (exit: Ended) => void) {
    this.#work = work
    this.committing = committing
    this.#told = [told]
  }

  tell(exit: Ended): void {
    this.isBegun = false
    for (const told of this.#told) told(exit)
  }

  /** Its part of the open transaction. */
  readonly run: Effect.Effect<Ended> = Effect.suspend(() =>
    this.isLeft
      ? Effect.succeed(Exit.void)
      : Effect.flatMap(Effect.forkChild(this.#work, { startImmediately: true }), (fiber) => {
          this.#running = fiber
          return Fiber.await(fiber)
        })
  )

  /** Ends once nothing of it will be written any more. */
  readonly leave: Effect.Effect<void> = Effect.callback((resume) => {
    this.isLeft = true
    if (!this.isBegun) return resume(Effect.void)
    this.#told.push(() => resume(Effect.void))
    this.#running?.interruptUnsafe()
  })
}

/** Runs `work` inside one transaction of the database. */
type InTransaction = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>

/** Transactions that share a COMMIT; `turn` is taken between two of them. */
const sharing = (inTransaction: InTransaction, turn: Effect.Effect<void>) => {
  let waiting: Array<Waiting> = []
  let isDue = false

  const alone = (one: Waiting) =>
    inTransaction(Effect.tap(Effect.flatten(one.run), () => Effect.sync(one.committing))).pipe(
      Effect.exit,
      Effect.map((exit) => {
        if (Exit.isSuccess(exit)) note(storeCommits, 1)
        return one.tell(exit)
      })
    )

  const together = (many: ReadonlyArray<Waiting>) =>
    Effect.forEach(many, (one) => Effect.andThen(turn, one.run)).pipe(
      Effect.tap((exits) => Effect.all(exits, { discard: true })),
      Effect.tap(() => Effect.forEach(many, (one) => Effect.sync(one.committing), { discard: true })),
      inTransaction,
      Effect.exit,
      Effect.flatMap((ended) => {
        if (Exit.isFailure(ended)) return Effect.forEach(many, alone, { discard: true })
        note(storeCommits, many.length)
        for (const [n, one] of many.entries()) one.tell(ended.value[n] ?? Exit.void)
        return Effect.void
      })
    )

  const runAll = Effect.gen(function* () {
    const now = waiting.filter(({ isLeft }) => !isLeft)
    waiting = []
    for (const one of now) one.isBegun = true
    const [first] = now
    if (first !== undefined) yield* now.length === 1 ? alone(first) : together(now)
    isDue = false
    if (waiting.length > 0) soon()
  })

  /** Once this turn of the event loop is over: what waits by then shares a COMMIT, and timers and sockets are served between two. */
  const soon = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(() => void Effect.runFork(runAll))
  }

  /** Runs `work` in a transaction, with others of its moment. Whoever is interrupted leaves nothing of it. */
  return <A, E, R>(work: Effect.Effect<A, E, R>, committing: () => void): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.withFiber((fiber) =>
      Effect.callback<A, E | SqlError.SqlError>((resume) => {
        const bound = Effect.provideContext(work as Effect.Effect<A, E>, fiber.context)
        const one = new Waiting(bound, committing, (exit) => resume(exit as Exit.Exit<A, E | SqlError.SqlError>))
        waiting.push(one)
        soon()
        return one.leave
      })
    )
}

/** The client over an open database: transactions, and statements that write, share COMMITs. */
export const makeClient = Effect.fnUntraced(function* (
  database: DatabaseSync,
  connection: Connection,
  turn: Effect.Effect<void>
) {
  const semaphore = Semaphore.makeUnsafe(1)
  const lease = Effect.as(semaphore.takeScoped(1), connection)
  const control = (sql: string) => Effect.asVoid(connection.execute(sql, [], undefined))
  const rollback = Effect.suspend(() => (database.isTransaction ? control("ROLLBACK") : Effect.void))

  /** A statement of its own: one that writes goes with the others of its moment, any other runs while no transaction is open. */
  const run = <A>(sql: string, use: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> =>
    WRITES.test(sql) ? share(use, () => {}) : semaphore.withPermit(Effect.andThen(turn, use))
  const lent: Connection = {
    ...connection,
    execute: (sql, ...rest) => run(sql, connection.execute(sql, ...rest)),
    executeRaw: (sql, ...rest) => run(sql, connection.executeRaw(sql, ...rest)),
    executeValues: (sql, ...rest) => run(sql, connection.executeValues(sql, ...rest)),
    executeUnprepared: (sql, ...rest) => run(sql, connection.executeUnprepared(sql, ...rest)),
    executeValuesUnprepared: (sql, ...rest) => run(sql, connection.executeValuesUnprepared(sql, ...rest))
  }

  const client: SqlClient.SqlClient = yield* SqlClient.make({
    acquirer: Effect.andThen(turn, lease),
    transactionAcquirer: lease,
    borrower: (use) => use(lent),
    beginTransaction: "BEGIN IMMEDIATE",
    commit: () => Effect.suspend(() => (database.isTransaction ? control("COMMIT") : Effect.fail(endedByItself()))),
    onCommitFailure: () => rollback,
    isTransaction: () => database.isTransaction,
    driver: "node-sqlite",
    compiler: Statement.makeCompilerSqlite(),
    prepareTransactionControls: true,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
  const inTransaction: InTransaction = client.withTransaction.bind(client)
  const share = sharing(inTransaction, turn)
  const withTransaction: InTransaction = (self) =>
    Effect.flatMap(Effect.serviceOption(client.transactionService), (open) =>
      Option.isSome(open)
        ? inTransaction(self)
        : Effect.useSpan(TRANSACTION, { kind: "internal" }, (span) =>
            Effect.flatMap(Clock.currentTimeNanos, (at) =>
              share(Effect.withParentSpan(self, span), () => span.event(`effect.${TRANSACTION}.commit`, at))
            )
          )
    )
  yield* Effect.addFinalizer(() => semaphore.take(1))
  return Object.assign(client, { withTransaction }) as SqlClient.SqlClient
})

const endedByItself = (): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({
      message: "SQLite ended the transaction by itself after a failed statement; nothing of it was stored",
      operation: "commit",
      cause: new Error("no transaction is active")
    })
  })
