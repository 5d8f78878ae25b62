/** The embedded store on a real file: transactions, waiting, interruption, fairness to the event loop, errors, file modes. */
import { stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { SqlClient } from "effect/sql"
import * as Sqlite from "../../../packages/daemon/src/store/Sqlite.ts"
import { storeLayer, tempFolder, withStore } from "./TempStore.ts"

const setSetting = Effect.fnUntraced(function* (key: string, value: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO settings ${sql.insert({ key, value })}`
})

const settings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    readonly key: string
    readonly value: string
  }>`SELECT key, value FROM settings ORDER BY key`
  return rows.map((row) => `${row.key}=${row.value}`)
})

/** Reads a number, does `between`, writes the number plus one: loses updates unless transactions are serial. */
const increment = Effect.fnUntraced(function* (between: Effect.Effect<void>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      const rows = yield* sql<{ readonly value: string }>`SELECT value FROM settings WHERE key = 'count'`
      yield* between
      yield* sql`UPDATE settings SET value = ${String(Number(rows[0]?.value) + 1)} WHERE key = 'count'`
    })
  )
})

/** At most so many pieces of work between two turns of the event loop: they are sixteen, one of each fiber. */
const TOGETHER = 100

/**
 * The most pieces of work that were done without a turn of the event loop, while 16 fibers each did `work` 500 times; unlike how late timers
 * ran, it is the same on a busy machine.
 */
const mostAtOnce = Effect.fnUntraced(function* <E, R>(work: Effect.Effect<unknown, E, R>) {
  let most = 0
  let now = 0
  let next: NodeJS.Immediate
  const turn = () => {
    most = Math.max(most, now)
    now = 0
    next = setImmediate(turn)
  }
  turn()
  const counted = Effect.tap(work, () => Effect.sync(() => now++))
  const fibers = Array.from({ length: 16 }, () => Effect.replicateEffect(counted, 500, { discard: true }))
  yield* Effect.all(fibers, { concurrency: "unbounded", discard: true })
  clearImmediate(next!)
  return Math.max(most, now)
})

describe("transactions of the embedded store", () => {
  it.live("a transaction that fails leaves nothing behind", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const failed = yield* sql
          .withTransaction(setSetting("a", "1").pipe(Effect.andThen(Effect.fail("refused"))))
          .pipe(Effect.flip)
        assert.strictEqual(failed, "refused")
        assert.deepStrictEqual(yield* settings, [])
      })
    )
  )

  it.live("a savepoint that fails rolls back alone, the transaction around it commits", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* setSetting("outer", "1")
            yield* sql
              .withTransaction(setSetting("inner", "1").pipe(Effect.andThen(Effect.fail("no"))))
              .pipe(Effect.flip)
          })
        )
        assert.deepStrictEqual(yield* settings, ["outer=1"])
      })
    )
  )

  it.live("32 concurrent read-modify-write transactions lose no update", () =>
    withStore(
      Effect.gen(function* () {
        yield* setSetting("count", "0")
        yield* Effect.all(
          Array.from({ length: 32 }, () => increment(Effect.yieldNow)),
          { concurrency: "unbounded", discard: true }
        )
        assert.deepStrictEqual(yield* settings, ["count=32"])
      })
    )
  )

  it.live(
    "an interrupted transaction rolls back and frees the connection, and so does one interrupted in the queue",
    () =>
      withStore(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const inside = yield* Deferred.make<void>()
          const holder = yield* Effect.forkChild(
            sql.withTransaction(
              setSetting("a", "1").pipe(
                Effect.andThen(Deferred.succeed(inside, undefined)),
                Effect.andThen(Effect.never)
              )
            )
          )
          yield* Deferred.await(inside)
          const queued = yield* Effect.forkChild(sql.withTransaction(setSetting("b", "1")))
          yield* Effect.sleep(10)
          yield* Fiber.interrupt(queued)
          yield* Fiber.interrupt(holder)
          yield* sql.withTransaction(setSetting("c", "1")).pipe(Effect.timeout("5 minutes"))
          assert.deepStrictEqual(yield* settings, ["c=1"])
        })
      )
  )

  it.live("a commit that breaks a deferred constraint fails and frees the connection", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const orphan = { entry_id: "none", account_id: "none", amount: "1" }
        const error = yield* sql
          .withTransaction(
            sql`PRAGMA defer_foreign_keys = ON`.pipe(Effect.andThen(sql`INSERT INTO posting ${sql.insert(orphan)}`))
          )
          .pipe(Effect.flip)
        assert.strictEqual(error.reason._tag, "ConstraintError")
        yield* sql.withTransaction(setSetting("after", "1"))
        assert.deepStrictEqual(yield* settings, ["after=1"])
      })
    )
  )

  it.live("16 fibers with queued transactions leave the event loop free: it comes round all the while", () =>
    withStore(
      Effect.gen(function* () {
        yield* setSetting("count", "0")
        assert.isBelow(yield* mostAtOnce(increment(Effect.void)), TOGETHER)
        assert.deepStrictEqual(yield* settings, ["count=8000"])
      })
    )
  )

  it.live("16 fibers that write without a transaction leave the event loop free too", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* setSetting("count", "0")
        const add = sql`UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'count'`
        assert.isBelow(yield* mostAtOnce(add), TOGETHER)
        assert.deepStrictEqual(yield* settings, ["count=8000"])
      })
    )
  )
})

describe("answers of the embedded store", () => {
  it.live("a duplicate primary key and a duplicate unique column are both a UniqueViolation", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* setSetting("a", "1")
        const key = yield* Effect.flip(setSetting("a", "2"))
        assert.strictEqual(key.reason._tag, "UniqueViolation")
        const account = { id: "acc_1", name: "n", service_name: "s", wallet_index: 1, wallet: "0x1", created_at: 0 }
        yield* sql`INSERT INTO account ${sql.insert(account)}`
        const name = yield* Effect.flip(sql`INSERT INTO account ${sql.insert({ ...account, id: "acc_2" })}`)
        assert.strictEqual(name.reason._tag, "UniqueViolation")
        assert.include(name.message, "UNIQUE constraint failed: account.")
      })
    )
  )

  it.live("rows, values, streams and raw results read the same data, and big integers when asked for", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* setSetting("a", "1")
        const select = sql<{ readonly key: string }>`SELECT key FROM settings`
        assert.deepStrictEqual(
          (yield* select).map((row) => row.key),
          ["a"]
        )
        assert.deepStrictEqual(yield* select.values, [["a"]])
        assert.deepStrictEqual(
          (yield* Stream.runCollect(select.stream)).map((row) => row.key),
          ["a"]
        )
        const raw = yield* sql`DELETE FROM settings`.raw
        assert.propertyVal(raw, "changes", 1)
        const huge = sql<{ readonly n: bigint }>`SELECT 9007199254740993 AS n`
        const rows = yield* huge.pipe(Effect.provideService(SqlClient.SafeIntegers, true))
        assert.strictEqual(rows[0]?.n, 9_007_199_254_740_993n)
        assert.strictEqual((yield* Effect.flip(huge))._tag, "SqlError")
      })
    )
  )

  it.live("a statement keeps answering after more distinct ones than the cache holds", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (let n = 0; n < 600; n++) {
          const rows = yield* sql.unsafe<{ readonly n: number }>(`SELECT ${n} AS n`)
          assert.strictEqual(rows[0]?.n, n)
        }
        assert.deepStrictEqual(yield* settings, [])
      })
    )
  )

  it.live("runs in WAL with synchronous=FULL and foreign keys, in files only the owner may read", () =>
    Effect.gen(function* () {
      const folder = join(yield* tempFolder, "home")
      const filename = join(folder, "treemark.db")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* setSetting("a", "1")
        assert.deepStrictEqual(yield* sql`PRAGMA journal_mode`.values, [["wal"]])
        assert.deepStrictEqual(yield* sql`PRAGMA synchronous`.values, [[2]])
        assert.deepStrictEqual(yield* sql`PRAGMA temp_store`.values, [[2]])
        assert.deepStrictEqual(yield* sql`PRAGMA foreign_keys`.values, [[1]])
        const modeOf = (path: string) => Effect.promise(async () => (await stat(path)).mode & 0o777)
        assert.strictEqual(yield* modeOf(folder), 0o700)
        for (const suffix of ["", "-wal", "-shm", ".lock"]) {
          assert.strictEqual(yield* modeOf(`${filename}${suffix}`), 0o600, suffix)
        }
      }).pipe(Effect.provide(storeLayer(filename)))
    }).pipe(Effect.scoped)
  )

  it.live("a file that is no database is refused with what to do", () =>
    Effect.gen(function* () {
      const filename = join(yield* tempFolder, "photo.db")
      yield* Effect.promise(() => writeFile(filename, "this is a photo, not a database ".repeat(64)))
      const error = yield* Effect.flip(Effect.provide(Effect.void, Sqlite.layer({ filename })))
      assert.strictEqual(error._tag, "StoreUnusable")
      assert.include(error.message, "not a Treemark data store")
    }).pipe(Effect.scoped)
  )
})
