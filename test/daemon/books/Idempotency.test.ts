/** Idempotency keys on a real store: one answer and one piece of work per key, through failures, interruptions and restarts. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { AccountId, StorageUnavailable } from "@treemark/core"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { Idempotency, StoredAnswer } from "../../../packages/daemon/src/books/Idempotency.ts"
import * as IdempotencySql from "../../../packages/daemon/src/books/IdempotencySql.ts"
import { setWritable, storeLayer, tempFolder } from "../store/TempStore.ts"
import { keyed } from "./Keyed.ts"

const ALICE = AccountId.make(`acc_${"a".repeat(20)}`)
const BOB = AccountId.make(`acc_${"b".repeat(20)}`)
const BODY = "1".repeat(64)
const ANSWER: StoredAnswer = { status: 200, body: '{"txHash":"0x1","note":"ü"}', headers: {} }

const accounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const [n, id] of [ALICE, BOB].entries()) {
    const row = { id, name: id, service_name: id, wallet_index: n + 1, wallet: `0x${n}`, created_at: 0 }
    yield* sql`INSERT INTO account ${sql.insert(row)} ON CONFLICT DO NOTHING`
  }
})

const daemonLayer = (filename: string) =>
  Layer.mergeAll(IdempotencySql.layer, Layer.effectDiscard(accounts)).pipe(
    Layer.provideMerge(Layer.mergeAll(storeLayer(filename), SecureRandom.layerWebCrypto))
  )

const withKeys = <A, E>(use: Effect.Effect<A, E, Idempotency | SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const filename = join(yield* tempFolder, "treemark.db")
    return yield* Effect.provide(use, daemonLayer(filename))
  }).pipe(Effect.scoped)

const request = { accountId: ALICE, operation: "commit", key: "k" as string | undefined, fingerprint: BODY } as const
type Request = Parameters<Idempotency["Service"]["run"]>[0]

const run = <E>(call: (workId: string) => Effect.Effect<StoredAnswer, E>, over: Partial<Request> = {}) =>
  keyed({ ...request, ...over }, call)

const answering =
  (seen: Array<string>, answer = ANSWER) =>
  (workId: string) =>
    Effect.sync(() => {
      seen.push(workId)
      return answer
    })

describe("idempotency keys", () => {
  it.live("the same call again gets the stored answer, marked as replayed, and is not made again", () =>
    withKeys(
      Effect.gen(function* () {
        const seen: Array<string> = []
        assert.deepStrictEqual(yield* run(answering(seen)), { answer: ANSWER, replayed: false })
        assert.deepStrictEqual(yield* run(answering(seen)), { answer: ANSWER, replayed: true })
        assert.strictEqual(seen.length, 1)
      })
    )
  )

  it.live("without a key every call is made, each as work of its own", () =>
    withKeys(
      Effect.gen(function* () {
        const seen: Array<string> = []
        for (const _ of [1, 2]) {
          assert.deepStrictEqual(yield* run(answering(seen), { key: undefined }), { answer: ANSWER, replayed: false })
        }
        assert.strictEqual(new Set(seen).size, 2)
      })
    )
  )

  it.live("a key belongs to its account and its operation: elsewhere it is another key", () =>
    withKeys(
      Effect.gen(function* () {
        const seen: Array<string> = []
        yield* run(answering(seen))
        assert.isFalse((yield* run(answering(seen), { accountId: BOB })).replayed)
        assert.isFalse((yield* run(answering(seen), { operation: "balance-all-networks" })).replayed)
        assert.strictEqual(new Set(seen).size, 3)
      })
    )
  )

  it.live("the same key with another body is refused, whether the first call was answered or failed", () =>
    withKeys(
      Effect.gen(function* () {
        yield* run(answering([]))
        yield* Effect.flip(run(() => Effect.fail("pending"), { key: "failed" }))
        for (const key of ["k", "failed"]) {
          const error = yield* Effect.flip(run(answering([]), { key, fingerprint: "2".repeat(64) }))
          assert.deepInclude(error, { _tag: "IdempotencyKeyReused", key })
        }
      })
    )
  )

  it.live("while the call runs the key is in use, also for one of 20 calls at the same moment", () =>
    withKeys(
      Effect.gen(function* () {
        const end = yield* Deferred.make<void>()
        let [made, refused] = [0, 0]
        const slow = () => Effect.sync(() => made++).pipe(Effect.andThen(Deferred.await(end)), Effect.as(ANSWER))
        const countRefusal = (error: { readonly _tag: string }) =>
          Effect.suspend(() => {
            assert.strictEqual(error._tag, "IdempotencyKeyInUse")
            refused++
            return refused === 19 ? Effect.asVoid(Deferred.succeed(end, undefined)) : Effect.void
          })
        yield* Effect.all(
          Array.from({ length: 20 }, () => run(slow).pipe(Effect.catch(countRefusal))),
          { concurrency: "unbounded" }
        ).pipe(Effect.timeout("5 minutes"))
        assert.deepStrictEqual([made, refused], [1, 19])
        assert.isTrue((yield* run(answering([]))).replayed)
      })
    )
  )

  it.live("a call that failed frees the key, and the next one does the same work", () =>
    withKeys(
      Effect.gen(function* () {
        const seen: Array<string> = []
        const failing = (workId: string) =>
          Effect.suspend(() => {
            seen.push(workId)
            return Effect.fail("pending")
          })
        assert.strictEqual(yield* Effect.flip(run(failing)), "pending")
        assert.strictEqual(yield* Effect.flip(run(failing)), "pending")
        assert.isFalse((yield* run(answering(seen))).replayed)
        assert.isTrue((yield* run(answering(seen))).replayed)
        assert.strictEqual(seen.length, 3)
        assert.strictEqual(new Set(seen).size, 1)
      })
    )
  )

  it.live("a call that died or was interrupted frees the key too", () =>
    withKeys(
      Effect.gen(function* () {
        const seen: Array<string> = []
        yield* Effect.exit(run((workId) => Effect.die(new Error(String(seen.push(workId))))))
        const begun = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          run((workId) =>
            Effect.sync(() => seen.push(workId)).pipe(
              Effect.andThen(Deferred.succeed(begun, undefined)),
              Effect.andThen(Effect.never)
            )
          )
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        yield* run(answering(seen))
        assert.strictEqual(seen.length, 3)
        assert.strictEqual(new Set(seen).size, 1)
      })
    )
  )

  it.live("an answer that could not be kept fails the call, and the next one does the same work again", () =>
    withKeys(
      Effect.gen(function* () {
        const seen: Array<string> = []
        const refuseWrites = Effect.provide(setWritable(false), yield* Effect.context<SqlClient.SqlClient>())
        const error = yield* run((workId) => Effect.andThen(Effect.orDie(refuseWrites), answering(seen)(workId))).pipe(
          Effect.flip
        )
        yield* setWritable(true)
        assert.instanceOf(error, StorageUnavailable)
        assert.isFalse((yield* run(answering(seen))).replayed)
        assert.strictEqual(new Set(seen).size, 1)
      })
    )
  )

  it.live("after a restart answers are still there, and a call the old process was cut off in does the same work", () =>
    Effect.gen(function* () {
      const filename = join(yield* tempFolder, "treemark.db")
      const seen: Array<string> = []
      yield* Effect.gen(function* () {
        yield* run(answering([]))
        const begun = yield* Deferred.make<void>()
        yield* Effect.forkChild(
          run(
            (workId) =>
              Effect.sync(() => seen.push(workId)).pipe(
                Effect.andThen(Deferred.succeed(begun, undefined)),
                Effect.andThen(Effect.never)
              ),
            { key: "cut off" }
          )
        )
        yield* Deferred.await(begun)
      }).pipe(Effect.provide(daemonLayer(filename)))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* run(answering([])), { answer: ANSWER, replayed: true })
        yield* run(answering(seen), { key: "cut off" })
        assert.strictEqual(seen.length, 2)
        assert.strictEqual(new Set(seen).size, 1)
      }).pipe(Effect.provide(daemonLayer(filename)))
    }).pipe(Effect.scoped)
  )

  it.live("answers are kept for the retention and then removed; unanswered keys stay", () =>
    Effect.gen(function* () {
      const filename = join(yield* tempFolder, "treemark.db")
      const aged = (hours: number) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const ms = hours * 3_600_000
          yield* sql`UPDATE idempotency SET created_at = created_at - ${ms}, answered_at = answered_at - ${ms}`
          yield* IdempotencySql.prune
          const rows = yield* sql<{ readonly key: string }>`SELECT key FROM idempotency ORDER BY key`
          return rows.map((row) => row.key)
        })
      yield* Effect.gen(function* () {
        yield* run(answering([]))
        yield* Effect.flip(run(() => Effect.fail("pending"), { key: "pending" }))
        assert.deepStrictEqual(yield* aged(23.9), ["k", "pending"])
        assert.deepStrictEqual(yield* aged(0.2), ["pending"])
        yield* run(answering([]), { key: "pending" })
        assert.deepStrictEqual(yield* aged(23), ["pending"], "kept from the answer on, however old the key is")
        assert.deepStrictEqual(yield* aged(2), [])
      }).pipe(
        Effect.provide(daemonLayer(filename)),
        Effect.provideService(IdempotencySql.IdempotencyRetention, Duration.hours(24))
      )
    }).pipe(Effect.scoped)
  )
})
