/** Transactions that share a COMMIT, on a real file, watched by a second connection that sees only what was committed. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { opened } from "./WriterFixture.ts"

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/** Runs all of them as fibers of this moment, and answers how each ended. */
const together = (
  works: ReadonlyArray<Effect.Effect<unknown, unknown>>
): Effect.Effect<ReadonlyArray<Exit.Exit<unknown, unknown>>> =>
  Effect.all(
    works.map((work) => Effect.exit(work)),
    { concurrency: "unbounded" }
  )

describe("the writer", () => {
  it.live("gives transactions of one moment one COMMIT, and answers none before it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { commits, committed, sql } = yield* opened
        const add = (id: number) =>
          sql.withTransaction(sql`INSERT INTO one VALUES (${id})`).pipe(
            Effect.andThen(committed),
            Effect.map((seen) => assert.include(seen, id, "answered before it was committed"))
          )
        for (const exit of yield* together(numbers(20).map(add))) assert.isTrue(Exit.isSuccess(exit))
        assert.isAtMost(commits.count, 3)
        yield* add(20)
        assert.strictEqual((yield* committed).length, 21)
      })
    )
  )

  it.live("gives statements outside a transaction the same: none is answered before it is committed", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { commits, committed, sql } = yield* opened
        const add = (id: number) =>
          sql`INSERT INTO one VALUES (${id})`.pipe(
            Effect.andThen(committed),
            Effect.map((seen) => assert.include(seen, id))
          )
        for (const exit of yield* together(numbers(20).map(add))) assert.isTrue(Exit.isSuccess(exit))
        assert.isAtMost(commits.count, 3)
        const rows = yield* sql<{ readonly n: number }>`SELECT count(*) AS n FROM one`
        assert.strictEqual(rows[0]?.n, 20)
      })
    )
  )

  it.live("undoes a transaction that fails, and nothing of its neighbours", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { committed, sql } = yield* opened
        const add = (id: number) => {
          const isRefused: Effect.Effect<void, string> = id % 2 === 0 ? Effect.void : Effect.fail("refused")
          return sql.withTransaction(
            sql`INSERT INTO one VALUES (${id})`.pipe(
              Effect.andThen(sql.withTransaction(sql`INSERT INTO one VALUES (${100 + id})`)),
              Effect.andThen(isRefused)
            )
          )
        }
        const exits = yield* together(numbers(10).map(add))
        assert.deepStrictEqual(
          exits.map(Exit.isSuccess),
          numbers(10).map((id) => id % 2 === 0)
        )
        assert.deepStrictEqual(yield* committed, [0, 2, 4, 6, 8, 100, 102, 104, 106, 108])
      })
    )
  )

  it.live("fails the one transaction that lets a COMMIT fail, and nobody who shares it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { committed, database, sql } = yield* opened
        const orphan = sql.withTransaction(sql`INSERT INTO part VALUES (77)`)
        const good = sql.withTransaction(sql`INSERT INTO one VALUES (1)`)
        const exits = yield* together([good, orphan])
        assert.deepStrictEqual(exits.map(Exit.isFailure), [false, true])
        assert.deepStrictEqual(yield* committed, [1])
        assert.isFalse(database.isTransaction)
        yield* sql.withTransaction(sql`INSERT INTO one VALUES (2)`)
        assert.deepStrictEqual(yield* committed, [1, 2])
      })
    )
  )

  it.live("fails the one whose transaction SQLite ended by itself, and goes on", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { committed, database, sql } = yield* opened
        const good = sql.withTransaction(sql`INSERT INTO one VALUES (1)`)
        const ending = sql.withTransaction(Effect.sync(() => database.exec("ROLLBACK")))
        const exits = yield* together([good, ending])
        assert.deepStrictEqual(exits.map(Exit.isFailure), [false, true])
        yield* sql.withTransaction(sql`INSERT INTO one VALUES (2)`)
        assert.deepStrictEqual(yield* committed, [1, 2])
      })
    )
  )

  it.live("lets a reader outside wait for what is open: it sees what is on the disk and nothing else", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { committed, sql } = yield* opened
        const [inside, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const add = sql`INSERT INTO one VALUES (1)`.pipe(
          Effect.andThen(Deferred.succeed(inside, undefined)),
          Effect.andThen(Deferred.await(go)),
          sql.withTransaction
        )
        const adding = yield* Effect.forkScoped(add)
        yield* Deferred.await(inside)
        const reading = yield* Effect.forkScoped(sql<{ readonly id: number }>`SELECT id FROM one`)
        assert.deepStrictEqual(yield* committed, [])
        yield* Deferred.succeed(go, undefined)
        assert.deepStrictEqual(
          (yield* Fiber.join(reading)).map(({ id }) => id),
          [1]
        )
        yield* Fiber.join(adding)
      })
    )
  )

  it.live("runs what is neither read nor write with no transaction open", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { committed, sql } = yield* opened
        const insert = sql`INSERT INTO one VALUES (5)`
        yield* together([insert, sql`PRAGMA wal_checkpoint(TRUNCATE)`, sql`VACUUM`])
        assert.deepStrictEqual(yield* committed, [5])
      })
    )
  )
})
