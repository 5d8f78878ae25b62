/**
 * Layer of `Idempotency` on SQL. A key's row is stored with what its call begins and keeps the id of its work for good: a call that failed,
 * or that a crash cut off, runs again under the same id, so a commit that did reach the ledger is found there and not made twice.
 *
 * Which keys are running is known to the process that runs them: a stored key that nobody works on belongs to a call that ended, or to
 * a process that died, and is free. Daemons that share the store write their name into the row, and it counts while they live; a
 * daemon that was taken for dead and woke up does the same work under the same id, which is done once.
 */
import { type Call, IdempotencyKeyInUse } from "@treemark/core"
import { Clock, Context, Duration, Effect, Exit, Layer, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { byIndex } from "../store/Dialect.ts"
import { orderedId } from "../store/RandomId.ts"
import { isAlive, ReplicaId } from "../store/Replica.ts"
import { storing } from "../store/StorageFailure.ts"
import { IS_REMOVABLE } from "./Additions.ts"
import { Idempotency, IdempotencyKeyReused, type StoredAnswer } from "./Idempotency.ts"

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

const WORK_PREFIX = { commit: "cmt", "balance-all-networks": "bal", "balance-mainnet": "bal" } as const

const FREE_AGAIN = Duration.seconds(1)

const PRUNE_EVERY = Duration.hours(1)

/** Rows removed by one statement, so that nobody waits long behind a day's worth of them. */
const PRUNED_AT_ONCE = 200

/** Removes what is older than it needs to be; the layer does it every hour. */
export const prune = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const retention = Duration.toMillis(yield* IdempotencyRetention)
  const oldest = Effect.map(
    sql`DELETE FROM idempotency WHERE work_id IN (SELECT work_id FROM idempotency
      ${byIndex(sql, "idempotency_removable")} WHERE created_at < ${now - retention} AND ${sql.literal(IS_REMOVABLE)}
      AND (answered_at < ${now - retention} OR (answered_at IS NULL AND created_at < ${now - UNANSWERED * retention}))
      ORDER BY created_at LIMIT ${PRUNED_AT_ONCE}) RETURNING work_id`,
    (removed) => removed.length
  )
  yield* Effect.repeat(oldest, { until: (removed) => removed < PRUNED_AT_ONCE })
}).pipe(storing("old idempotency keys were removed"), Effect.withSpan("Idempotency.prune"))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const replica_id = yield* ReplicaId
  const scope = yield* Effect.scope
  /** The fingerprints of the calls that run here, by key. */
  const running = new Map<string, string>()

  /** The stored answer, or the call to make: under the id that the key has already, or a new one. */
  const look = Effect.fnUntraced(function* (request: Request, key: string) {
    const { accountId, fingerprint, operation } = request
    const [row] = yield* sql<Row>`SELECT fingerprint, work_id, status, body, headers_json, replica_id,
      ${isAlive(sql, "idempotency.replica_id")} AS lives FROM idempotency
      WHERE account_id = ${accountId} AND operation = ${operation} AND key = ${key}`
    const bound = { accountId, operation, key, fingerprint }
    if (row === undefined) {
      return { id: yield* orderedId(WORK_PREFIX[operation], random), key: bound, isNew: true } satisfies Call
    }
    if (row.fingerprint !== fingerprint) return yield* new IdempotencyKeyReused({ key })
    if (row.status !== null && row.body !== null) return answerOf(row.status, row.body, row.headers_json)
    if (row.replica_id !== replica_id && row.lives) return yield* new IdempotencyKeyInUse({ key })
    return { id: row.work_id, key: bound, isNew: false } satisfies Call
  }, storing("an idempotency key was looked up"))

  /** The call ended without an answer: another daemon may have its key. In the background, for the store may be why it failed. */
  const free = (workId: string, name: string) =>
    replica_id === null
      ? Effect.void
      : Effect.suspend(() =>
          running.has(name)
            ? Effect.void
            : Effect.asVoid(
                sql`UPDATE idempotency SET replica_id = NULL WHERE work_id = ${workId} AND replica_id = ${replica_id}`
              )
        ).pipe(Effect.retry(Schedule.spaced(FREE_AGAIN)), Effect.forkIn(scope), Effect.asVoid)

  const run = Effect.fn("Idempotency.run")(function* <E, R>(
    request: Request,
    call: (call: Call) => Effect.Effect<StoredAnswer, E, R>
  ) {
    const { fingerprint, key } = request
    if (key === undefined) {
      const id = yield* orderedId(WORK_PREFIX[request.operation], random)
      return { answer: yield* call({ id, key, isNew: true }), replayed: false }
    }
    const name = JSON.stringify([request.accountId, request.operation, key])
    const other = running.get(name)
    if (other !== undefined) {
      return yield* other === fingerprint ? new IdempotencyKeyInUse({ key }) : new IdempotencyKeyReused({ key })
    }
    running.set(name, fingerprint)
    let begun: string | undefined
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const found = yield* look(request, key)
        if ("body" in found) return { answer: found, replayed: true }
        begun = found.id
        return { answer: yield* restore(call(found)), replayed: false }
      }).pipe(
        Effect.onExit((exit) => {
          running.delete(name)
          return Exit.isFailure(exit) && begun !== undefined ? free(begun, name) : Effect.void
        })
      )
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
