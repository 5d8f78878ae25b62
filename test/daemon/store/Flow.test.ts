/** Steps of a flow on a real file: how many COMMITs they cost, what is on the disk when, and what a COMMIT that fails takes with it. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import { inFlow, onDisk, outsideFlow, step } from "../../../packages/daemon/src/store/Flow.ts"
import { opened } from "./GroupFixture.ts"

const add = (sql: SqlClient.SqlClient, id: number) => sql.withTransaction(sql`INSERT INTO one VALUES (${id})`)
/** Does not refer to anything, so that the COMMIT fails. */
const orphan = (sql: SqlClient.SqlClient) => sql.withTransaction(sql`INSERT INTO part VALUES (77)`)

/** Longer than a COMMIT that nobody waits for may wait. */
const LATER = "60 millis"

describe("a flow", () => {
  it.live("has one COMMIT for its steps, transactions and statements, and ends when they are on the disk", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { commits, committed, sql } = yield* opened
        const seen = yield* inFlow(
          step(add(sql, 1)).pipe(
            Effect.andThen(step(sql`INSERT INTO one VALUES (2)`)),
            Effect.andThen(sql`SELECT id FROM one`),
            Effect.andThen(step(add(sql, 3))),
            Effect.andThen(committed)
          )
        )
        assert.deepStrictEqual(seen, [])
        assert.deepStrictEqual(yield* committed, [1, 2, 3])
        assert.strictEqual(commits.count, 1)
      })
    )
  )

  it.live("goes on from a change that is no step, or from onDisk, with all before it on the disk", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { commits, committed, sql } = yield* opened
        const [afterChange, afterWait] = yield* inFlow(
          Effect.gen(function* () {
            yield* step(add(sql, 1))
            yield* add(sql, 2)
            const afterChange = yield* committed
            yield* step(add(sql, 3))
            yield* onDisk
            return [afterChange, yield* committed] as const
          })
        )
        assert.deepStrictEqual(
          [afterChange, afterWait],
          [
            [1, 2],
            [1, 2, 3]
          ]
        )
        assert.strictEqual(commits.count, 2)
        yield* onDisk
      })
    )
  )

  it.live("does not leave a step that nobody waits for in the open for long", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { committed, sql } = yield* opened
        const seen = yield* inFlow(Effect.andThen(step(add(sql, 1)), Effect.andThen(Effect.sleep(LATER), committed)))
        assert.deepStrictEqual(seen, [1])
      })
    )
  )

  it.live("without one, and once it has ended, a step waits like any transaction", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { committed, sql } = yield* opened
        yield* step(add(sql, 1))
        assert.deepStrictEqual(yield* committed, [1])
        const ended = yield* Deferred.make<void>()
        const late = Deferred.await(ended).pipe(Effect.andThen(step(add(sql, 2))), Effect.andThen(committed))
        const fiber = yield* inFlow(Effect.forkScoped(late))
        yield* Deferred.succeed(ended, undefined)
        assert.deepStrictEqual(yield* Fiber.join(fiber), [1, 2])
      })
    )
  )

  it.live("that lost a step is refused everything that follows, and what was not lost can be cleared up", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { commits, committed, sql } = yield* opened
        yield* add(sql, 1)
        const cleared = Effect.orDie(outsideFlow(add(sql, 9)))
        const exit = yield* Effect.exit(
          inFlow(
            Effect.gen(function* () {
              yield* step(add(sql, 2))
              yield* step(orphan(sql))
              yield* Effect.sleep(LATER)
              assert.isTrue(Exit.isFailure(yield* Effect.exit(onDisk)))
              assert.isTrue(Exit.isFailure(yield* Effect.exit(step(add(sql, 3)))))
              assert.isTrue(Exit.isFailure(yield* Effect.exit(add(sql, 4))))
              assert.isTrue(Exit.isFailure(yield* Effect.exit(sql`INSERT INTO one VALUES (5)`)))
              yield* cleared
            })
          )
        )
        assert.isTrue(Exit.isFailure(exit))
        assert.deepStrictEqual(yield* committed, [1, 9])
        assert.strictEqual(commits.count, 3)
        yield* inFlow(step(add(sql, 2)))
        assert.deepStrictEqual(yield* committed, [1, 2, 9])
      })
    )
  )

  it.live("that is lost at its very end fails there, and what was to be done in that case is done", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { committed, sql } = yield* opened
        const again = yield* Deferred.make<void>()
        const mend = add(sql, 2).pipe(
          Effect.orDie,
          Effect.andThen(Deferred.succeed(again, undefined)),
          Effect.forkDetach
        )
        const exit = yield* Effect.exit(inFlow(Effect.andThen(step(add(sql, 2), mend), step(orphan(sql)))))
        assert.isTrue(Exit.isFailure(exit))
        yield* Deferred.await(again)
        assert.deepStrictEqual(yield* committed, [2])
      })
    )
  )

  it.live("whose own change failed with no step behind it goes on: the change can be tried again", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { committed, sql } = yield* opened
        yield* inFlow(
          Effect.gen(function* () {
            yield* step(add(sql, 1))
            yield* onDisk
            assert.isTrue(Exit.isFailure(yield* Effect.exit(orphan(sql))))
            yield* add(sql, 2)
            yield* step(add(sql, 3))
            assert.isTrue(Exit.isFailure(yield* Effect.exit(orphan(sql))))
            assert.isTrue(Exit.isFailure(yield* Effect.exit(add(sql, 4))))
          })
        ).pipe(Effect.exit)
        assert.deepStrictEqual(yield* committed, [1, 2])
      })
    )
  )

  it.live("loses nothing by the loss of another flow's later COMMIT", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { committed, sql } = yield* opened
        yield* inFlow(Effect.andThen(step(add(sql, 1)), onDisk))
        yield* Effect.exit(inFlow(step(orphan(sql))))
        yield* inFlow(Effect.andThen(step(add(sql, 2)), step(add(sql, 3))))
        assert.deepStrictEqual(yield* committed, [1, 2, 3])
      })
    )
  )
})
