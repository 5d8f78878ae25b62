/** One look for all who ask at the same time, and never an answer from before the question. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeShared } from "../../../packages/daemon/src/evm/Shared.ts"

const start = { startImmediately: true } as const

describe("Shared", () => {
  it.effect("a crowd that asks while a look is under way costs one more, begun after they asked", () =>
    Effect.gen(function* () {
      const shared = makeShared<number, never>()
      const gates = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let looks = 0
      const look = Effect.suspend(() => {
        const n = looks++
        return Effect.as(Deferred.await(gates[n]!), n)
      })
      const first = yield* Effect.forkChild(shared.ask("key", look), start)
      const crowd = yield* Effect.forEach(Array.from({ length: 64 }), () =>
        Effect.forkChild(shared.ask("key", look), start)
      )
      assert.strictEqual(looks, 1)
      yield* Deferred.succeed(gates[0]!, undefined)
      assert.deepStrictEqual(yield* Fiber.join(first), { value: 0, isShared: false })
      yield* Deferred.succeed(gates[1]!, undefined)
      const answers = yield* Effect.forEach(crowd, Fiber.join)
      assert.strictEqual(looks, 2)
      assert.deepStrictEqual([...new Set(answers.map(({ value }) => value))], [1])
      assert.strictEqual(answers.filter(({ isShared }) => isShared).length, 63)
    })
  )

  it.effect("whoever leaves takes nobody's answer away; when all have left the look ends", () =>
    Effect.gen(function* () {
      const shared = makeShared<string, never>()
      const gate = yield* Deferred.make<void>()
      let ended = 0
      const look = Effect.onInterrupt(Effect.as(Deferred.await(gate), "answer"), () => Effect.sync(() => void ended++))
      const first = yield* Effect.forkChild(shared.ask("key", look), start)
      const second = yield* Effect.forkChild(shared.ask("key", look), start)
      yield* Fiber.interrupt(first)
      assert.strictEqual(ended, 1)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(second)).value, "answer")
      assert.strictEqual((yield* shared.ask("key", look)).value, "answer")
    })
  )

  it.effect("a failure is told to those who asked, and the next one looks again", () =>
    Effect.gen(function* () {
      const shared = makeShared<string, string>()
      assert.strictEqual(yield* Effect.flip(shared.ask("key", Effect.fail("down"))), "down")
      assert.strictEqual((yield* shared.ask("key", Effect.succeed("up"))).value, "up")
    })
  )
})
