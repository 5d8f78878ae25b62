/** Turns: how many go at a time, in which order, when a turn ends, and that one who is stuck stops nobody for long. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { inFlow, onDisk } from "../../../packages/daemon/src/store/Flow.ts"
import { Turns } from "../../../packages/daemon/src/store/Turns.ts"
import { opened } from "./GroupFixture.ts"

const SOON = "15 millis"

/** Milliseconds that nobody here waits for a turn. */
const FOREVER = 60_000

/** Work that says when it begins, and ends when it is told to. */
const workers = (turns: Turns) => {
  const begun: Array<number> = []
  const start = Effect.fnUntraced(function* (id: number) {
    const done = yield* Deferred.make<void, string>()
    const work = Effect.andThen(
      Effect.sync(() => begun.push(id)),
      Deferred.await(done)
    )
    const fiber = yield* Effect.forkChild(turns.withTurn(() => work))
    return { done, fiber }
  })
  /** Ends when so many have begun, however busy the machine is. */
  const until = (count: number) => Effect.repeat(Effect.sleep(1), { until: () => begun.length >= count })
  return { begun, start, until }
}

describe("turns", () => {
  it.live("are had by so many at a time, first come first served", () =>
    Effect.gen(function* () {
      const { begun, start, until } = workers(new Turns(2, FOREVER))
      const all = yield* Effect.forEach([1, 2, 3, 4], start)
      yield* Effect.sleep(SOON)
      assert.deepStrictEqual(begun, [1, 2])
      yield* Deferred.succeed(all[1]!.done, undefined)
      yield* until(3)
      assert.deepStrictEqual(begun, [1, 2, 3])
      yield* Deferred.succeed(all[0]!.done, undefined)
      yield* until(4)
      assert.deepStrictEqual(begun, [1, 2, 3, 4])
    })
  )

  it.live("are given back by work that fails, is interrupted, or stops waiting", () =>
    Effect.gen(function* () {
      const { begun, start, until } = workers(new Turns(1, FOREVER))
      const failing = yield* start(1)
      yield* until(1)
      const waiting = yield* start(2)
      const interrupted = yield* start(3)
      yield* start(4)
      yield* Effect.sleep(SOON)
      yield* Fiber.interrupt(waiting.fiber)
      yield* Deferred.fail(failing.done, "no")
      yield* until(2)
      assert.deepStrictEqual(begun, [1, 3])
      assert.isTrue(Exit.isFailure(yield* Fiber.await(failing.fiber)))
      yield* Fiber.interrupt(interrupted.fiber)
      yield* until(3)
      assert.deepStrictEqual(begun, [1, 3, 4])
    })
  )

  it.live("end only once, however often they are ended", () =>
    Effect.gen(function* () {
      const turns = new Turns(1, FOREVER)
      const { begun, start } = workers(turns)
      yield* turns.withTurn((turn) =>
        Effect.sync(() => {
          turn.end()
          turn.end()
        })
      )
      yield* Effect.forEach([1, 2], start)
      yield* Effect.sleep(SOON)
      assert.deepStrictEqual(begun, [1])
    })
  )

  it.live("are not waited for longer than a moment, and nobody who went on without one gives one back", () =>
    Effect.gen(function* () {
      const patience = 40
      const { begun, start, until } = workers(new Turns(1, patience))
      const stuck = yield* start(1)
      const second = yield* start(2)
      yield* until(2)
      yield* Deferred.succeed(second.done, undefined)
      yield* Fiber.join(second.fiber)
      const since = performance.now()
      yield* start(3)
      yield* until(3)
      assert.isAbove(performance.now() - since, patience - 5)
      assert.deepStrictEqual(begun, [1, 2, 3])
      yield* Deferred.succeed(stuck.done, undefined)
    })
  )

  it.live("of a flow end when it is on the disk, before it sends, and with a flow that sends nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* opened
        const turns = new Turns(1, FOREVER)
        const sent = yield* Deferred.make<void>()
        const told: Array<string> = []
        const tell = (what: string) => Effect.sync(() => told.push(what))
        const sending = Effect.andThen(onDisk, Effect.andThen(tell("first sends"), Deferred.await(sent)))
        const first = yield* Effect.forkChild(inFlow(Effect.andThen(Effect.sleep(SOON), sending), turns))
        yield* Effect.sleep(1)
        const silent = yield* Effect.forkChild(inFlow(Effect.andThen(tell("second begins"), Effect.sleep(SOON)), turns))
        const third = yield* Effect.forkChild(inFlow(tell("third begins"), turns))
        yield* Fiber.join(silent)
        yield* Fiber.join(third)
        assert.deepStrictEqual(told, ["first sends", "second begins", "third begins"])
        yield* Deferred.succeed(sent, undefined)
        yield* Fiber.join(first)
      })
    )
  )
})
