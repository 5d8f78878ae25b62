/** Who goes first when not all can be worked on: paid calls, then those with a token, then the rest; fair among callers; bounded. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Option } from "effect"
import {
  Admission,
  AdmissionBounds,
  type AdmissionClass,
  type Bounds
} from "../../../../packages/daemon/src/http/edge/Admission.ts"

const bounds = (of: Partial<Bounds>): Bounds => ({
  working: 1,
  crowded: 1,
  pause: 0,
  queued: 100,
  ofCaller: 100,
  patience: Duration.seconds(30),
  ...of
})

const admission = (all: { readonly [name in AdmissionClass]: Bounds }) =>
  Admission.layer.pipe(Layer.provide(Layer.succeed(AdmissionBounds, all)))

/** Calls that wait until they are let go; `begun` is the order in which they were. */
const makeCalls = Effect.gen(function* () {
  const { turn } = yield* Admission
  const begun: Array<string> = []
  const call = Effect.fnUntraced(function* (kind: AdmissionClass, who: string, name: string) {
    const gate = yield* Deferred.make<void>()
    const work = Effect.andThen(
      Effect.sync(() => begun.push(name)),
      Deferred.await(gate)
    )
    const fiber = yield* Effect.forkChild(Effect.exit(turn(kind, who, work)), { startImmediately: true })
    return { fiber, end: Effect.andThen(Deferred.succeed(gate, undefined), Fiber.join(fiber)) }
  })
  return { begun, call }
})

describe("admission", () => {
  it.live("callers of a class take turns, however many calls each has waiting", () =>
    Effect.gen(function* () {
      const { begun, call } = yield* makeCalls
      const calls = [yield* call("paid", "many", "many 0")]
      for (const n of [1, 2, 3]) calls.push(yield* call("paid", "many", `many ${n}`))
      calls.push(yield* call("paid", "one", "one 1"), yield* call("paid", "two", "two 1"))
      for (const { end } of [calls[0]!, calls[1]!, calls[4]!, calls[5]!, calls[2]!, calls[3]!]) yield* end
      assert.deepStrictEqual(begun, ["many 0", "many 1", "one 1", "two 1", "many 2", "many 3"])
    }).pipe(Effect.provide(admission({ paid: bounds({}), token: bounds({}), open: bounds({}) })))
  )

  it.live("while paid calls are under way the others get one place each, and pause after each call", () =>
    Effect.gen(function* () {
      const { begun, call } = yield* makeCalls
      const paid = yield* call("paid", "payer", "paid")
      const first = yield* call("open", "a", "open 1")
      yield* call("open", "b", "open 2")
      const holder = yield* call("token", "c", "token 1")
      assert.deepStrictEqual(begun, ["paid", "open 1", "token 1"])
      yield* Effect.sleep("20 millis")
      yield* first.end
      yield* call("paid", "payer", "paid 2")
      assert.deepStrictEqual(begun, ["paid", "open 1", "token 1", "paid 2"])
      yield* holder.end
      yield* paid.end
      yield* Effect.sync(() => begun.includes("open 2")).pipe(
        Effect.delay("5 millis"),
        Effect.repeat({ until: (found) => found })
      )
    }).pipe(
      Effect.provide(
        admission({
          paid: bounds({ working: 9 }),
          token: bounds({ working: 9 }),
          open: bounds({ working: 9, pause: 5 })
        })
      )
    )
  )

  it.live(
    "a caller with too many calls waiting is 429, a full queue and lost patience are 503, each with Retry-After",
    () =>
      Effect.gen(function* () {
        const { call } = yield* makeCalls
        const working = yield* call("open", "a", "working")
        const waiting = yield* call("open", "a", "waiting")
        const codeOf = Effect.fnUntraced(function* (who: string) {
          const exit = yield* Fiber.join((yield* call("open", who, "refused")).fiber)
          const error = Option.getOrUndefined(Exit.findErrorOption(exit))
          return [error?.code, error?.headers?.["retry-after"]]
        })
        assert.deepStrictEqual(yield* codeOf("a"), ["too_many_requests", "3"])
        yield* call("open", "b", "waiting too")
        assert.deepStrictEqual(yield* codeOf("c"), ["overloaded", "3"])
        const late = yield* Fiber.join(waiting.fiber)
        assert.isTrue(Exit.isFailure(late))
        yield* working.end
      }).pipe(
        Effect.provide(
          admission({
            paid: bounds({}),
            token: bounds({}),
            open: bounds({ queued: 2, ofCaller: 1, patience: Duration.millis(300) })
          })
        )
      )
  )

  it.live("whoever leaves while waiting, or while being worked on, makes room", () =>
    Effect.gen(function* () {
      const { begun, call } = yield* makeCalls
      const first = yield* call("open", "a", "first")
      const second = yield* call("open", "b", "second")
      const third = yield* call("open", "c", "third")
      yield* Fiber.interrupt(second.fiber)
      yield* Fiber.interrupt(first.fiber)
      assert.deepStrictEqual(begun, ["first", "third"])
      yield* third.end
      yield* (yield* call("open", "d", "fourth")).end
      assert.deepStrictEqual(begun, ["first", "third", "fourth"])
    }).pipe(Effect.provide(admission({ paid: bounds({}), token: bounds({}), open: bounds({}) })))
  )
})
