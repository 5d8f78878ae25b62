/** What an account may store: refused before reading and while reading, the same bytes once, and never more by uploads at the same time. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import type { AccountId } from "@treemark/core"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Assets } from "../../../packages/daemon/src/content/Assets.ts"
import {
  StorageQuota,
  StorageQuotaReached,
  TokenStorageQuota
} from "../../../packages/daemon/src/content/StorageQuota.ts"
import { tempFolder } from "../store/TempStore.ts"
import { assetsLayer, bytesOf, keyStream } from "./ContentFixture.ts"

const LIMIT = 1_000
const ALICE = "acc_alice" as AccountId
const BOB = "acc_bob" as AccountId

const TOKENS = ["tok_one", "tok_two"]

const withQuota = <A, E>(
  limit: number,
  use: Effect.Effect<A, E, Layer.Success<ReturnType<typeof assetsLayer>>>,
  perToken = 0
) =>
  Effect.gen(function* () {
    const home = yield* tempFolder
    const accounts = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [place, id] of [ALICE, BOB].entries()) {
        const row = { id, name: id, service_name: id, wallet_index: place + 1, wallet: `0x${place}`, created_at: 0 }
        yield* sql`INSERT INTO account ${sql.insert(row)}`
      }
      for (const id of TOKENS) {
        yield* sql`INSERT INTO access_token ${sql.insert({ id, account_id: ALICE, token_hash: createHash("sha256").update(id).digest("hex"), label: "", created_at: 0 })}`
      }
    })
    return yield* Effect.andThen(accounts, use).pipe(
      Effect.provide(
        Layer.provide(
          assetsLayer(home),
          Layer.merge(Layer.succeed(StorageQuota, limit), Layer.succeed(TokenStorageQuota, perToken))
        )
      )
    )
  }).pipe(Effect.scoped)

const upload = <E = never>(
  name: string,
  size: number,
  more: {
    readonly by?: AccountId
    readonly declared?: number
    readonly bytes?: Stream.Stream<Uint8Array, E>
    readonly token?: string
  } = {}
) =>
  Effect.flatMap(Assets, (assets) =>
    assets.register({
      bytes: more.bytes ?? keyStream(name, size),
      fileName: undefined,
      contentType: undefined,
      accountId: more.by ?? ALICE,
      uploaded: { declaredSize: more.declared ?? 0, tokenId: more.token }
    })
  )

const stored = (account: AccountId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly sum: number; readonly kept: number }>`SELECT stored_bytes AS kept,
      (SELECT COALESCE(SUM(bytes), 0) FROM holding WHERE account_id = ${account}) AS sum FROM account WHERE id = ${account}`
    assert.strictEqual(Number(row!.sum), Number(row!.kept))
    return Number(row!.kept)
  })

const refused = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, StorageQuotaReached)
    return error as StorageQuotaReached
  })

describe("the quota of an account", () => {
  it.live("counts the same bytes once, for each account that registers them, up to the last byte", () =>
    withQuota(
      LIMIT,
      Effect.gen(function* () {
        yield* upload("a", 600)
        yield* upload("a", 600, { declared: 600 })
        assert.strictEqual(yield* stored(ALICE), 600)
        yield* upload("b", 400, { declared: 400 })
        assert.strictEqual(yield* stored(ALICE), LIMIT)
        yield* refused(upload("c", 1))
        yield* upload("a", 600, { by: BOB })
        assert.strictEqual(yield* stored(BOB), 600)
      })
    )
  )

  it.live("refuses what will not fit before a byte is read, and says limit, use and what to do", () =>
    withQuota(
      LIMIT,
      Effect.gen(function* () {
        yield* upload("a", 600)
        const never = Stream.die(new Error("the bytes were read"))
        const error = yield* refused(upload("b", 0, { declared: 401, bytes: never }))
        assert.match(error.message, /may store 1 kB \(1000 bytes\) and has stored 600 bytes, so 400 bytes are left/u)
        assert.match(error.message, /storage_quota/u)
        assert.strictEqual(yield* stored(ALICE), 600)
      })
    )
  )

  it.live("refuses a file whose size nobody said as soon as it is too large, and registers nothing of it", () =>
    withQuota(
      LIMIT,
      Effect.gen(function* () {
        let read = 0
        const endless = Stream.tap(Stream.forever(Stream.succeed(new Uint8Array(100))), () =>
          Effect.sync(() => {
            read += 100
          })
        )
        yield* refused(upload("endless", 0, { bytes: endless }))
        assert.isAtMost(read, LIMIT + 100)
        assert.deepStrictEqual(yield* (yield* Assets).list, [])
        assert.strictEqual(yield* stored(ALICE), 0)
        yield* upload("a", LIMIT)
      })
    )
  )

  it.live(
    "reads a file of a size that the account has, since it may be that file, and refuses another one at its end",
    () =>
      withQuota(
        LIMIT,
        Effect.gen(function* () {
          const first = yield* upload("a", LIMIT)
          assert.deepStrictEqual(yield* upload("a", LIMIT, { declared: LIMIT }), first)
          yield* refused(upload("b", LIMIT, { declared: LIMIT }))
          assert.strictEqual((yield* (yield* Assets).list).length, 1)
          assert.strictEqual(yield* stored(ALICE), LIMIT)
        })
      )
  )

  it.live("keeps room for uploads under way, and gives it back when they end, whatever became of them", () =>
    withQuota(
      LIMIT,
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const file = yield* bytesOf(keyStream("slow", 700))
        const slow = Stream.fromEffect(
          Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go)), file)
        )
        const uploading = yield* Effect.forkChild(upload("slow", 0, { declared: 700, bytes: slow }))
        yield* Deferred.await(begun)
        assert.match((yield* refused(upload("b", 400, { declared: 400 }))).message, /700 bytes are reserved/u)
        yield* refused(upload("b", 400))
        yield* upload("b", 400, { by: BOB })
        yield* upload("c", 300)
        yield* Fiber.interrupt(uploading)
        yield* upload("d", 700)
        assert.strictEqual(yield* stored(ALICE), LIMIT)
      })
    )
  )

  it.live("holds for uploads at the same time whose sizes nobody said", () =>
    withQuota(
      LIMIT,
      Effect.gen(function* () {
        const ends = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (n) => Effect.exit(upload(`file ${n}`, 300)), {
          concurrency: "unbounded"
        })
        const made = ends.filter(({ _tag }) => _tag === "Success").length
        assert.isAtMost(made, 3)
        assert.strictEqual(yield* stored(ALICE), made * 300)
      })
    )
  )

  it.live("has the last word in the store, where another daemon may have filled it meanwhile", () =>
    withQuota(
      LIMIT,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const elsewhere = Effect.orDie(sql`UPDATE account SET stored_bytes = 800 WHERE id = ${ALICE}`)
        const bytes = Stream.concat(Stream.fromEffect(Effect.as(elsewhere, new Uint8Array(200))), keyStream("b", 100))
        const error = yield* refused(upload("b", 0, { bytes }))
        assert.strictEqual(error.used, 800)
        assert.deepStrictEqual(yield* (yield* Assets).list, [])
      })
    )
  )

  it.live("is not for what the owner of the machine registers, which is counted all the same", () =>
    withQuota(
      LIMIT,
      Effect.gen(function* () {
        const file = { fileName: undefined, contentType: undefined, accountId: ALICE }
        yield* (yield* Assets).register({ ...file, bytes: keyStream("own", 5_000) })
        assert.strictEqual(yield* stored(ALICE), 5_000)
        yield* refused(upload("a", 1))
      })
    )
  )

  it.live("of 0 is none", () =>
    withQuota(
      0,
      Effect.gen(function* () {
        yield* upload("a", 5_000, { declared: 5_000 })
        assert.strictEqual(yield* stored(ALICE), 5_000)
      })
    )
  )

  it.live("of a token bounds what is sent with it, beside the account's, and each says which it was", () =>
    withQuota(
      LIMIT,
      Effect.gen(function* () {
        const [one, two] = TOKENS
        const sql = yield* SqlClient.SqlClient
        const by = (id = "") =>
          Effect.map(sql<{ readonly n: number }>`SELECT stored_bytes AS n FROM access_token WHERE id = ${id}`, (rows) =>
            Number(rows[0]?.n)
          )
        yield* upload("a", 500, { token: one!, declared: 500 })
        const before = yield* refused(upload("b", 200, { token: one!, declared: 200, bytes: Stream.die("read") }))
        assert.match(before.message, /storage of this token\. The token may store 600 bytes.*token_storage_quota/u)
        yield* refused(upload("b", 200, { token: one! }))
        yield* upload("a", 500, { token: two!, declared: 500 })
        assert.deepStrictEqual([yield* by(one), yield* by(two)], [500, 0])
        yield* upload("b", 450, { token: two! })
        const full = yield* refused(upload("c", 100, { token: one! }))
        assert.match(full.message, /storage of this account/u)
        assert.deepStrictEqual([yield* stored(ALICE), yield* by(one), yield* by(two)], [950, 500, 450])
      }),
      600
    )
  )
})
