/** The nonces of a wallet: each is given once, whatever the chain says later. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { giveBack, startAt, take } from "../../../packages/daemon/src/evm/Nonces.ts"
import { withStore } from "../store/TempStore.ts"

const lane = { chainId: 7_053_001, address: "0xc0" }

describe("the nonces of a wallet", () => {
  it.live("begin where the chain is, and never go back to where a node that lags says it is", () =>
    withStore(
      Effect.gen(function* () {
        yield* startAt(lane, 5)
        assert.strictEqual(yield* take(lane), 5)
        assert.strictEqual(yield* take(lane), 6)
        yield* startAt(lane, 3)
        assert.strictEqual(yield* take(lane), 7)
        yield* startAt(lane, 20)
        assert.strictEqual(yield* take(lane), 20)
        yield* startAt({ ...lane, chainId: 7_053_002 }, 0)
        assert.strictEqual(yield* take({ ...lane, chainId: 7_053_002 }), 0)
        assert.strictEqual(yield* take(lane), 21)
      })
    )
  )

  it.live("are given back only when no later one was taken", () =>
    withStore(
      Effect.gen(function* () {
        yield* startAt(lane, 0)
        assert.deepStrictEqual([yield* take(lane), yield* take(lane)], [0, 1])
        assert.isFalse(yield* giveBack(lane, 0))
        assert.isTrue(yield* giveBack(lane, 1))
        assert.isFalse(yield* giveBack(lane, 1))
        assert.strictEqual(yield* take(lane), 1)
      })
    )
  )
})
