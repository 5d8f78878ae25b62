/** What daemons on one database know of each other: who signs for a wallet, whose call a key or a hold belongs to, who is dead. */
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Exit, Fiber, Layer, Schedule, Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Holds } from "../../../packages/daemon/src/books/Holds.ts"
import type { StoredAnswer } from "../../../packages/daemon/src/books/Idempotency.ts"
import * as IdempotencySql from "../../../packages/daemon/src/books/IdempotencySql.ts"
import { type Lease, Leases } from "../../../packages/daemon/src/store/Leases.ts"
import { ReplicaId } from "../../../packages/daemon/src/store/Replica.ts"
import * as Replicas from "../../../packages/daemon/src/store/Replicas.ts"
import { isPostgresMissing, startPostgres } from "../../layers/PostgresCluster.ts"
import { bankLayer, hold, openAccount, TOKEN } from "../books/Bank.ts"
import { keyed } from "../books/Keyed.ts"
import { databaseUrl, SERVER, storeLayer, tempFolder } from "../store/TempStore.ts"

const LANE = { chainId: 1, address: "0xc0" }

/** A daemon's place on the database of `filename`, and its books; the transactions of the tests are the place's. */
const replica = Effect.fnUntraced(function* (filename: string, embedded = false) {
  const url = databaseUrl(filename)
  if (url === undefined) return yield* Effect.die(new Error("These tests need PostgreSQL."))
  const place = yield* Layer.build(
    Replicas.layer({ url, embedded }).pipe(
      Layer.provideMerge(Layer.mergeAll(storeLayer(filename), SecureRandom.layerWebCrypto))
    )
  )
  const books = Layer.mergeAll(IdempotencySql.layer, bankLayer(filename))
  return Context.merge(yield* Layer.build(Layer.provide(books, Layer.succeedContext(place))), place)
})

type Replica = Effect.Success<ReturnType<typeof replica>>

const storeName = Effect.map(tempFolder, (folder) => join(folder, "treemark.db"))
const twoReplicas = Effect.gen(function* () {
  const filename = yield* storeName
  const both = [yield* replica(filename), yield* replica(filename)] as const
  yield* Context.get(both[0], SqlClient.SqlClient).unsafe(STAY_DEAD)
  return both
})

/** Signs of life of the dead do not count, however long those who succeed them take. */
const STAY_DEAD = `DO $do$ BEGIN
  CREATE FUNCTION stay_dead() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF OLD.lease_until = 0 THEN RETURN NULL; END IF; RETURN NEW; END $$;
  CREATE TRIGGER stay_dead BEFORE UPDATE ON replica FOR EACH ROW EXECUTE FUNCTION stay_dead();
  END $do$`

const leasesOf = (one: Replica) => Context.get(one, Leases)
const inTransaction = <A, E>(one: Replica, work: Effect.Effect<A, E>) =>
  Context.get(one, SqlClient.SqlClient).withTransaction(work)

/** As if it had shown no sign of life for long, and showed none from now on. */
const declareDead = (one: Replica, by: Replica = one) => {
  const sql = Context.get(by, SqlClient.SqlClient)
  return sql`UPDATE replica SET lease_until = 0 WHERE id = ${Context.get(one, ReplicaId)}`
}

/** Takes the wallet for as long as the scope is open. */
const taken = Effect.fnUntraced(function* (one: Replica) {
  const lease = yield* Deferred.make<Lease>()
  const using = leasesOf(one).use(LANE, (mine) => Effect.andThen(Deferred.succeed(lease, mine), Effect.never))
  yield* Effect.forkScoped(using)
  return yield* Deferred.await(lease)
})

describe.skipIf(isPostgresMissing)("daemons on one database", () => {
  const scope = Scope.makeUnsafe()
  beforeAll(async () => {
    const { port } = await Effect.runPromise(Scope.provide(startPostgres, scope))
    process.env[SERVER] = `postgres://treemark@127.0.0.1:${port}`
  })
  afterAll(async () => {
    delete process.env[SERVER]
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it.live("one of them signs for a wallet while it lives; when it ends, the next one may at once", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoReplicas
      const trying = leasesOf(second).use(LANE, Effect.succeed)
      const epoch = yield* leasesOf(first).use(LANE, (lease) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(trying)
          assert.strictEqual(error._tag, "LeaseElsewhere")
          assert.include(error.message, "0xc0")
          yield* inTransaction(first, leasesOf(first).guard(lease))
          yield* leasesOf(first).use(LANE, (again) => Effect.sync(() => assert.deepStrictEqual(again, lease)))
          return lease.epoch
        })
      )
      assert.isAbove((yield* trying).epoch, epoch)
    }).pipe(Effect.scoped)
  )

  it.live("one that showed no sign of life is succeeded, and can neither sign nor send any more when it wakes up", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoReplicas
      const old = yield* taken(first)
      yield* declareDead(first)
      const successor = yield* taken(second)
      assert.strictEqual(successor.epoch, old.epoch + 1)
      const signing = yield* Effect.flip(inTransaction(first, leasesOf(first).guard(old)))
      assert.strictEqual(signing._tag, "LeaseLost")
      const sending = leasesOf(first).confirm(old).pipe(Effect.delay("100 millis"), Effect.forever, Effect.flip)
      const lost = yield* Effect.timeout(sending, "5 minutes")
      assert.include(lost.message, "has taken over the wallet 0xc0")
      yield* leasesOf(second).confirm(successor)
    }).pipe(Effect.scoped)
  )

  it.live("a wallet changes hands only after what is being signed for it has been stored", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoReplicas
      const old = yield* taken(first)
      const guarded = yield* Deferred.make<void>()
      const order: Array<string> = []
      const signing = inTransaction(
        first,
        Effect.gen(function* () {
          yield* leasesOf(first).guard(old)
          yield* declareDead(first, second)
          yield* Deferred.succeed(guarded, undefined)
          yield* Effect.sleep("300 millis")
          order.push("stored")
        })
      )
      const stored = yield* Effect.forkChild(signing)
      yield* Deferred.await(guarded)
      const trying = leasesOf(second).use(LANE, () => Effect.sync(() => order.push("succeeded")))
      yield* trying.pipe(Effect.delay("20 millis"), Effect.retry({ times: 10_000 }))
      yield* Fiber.join(stored)
      assert.deepStrictEqual(order, ["stored", "succeeded"])
    }).pipe(Effect.scoped)
  )

  it.live("a key that another living daemon works on is in use; when that one dies, the same work is done", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoReplicas
      const alice = yield* Effect.provide(openAccount("alice", TOKEN), first)
      const request = {
        accountId: alice.accountId,
        operation: "commit",
        key: "k",
        fingerprint: "1".repeat(64)
      } as const
      const calls = (one: Replica, call: (workId: string) => Effect.Effect<StoredAnswer>) =>
        Effect.provide(keyed(request, call), one)
      const begun = yield* Deferred.make<string>()
      const calling = calls(first, (workId) => Effect.andThen(Deferred.succeed(begun, workId), Effect.never))
      const call = yield* Effect.forkScoped(calling)
      const workId = yield* Deferred.await(begun)
      const again = calls(second, (id) => Effect.succeed({ status: 200, body: JSON.stringify(id) }))
      assert.strictEqual((yield* Effect.flip(again))._tag, "IdempotencyKeyInUse")
      yield* declareDead(first)
      const { answer, replayed } = yield* again
      assert.deepStrictEqual([answer.body, replayed], [JSON.stringify(workId), false])
      yield* Fiber.interrupt(call)
      assert.isTrue((yield* calls(first, () => Effect.die("made twice"))).replayed)
    }).pipe(Effect.scoped)
  )

  it.live("a call that failed frees its key for the others", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoReplicas
      const alice = yield* Effect.provide(openAccount("alice", TOKEN), first)
      const request = {
        accountId: alice.accountId,
        operation: "commit",
        key: "k",
        fingerprint: "1".repeat(64)
      } as const
      const failed = keyed(request, () => Effect.fail("no")).pipe(Effect.provide(first))
      assert.strictEqual(yield* Effect.flip(failed), "no")
      const again = keyed(request, () => Effect.succeed({ status: 200, body: "1" })).pipe(Effect.provide(second))
      const { answer } = yield* again.pipe(Effect.retry({ times: 10_000, schedule: Schedule.spaced("20 millis") }))
      assert.strictEqual(answer.status, 200)
    }).pipe(Effect.scoped)
  )

  it.live(
    "what a living daemon holds for its calls is not given back by one that starts; what a dead one held is",
    () =>
      Effect.gen(function* () {
        const [first, second] = yield* twoReplicas
        const made = yield* Effect.gen(function* () {
          return yield* hold(yield* openAccount("alice", TOKEN), TOKEN, "bal_1", "balance-all-networks")
        }).pipe(Effect.provide(first))
        const abandoned = Effect.gen(function* () {
          return yield* (yield* Holds).abandoned((yield* Clock.currentTimeMillis) + 1)
        }).pipe(Effect.provide(second))
        assert.deepStrictEqual(yield* abandoned, [])
        yield* declareDead(first)
        assert.deepStrictEqual(
          (yield* abandoned).map(({ id }) => id),
          [made.id]
        )
      }).pipe(Effect.scoped)
  )

  it.live("one with chains of its own does not start beside another, whichever of them has them", () =>
    Effect.forEach(
      [true, false],
      Effect.fnUntraced(function* (embedded) {
        const filename = yield* storeName
        yield* replica(filename, !embedded)
        const error = yield* Effect.flip(replica(filename, embedded))
        assert.instanceOf(error, Replicas.ChainNotShared)
        assert.include(error.message, "a profile whose networks are reached over HTTP")
      }),
      { concurrency: 2 }
    ).pipe(Effect.scoped)
  )
})
