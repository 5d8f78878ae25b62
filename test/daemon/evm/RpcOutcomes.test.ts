/** What a node's answer says about a commit's fate, one answer at a time; those that cut off or hang are in Faults.test.ts. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit } from "effect"
import { type Hex, parseGwei } from "viem"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { errorOf, RECEIPT, recordOne, rig, SEND } from "../commits/FaultRig.ts"
import type { Fault } from "../commits/FaultyProxy.ts"
import { eventually, historyOf, jobOf } from "../commits/LedgerFixture.ts"

const refused = (message: string): Fault => ({ error: { code: -32000, message } })

describe.skipIf(isAnvilMissing)("a node that answers a send with an error", () => {
  for (const message of ["already known", "nonce too low: next nonce 1, tx nonce 0", "transaction already imported"]) {
    it.live(`has the transaction when it says "${message}" of one it took before, and the commit is recorded`, () =>
      Effect.gen(function* () {
        const { anvil, mined, proxy, run } = yield* rig()
        proxy.plan = async (method, n, [raw]) => {
          if (method !== SEND || n !== 1) return undefined
          await anvil.client.sendRawTransaction({ serializedTransaction: raw as Hex })
          return refused(message)
        }
        yield* run(
          Effect.gen(function* () {
            assert.isTrue(Exit.isSuccess(yield* recordOne("one")))
            assert.strictEqual((yield* jobOf("one"))?.state, "mined")
          })
        )
        assert.strictEqual(yield* mined, 1)
      }).pipe(Effect.scoped)
    )
  }

  it.live("keeps its nonce when that is occupied in the pool, and is recorded once it is not", () =>
    Effect.gen(function* () {
      const { mined, proxy, run } = yield* rig()
      proxy.plan = (method, n) =>
        method === SEND && n <= 2 ? refused("replacement transaction underpriced") : undefined
      yield* run(
        Effect.gen(function* () {
          assert.isTrue(Exit.isSuccess(yield* recordOne("one")))
          assert.strictEqual((yield* jobOf("one"))?.nonce?.toString(), "0")
        })
      )
      assert.strictEqual(new Set(proxy.sent).size, 1)
      assert.strictEqual(yield* mined, 1)
    }).pipe(Effect.scoped)
  )

  for (const [what, fault, says] of [
    ["it is too busy (429)", { status: 429, headers: { "retry-after": "60" } }, "asks for fewer requests (HTTP 429)"],
    ["the fee is below what it takes", refused("transaction underpriced"), "(transaction underpriced)"],
    ["the wallet cannot pay", refused("insufficient funds for gas * price + value"), "(insufficient funds"],
    [
      "the fee is below the base fee",
      refused("max fee per gas less than block base fee"),
      "(max fee per gas less than block base fee)"
    ]
  ] as const) {
    it.live(`says why, and nothing is charged and no nonce lost, when ${what}`, () =>
      Effect.gen(function* () {
        const { mined, proxy, run } = yield* rig()
        proxy.plan = (method, n) => (method === SEND && n === 1 ? fault : undefined)
        yield* run(
          Effect.gen(function* () {
            const error = errorOf(yield* recordOne("one"))
            assert.strictEqual(error._tag, "LedgerUnavailable")
            assert.include(error.message, says)
            assert.deepInclude({ ...(yield* jobOf("one")) }, { state: "refused", nonce: null, raw_tx: null })
            assert.include(yield* historyOf("one"), "refused")
            assert.isTrue(Exit.isSuccess(yield* recordOne("two")))
            assert.strictEqual((yield* jobOf("two"))?.nonce?.toString(), "0")
          })
        )
        assert.strictEqual(yield* mined, 1)
      }).pipe(Effect.scoped)
    )
  }
})

describe.skipIf(isAnvilMissing)("a node that is busy for a moment", () => {
  it.live("and turns a send away (429) is asked again with the same bytes: the commit is made", () =>
    Effect.gen(function* () {
      const { mined, proxy, run } = yield* rig()
      proxy.plan = (method, n) =>
        method === SEND && n <= 2 ? { status: 429, headers: { "retry-after": "1" } } : undefined
      yield* run(Effect.map(recordOne("one"), (exit) => assert.isTrue(Exit.isSuccess(exit))))
      assert.strictEqual(proxy.calls(SEND), 3)
      assert.strictEqual(new Set(proxy.sent).size, 1)
      assert.strictEqual(yield* mined, 1)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(isAnvilMissing)("a node behind a balancer", () => {
  it.live("that lags behind the one that took the transaction makes no commit twice and no nonce wrong", () =>
    Effect.gen(function* () {
      const { mined, proxy, run } = yield* rig()
      let receipts = 0
      proxy.plan = (method, n) => {
        if (method === "eth_getTransactionCount" && n > 1) return { result: "0x0" }
        if (method === "eth_blockNumber") return { result: "0x0" }
        return method === RECEIPT && ++receipts % 5 !== 0 ? { result: null } : undefined
      }
      yield* run(
        Effect.gen(function* () {
          for (const [nonce, id] of ["one", "two", "three"].entries()) {
            assert.isTrue(Exit.isSuccess(yield* recordOne(id)))
            assert.strictEqual((yield* jobOf(id))?.nonce?.toString(), `${nonce}`)
          }
        })
      )
      assert.strictEqual(new Set(proxy.sent).size, 3)
      assert.strictEqual(yield* mined, 3)
    }).pipe(Effect.scoped)
  )

  it.live("that asks for patience (429) when it is asked for a receipt is asked again", () =>
    Effect.gen(function* () {
      const { mined, proxy, run } = yield* rig()
      proxy.plan = (method, n) => (method === RECEIPT && n <= 6 ? { status: 429 } : undefined)
      yield* run(Effect.flatMap(recordOne("one"), (exit) => Effect.sync(() => assert.isTrue(Exit.isSuccess(exit)))))
      assert.isAtLeast(proxy.calls(RECEIPT), 7)
      assert.strictEqual(yield* mined, 1)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(isAnvilMissing)("a transaction that fails in its block", () => {
  it.live("for want of gas is a failure that says so, free of charge, and its nonce is spent", () =>
    Effect.gen(function* () {
      const { mined, proxy, run } = yield* rig()
      proxy.plan = (method, n) =>
        method === "eth_estimateGas" && n === 1 ? { result: `0x${(31_500).toString(16)}` } : undefined
      yield* run(
        Effect.gen(function* () {
          const error = errorOf(yield* recordOne("one"))
          assert.include(error.message, "ran out of gas")
          assert.strictEqual((yield* jobOf("one"))?.state, "reverted")
          assert.include(yield* historyOf("one"), "reverted")
          assert.isTrue(Exit.isSuccess(yield* recordOne("two")))
          assert.strictEqual((yield* jobOf("two"))?.nonce?.toString(), "1")
        })
      )
      assert.strictEqual(yield* mined, 2)
    }).pipe(Effect.scoped)
  )

  it.live("is not signed at all while gas costs more than the operator allows", () =>
    Effect.gen(function* () {
      const { anvil, proxy, run } = yield* rig()
      yield* Effect.promise(() => anvil.steer.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei("5000") }))
      yield* Effect.promise(() => anvil.steer.mine({ blocks: 1 }))
      yield* run(
        Effect.gen(function* () {
          assert.include(errorOf(yield* recordOne("one")).message, "more than the 1000 gwei the operator allows")
          yield* eventually(jobOf("one"), (job) => job === undefined || job.state === "refused")
        }),
        { deadline: Duration.millis(500) }
      )
      assert.strictEqual(proxy.calls(SEND), 0)
    }).pipe(Effect.scoped)
  )
})
