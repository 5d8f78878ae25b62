/**
 * Layer of `Idempotency` on SQL. A key's row is stored before the call runs and keeps the id of its work for good: a call that failed,
 * or that a crash cut off, runs again under the same id, so a commit that did reach the ledger is found there and not made twice.
 *
 * Which keys are running is known to the process that runs them: a stored key that nobody works on belongs to a call that ended, or to
 * a process that died, and is free. Daemons that share the store write their name into the row, and it counts while they live; a
 * daemon that was taken for dead and woke up does the same work under the same id, which is done once.
 */
import { Clock, Context, Duration, Effect, Exit, Layer, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { randomId } from "../store/RandomId.ts"
import { isAlive, ReplicaId } from "../store/Replica.ts"
import { storing } from "../store/StorageFailure.ts"
import { KEPT_KEYS } from "./Additions.ts"
import { Idempotency, IdempotencyKeyInUse, IdempotencyKeyReused, type StoredAnswer } from "./Idempotency.ts"

/** How long an answer is kept at least. */
export const IdempotencyRetention = Context.Reference<Duration.Duration>(
  "@treemark/daemon/books/IdempotencyRetention",
  {
    defaultValue: () => Duration.hours(24)
  }
)

/** Keys without an answer stand for work whose outcome may be open, so they are kept this many times longer. */
const UNANSWERED = 30

type Request = Parameters<Idempotency["Service"]["run"]>[0]

interface Row {
  readonly fingerprint: string
  readonly work_id: string
  readonly status: number | null
  readonly body: string | null
  readonly headers_json: string | null
  readonly replica_id: string | null
  readonly lives: boolean | number
}

type ClaimError = IdempotencyKeyInUse | IdempotencyKeyReused | SqlError.SqlError
type Claim = { readonly workId: string } | { readonly answer: StoredAnswer }

const WORK_PREFIX = { commit: "cmt", "balance-all-networks": "bal", "balance-mainnet": "bal" } as const

const FREE_AGAIN = Duration.seconds(1)

const PRUNE_EVERY = Duration.hours(1)

/** Removes what is older than it needs to be; the layer does it every hour. */
export const prune = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const retention = Duration.toMillis(yield* IdempotencyRetention)
  yield* sql`DELETE FROM idempotency WHERE created_at < ${now - retention} AND key NOT LIKE ${KEPT_KEYS}
    AND (answered_at < ${now - retention} OR (answered_at IS NULL AND created_at < ${now - UNANSWERED * retention}))`
}).pipe(storing("old idempotency keys were removed"), Effect.withSpan("Idempotency.prune"))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const replica_id = yield* ReplicaId
  const scope = yield* Effect.scope
  const running = new Set<string>()
  const forUpdate = sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE", orElse: () => "" }))

  /**
   * The answer, or the id of the work, which is then marked as running. It is marked inside the transaction: the call that runs is
   * unmarked only after its answer was stored, so whoever reads no answer finds the mark.
   */
  const claim = Effect.fnUntraced(function* (
    request: Request,
    key: string,
    mark: (workId: string) => void
  ): Effect.fn.Return<Claim, ClaimError> {
    const work_id = yield* randomId(WORK_PREFIX[request.operation], random)
    const bound = { account_id: request.accountId, operation: request.operation, key }
    const created_at = yield* Clock.currentTimeMillis
    const added = yield* sql`INSERT INTO idempotency ${sql.insert({
      ...bound,
      fingerprint: request.fingerprint,
      work_id,
      state: "running",
      replica_id,
      created_at
    })} ON CONFLICT (account_id, operation, key) DO NOTHING RETURNING work_id`
    if (added.length > 0) {
      mark(work_id)
      return { workId: work_id }
    }
    const [row] = yield* sql<Row>`SELECT fingerprint, work_id, status, body, headers_json, replica_id,
      ${isAlive(sql, "idempotency.replica_id")} AS lives FROM idempotency
      WHERE account_id = ${bound.account_id} AND operation = ${bound.operation} AND key = ${key} ${forUpdate}`
    if (row === undefined) return yield* Effect.die(new Error("An idempotency key vanished while it was claimed."))
    if (row.fingerprint !== request.fingerprint) return yield* new IdempotencyKeyReused({ key })
    if (row.status !== null && row.body !== null) return { answer: answerOf(row.status, row.body, row.headers_json) }
    const runsElsewhere = row.replica_id !== replica_id && Boolean(row.lives)
    if (running.has(row.work_id) || runsElsewhere) return yield* new IdempotencyKeyInUse({ key })
    if (row.replica_id !== replica_id) {
      yield* sql`UPDATE idempotency SET replica_id = ${replica_id} WHERE work_id = ${row.work_id}`
    }
    mark(row.work_id)
    return { workId: row.work_id }
  })

  /** The mark of a transaction that was undone, and perhaps runs again, is taken off: no work runs under it. */
  const claimed = Effect.fnUntraced(function* (request: Request, key: string) {
    let marked: string | undefined
    const mark = (workId: string) => {
      running.add(workId)
      marked = workId
    }
    const unmark = Effect.sync(() => {
      if (marked !== undefined) running.delete(marked)
      marked = undefined
    })
    return yield* sql
      .withTransaction(Effect.andThen(unmark, claim(request, key, mark)))
      .pipe(Effect.onError(() => unmark))
  }, storing("an idempotency key was looked up"))

  /** The call ended without an answer: another daemon may have its key. In the background, for the store may be why it failed. */
  const free = (workId: string) =>
    replica_id === null
      ? Effect.void
      : Effect.suspend(() =>
          running.has(workId)
            ? Effect.void
            : Effect.asVoid(
                sql`UPDATE idempotency SET replica_id = NULL WHERE work_id = ${workId} AND replica_id = ${replica_id}`
              )
        ).pipe(Effect.retry(Schedule.spaced(FREE_AGAIN)), Effect.forkIn(scope), Effect.asVoid)

  const keep = Effect.fnUntraced(function* (workId: string, { status, body, headers }: StoredAnswer) {
    const answered_at = yield* Clock.currentTimeMillis
    const headers_json = headers === undefined ? null : JSON.stringify(headers)
    yield* sql`UPDATE idempotency SET ${sql.update({ state: "done", status, body, headers_json, answered_at })} WHERE work_id = ${workId}`
  }, storing("an answer was kept for its idempotency key"))

  const run = Effect.fn("Idempotency.run")(function* <E, R>(
    request: Request,
    call: (workId: string) => Effect.Effect<StoredAnswer, E, R>
  ) {
    const { key } = request
    if (key === undefined) {
      return { answer: yield* call(yield* randomId(WORK_PREFIX[request.operation], random)), replayed: false }
    }
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const found = yield* claimed(request, key)
        if ("answer" in found) return { answer: found.answer, replayed: true }
        return yield* restore(call(found.workId)).pipe(
          Effect.tap((answer) => keep(found.workId, answer)),
          Effect.map((answer) => ({ answer, replayed: false })),
          Effect.onExit((exit) => {
            running.delete(found.workId)
            return Exit.isSuccess(exit) ? Effect.void : free(found.workId)
          })
        )
      })
    )
  })

  yield* prune.pipe(
    Effect.catch((error) => Effect.logWarning(error.message)),
    Effect.schedule(Schedule.spaced(PRUNE_EVERY)),
    Effect.forkScoped
  )
  return Idempotency.of({ run })
})

export const layer: Layer.Layer<Idempotency, never, SqlClient.SqlClient | SecureRandom.SecureRandom> = Layer.effect(
  Idempotency,
  make
)

const answerOf = (status: number, body: string, headers: string | null): StoredAnswer =>
  headers === null ? { status, body } : { status, body, headers: JSON.parse(headers) as Record<string, string> }
