/** Confirmations, and what becomes of a commit whose block falls out of the chain: before it counted as made, and after it was charged. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted } from "effect"
import { bytesToHex, type Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { eventsOf } from "../../../packages/daemon/src/commits/CommitHistory.ts"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { recordOne, rig } from "./FaultRig.ts"
import {
  ANVIL_CHAIN,
  type anvilWithContract,
  callerNamed,
  creditsOf,
  eventually,
  historyOf,
  jobOf,
  order,
  profileAt,
  record,
  WALLETS
} from "./LedgerFixture.ts"

type Anvil = Effect.Success<ReturnType<typeof anvilWithContract>>

/** Replaces the newest `depth` blocks by empty ones; their transactions are gone, from the pool too. */
const reorg = ({ steer }: Anvil, depth: number) =>
  Effect.promise(() => steer.request({ method: "anvil_reorg", params: [depth, []] } as never))
const mine = ({ steer }: Anvil, blocks: number) => Effect.promise(() => steer.mine({ blocks }))

const onChain = (url: string, confirmations: number, watchBlocks = 0) => ({
  networks: { profile: profileAt(url), confirmations, watchBlocks }
})

/** Without the state `sent`, which is passed over when the receipt is quick. */
const storyOf = (id: string) =>
  Effect.map(historyOf(id), (events) => events.filter((what) => what !== "sent" && what !== "queued"))

/** Records a commit, which is charged with it. */
const recordAndCharge = Effect.fnUntraced(function* (id: string) {
  return yield* record(yield* order(yield* callerNamed("alice"), id))
})

describe.skipIf(isAnvilMissing)("a commit that needs three confirmations", () => {
  it.live("counts as made only with two blocks on top of its own, and says until then that it is in a block", () =>
    Effect.gen(function* () {
      const { anvil, proxy, run } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          const recording = yield* Effect.forkChild(recordOne("one"))
          const job = yield* eventually(jobOf("one"), (found) => (found?.block_number ?? null) !== null)
          assert.strictEqual(job?.state, "sent")
          yield* mine(anvil, 1)
          yield* Effect.sleep("700 millis")
          assert.strictEqual((yield* jobOf("one"))?.state, "sent")
          yield* mine(anvil, 1)
          const entry = yield* yield* Fiber.join(recording)
          assert.strictEqual(entry.blockNumber, Number(job?.block_number))
          assert.strictEqual((yield* jobOf("one"))?.state, "mined")
          assert.deepStrictEqual(yield* storyOf("one"), ["signed", "in_block", "mined"])
        }),
        onChain(proxy.url, 3)
      )
      assert.strictEqual(new Set(proxy.sent).size, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is sent again, the very same bytes, when its block falls out of the chain before; its history says so", () =>
    Effect.gen(function* () {
      const { anvil, mined, proxy, run } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          const recording = yield* Effect.forkChild(recordOne("one"))
          const before = yield* eventually(jobOf("one"), (found) => (found?.block_number ?? null) !== null)
          yield* reorg(anvil, 1)
          yield* eventually(storyOf("one"), (story) => story.filter((what) => what === "in_block").length === 2)
          yield* mine(anvil, 2)
          const entry = yield* yield* Fiber.join(recording)
          assert.strictEqual(entry.txHash, before?.tx_hash)
          assert.deepStrictEqual(yield* storyOf("one"), ["signed", "in_block", "reorganised", "in_block", "mined"])
          const events = yield* eventsOf("one")
          const [first, second] = events.filter(({ what }) => what === "in_block")
          assert.notStrictEqual(first?.blockHash, second?.blockHash)
          assert.strictEqual(entry.blockHash, second?.blockHash)
        }),
        onChain(proxy.url, 3)
      )
      assert.strictEqual(new Set(proxy.sent).size, 1)
      assert.isAtLeast(proxy.sent.length, 2)
      assert.strictEqual(yield* mined, 1)
    }).pipe(Effect.scoped)
  )

  it.live("that waits for them when the daemon ends is waited for by the next one, and paid for once", () =>
    Effect.gen(function* () {
      const { anvil, proxy, run } = yield* rig()
      const options = onChain(proxy.url, 3)
      yield* run(
        Effect.gen(function* () {
          yield* Effect.forkChild(recordOne("one"))
          yield* eventually(jobOf("one"), (found) => (found?.block_number ?? null) !== null)
        }),
        options
      )
      yield* mine(anvil, 2)
      yield* run(
        Effect.gen(function* () {
          const job = yield* eventually(jobOf("one"), (found) => found?.hold_state === "captured")
          assert.deepInclude({ ...job }, { state: "mined", hold_state: "captured" })
          assert.deepStrictEqual(yield* storyOf("one"), ["signed", "in_block", "mined"])
        }),
        options
      )
      assert.strictEqual(new Set(proxy.sent).size, 1)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(isAnvilMissing)("a commit that was recorded and charged", () => {
  it.live("is sent again when its block falls out of the chain, and nothing is charged a second time", () =>
    Effect.gen(function* () {
      const { anvil, mined, proxy, run } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          const before = yield* recordAndCharge("one")
          const credits = yield* creditsOf("alice")
          const charged = yield* jobOf("one")
          yield* reorg(anvil, 1)
          assert.isNull(yield* receiptOf(anvil, before.txHash))
          yield* eventually(storyOf("one"), (story) => story.length === 4)
          assert.deepStrictEqual(yield* storyOf("one"), ["signed", "mined", "reorganised", "mined"])
          const after = yield* jobOf("one")
          assert.deepInclude(
            { ...after },
            { state: "mined", tx_hash: before.txHash, captured: charged?.captured ?? null }
          )
          const receipt = yield* receiptOf(anvil, before.txHash)
          assert.strictEqual(Number(after?.block_number), Number(receipt?.blockNumber))
          assert.strictEqual(yield* creditsOf("alice"), credits)
          const again = yield* yield* recordOne("one")
          assert.strictEqual(again.blockHash, receipt?.blockHash)
        }),
        onChain(proxy.url, 1, 12)
      )
      assert.strictEqual(new Set(proxy.sent).size, 1)
      assert.strictEqual(yield* mined, 1)
    }).pipe(Effect.scoped)
  )

  it.live(
    "keeps the gas it was charged for when the second time costs another amount, and its history says who pays",
    () =>
      Effect.gen(function* () {
        const { anvil, proxy, run } = yield* rig()
        yield* run(
          Effect.gen(function* () {
            const before = yield* recordAndCharge("one")
            const charged = yield* jobOf("one")
            yield* Effect.promise(() => anvil.steer.setAutomine(false))
            yield* reorg(anvil, 1)
            const pool = Effect.promise(() => anvil.steer.getTxpoolStatus())
            yield* eventually(pool, ({ pending }) => pending === 1)
            const { baseFeePerGas } = yield* Effect.promise(() => anvil.client.getBlock())
            yield* Effect.promise(() =>
              anvil.steer.setNextBlockBaseFeePerGas({ baseFeePerGas: ((baseFeePerGas ?? 0n) * 3n) / 2n })
            )
            yield* mine(anvil, 1)
            const after = yield* eventually(jobOf("one"), (job) => job?.state === "mined")
            assert.strictEqual(after?.gas_price, charged?.gas_price)
            assert.strictEqual(after?.captured, charged?.captured)
            const receipt = yield* receiptOf(anvil, before.txHash)
            assert.notStrictEqual(receipt?.effectiveGasPrice.toString(), charged?.gas_price)
            const last = (yield* eventsOf("one")).at(-1)
            assert.include(last?.detail, `${before.gasPaid} were charged when it was first recorded`)
            assert.include(last?.detail, "the difference is the service's")
          }),
          onChain(proxy.url, 1, 12)
        )
      }).pipe(Effect.scoped)
  )

  it.live("is sent again although as many as may be under way wait for its nonce", () =>
    Effect.gen(function* () {
      const { anvil, mined, proxy, run } = yield* rig()
      const others = Array.from({ length: 20 }, (_, n) => `other ${n}`)
      yield* run(
        Effect.gen(function* () {
          yield* recordAndCharge("one")
          yield* reorg(anvil, 1)
          const exits = yield* Effect.forEach(others, (id) => recordOne(id), { concurrency: "unbounded" })
          assert.isTrue(exits.every(Exit.isSuccess))
          yield* eventually(storyOf("one"), (story) => story.length === 4)
        }),
        onChain(proxy.url, 1, 12)
      )
      assert.strictEqual(yield* mined, 1 + others.length)
    }).pipe(Effect.scoped)
  )

  it.live("is found by the next daemon when its block fell out of the chain while none was there", () =>
    Effect.gen(function* () {
      const { anvil, mined, proxy, run } = yield* rig()
      const options = onChain(proxy.url, 1, 12)
      yield* run(Effect.andThen(recordAndCharge("one"), recordAndCharge("two")), options)
      yield* reorg(anvil, 2)
      assert.strictEqual(yield* mined, 0)
      yield* run(
        Effect.gen(function* () {
          for (const id of ["one", "two"]) {
            yield* eventually(storyOf(id), (story) => story.length === 4)
            assert.deepStrictEqual(yield* storyOf(id), ["signed", "mined", "reorganised", "mined"])
          }
        }),
        options
      )
      assert.strictEqual(new Set(proxy.sent).size, 2)
      assert.strictEqual(yield* mined, 2)
    }).pipe(Effect.scoped)
  )

  it.live("whose nonce somebody else took meanwhile ends as displaced, charged as it was, for a person to settle", () =>
    Effect.gen(function* () {
      const { anvil, mined, proxy, run } = yield* rig()
      const options = onChain(proxy.url, 1, 12)
      yield* run(recordAndCharge("one"), options)
      yield* reorg(anvil, 1)
      const foreign = privateKeyToAccount(bytesToHex(Redacted.value(WALLETS.privateKey(0))))
      yield* Effect.promise(async () => {
        const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n } as const
        const serializedTransaction = await foreign.signTransaction({
          ...{ chainId: ANVIL_CHAIN, nonce: 0, to: foreign.address, gas: 21_000n, type: "eip1559" },
          ...fees
        })
        await anvil.client.sendRawTransaction({ serializedTransaction })
      })
      assert.strictEqual(yield* eventually(mined, (count) => count === 1), 1)
      yield* run(
        Effect.gen(function* () {
          const job = yield* eventually(jobOf("one"), (found) => found?.state === "displaced")
          assert.deepInclude({ ...job }, { state: "displaced", hold_state: "captured" })
          assert.deepStrictEqual(yield* storyOf("one"), ["signed", "mined", "reorganised", "displaced"])
          assert.isTrue(Exit.isSuccess(yield* recordOne("two")))
          assert.strictEqual((yield* jobOf("two"))?.nonce?.toString(), "1")
        }),
        options
      )
    }).pipe(Effect.scoped)
  )

  it.live("is let go of when enough blocks stand on its own, and its node is asked no more", () =>
    Effect.gen(function* () {
      const { anvil, proxy, run } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          yield* recordAndCharge("one")
          yield* mine(anvil, 1)
          yield* Effect.sleep("1500 millis")
          assert.strictEqual((yield* jobOf("one"))?.watched, 1)
          yield* mine(anvil, 1)
          assert.strictEqual((yield* eventually(jobOf("one"), (job) => job?.watched === 0))?.watched, 0)
          const asked = proxy.calls("eth_getBlockByNumber") + proxy.calls("eth_blockNumber")
          yield* Effect.sleep("2500 millis")
          assert.strictEqual(proxy.calls("eth_getBlockByNumber") + proxy.calls("eth_blockNumber"), asked)
        }),
        onChain(proxy.url, 1, 2)
      )
    }).pipe(Effect.scoped)
  )

  it.live("is not looked after where the settings say so", () =>
    Effect.gen(function* () {
      const { proxy, run } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          assert.isTrue(Exit.isSuccess(yield* recordOne("one")))
          assert.strictEqual((yield* jobOf("one"))?.watched, 0)
          const asked = proxy.calls("eth_getBlockByNumber")
          yield* Effect.sleep("1500 millis")
          assert.strictEqual(proxy.calls("eth_getBlockByNumber"), asked)
        }),
        onChain(proxy.url, 1, 0)
      )
      assert.strictEqual(proxy.calls("eth_blockNumber"), 0)
    }).pipe(Effect.scoped)
  )
})

const receiptOf = ({ client }: Anvil, hash: string) =>
  Effect.promise(() => client.getTransactionReceipt({ hash: hash as Hex }).catch(() => null))
