/** What becomes of a commit when the node lies, hangs, cuts off or refuses: never two transactions, never a gap, never a lost hold. */
import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { formatTokens, Ledger, Prices } from "@treemark/core"
import { Effect, Exit, Fiber, Redacted } from "effect"
import { bytesToHex, type Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { errorOf, isCaptured, RECEIPT, recordOne, rig, SEND, shortDeadline } from "./FaultRig.ts"
import {
  ANVIL_CHAIN,
  callerNamed,
  creditsOf,
  eventually,
  jobOf,
  order,
  ROLE,
  record,
  TOKEN,
  WALLETS
} from "./LedgerFixture.ts"

describe.skipIf(isAnvilMissing)("a commit on a faulty node", () => {
  for (const [what, fault] of [
    ["the reply to the send is lost after the node took it", "reply-lost"],
    ["the connection is cut before the node hears of the send", "cut-before"],
    ["the node hangs on the send", "hang"],
    ["a gateway answers the send with 502", { status: 502 }]
  ] as const) {
    it.live(`is one transaction when ${what}`, () =>
      Effect.gen(function* () {
        const { proxy, run, mined } = yield* rig()
        proxy.plan = (method, n) => (method === SEND && n === 1 ? fault : undefined)
        yield* run(
          Effect.gen(function* () {
            assert.isTrue(Exit.isSuccess(yield* recordOne("one")))
            assert.strictEqual((yield* jobOf("one"))?.state, "mined")
          })
        )
        assert.strictEqual(new Set(proxy.sent).size, 1)
        assert.isAtLeast(proxy.calls(SEND), fault === "reply-lost" ? 1 : 2)
        assert.strictEqual(yield* mined, 1)
      }).pipe(Effect.scoped)
    )
  }

  it.live("is one transaction when the node knows of no receipt for a while", () =>
    Effect.gen(function* () {
      const { proxy, run, mined } = yield* rig()
      proxy.plan = (method, n) => (method === RECEIPT && n <= 8 ? { result: null } : undefined)
      yield* run(
        Effect.gen(function* () {
          assert.isTrue(Exit.isSuccess(yield* recordOne("one")))
        })
      )
      assert.strictEqual(new Set(proxy.sent).size, 1)
      assert.strictEqual(yield* mined, 1)
    }).pipe(Effect.scoped)
  )

  it.live("that was dropped from the node's pool is sent again, the very same bytes", () =>
    Effect.gen(function* () {
      const { anvil, proxy, run } = yield* rig(["--no-mining"])
      yield* run(
        Effect.gen(function* () {
          const recording = yield* Effect.forkChild(recordOne("one"))
          const job = yield* eventually(jobOf("one"), (found) => found?.state === "sent")
          const hash = job?.tx_hash as Hex
          yield* Effect.promise(() => anvil.steer.dropTransaction({ hash }))
          yield* eventually(
            Effect.sync(() => proxy.calls(SEND)),
            (calls) => calls > 1
          )
          yield* Effect.promise(() => anvil.steer.mine({ blocks: 1 }))
          const exit = yield* Fiber.join(recording)
          assert.strictEqual(Exit.isSuccess(exit) && exit.value.txHash, hash)
        })
      )
      assert.strictEqual(new Set(proxy.sent).size, 1)
    }).pipe(Effect.scoped)
  )

  it.live("past the deadline is pending; then the same id answers the final entry, and it is paid for once", () =>
    Effect.gen(function* () {
      const { proxy, run, mined } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          proxy.plan = (method) => (method === SEND ? "hang" : undefined)
          const pending = errorOf(yield* recordOne("one"))
          assert.strictEqual(pending._tag, "CommitPending")
          const before = yield* jobOf("one")
          assert.include(pending.message, `Commit one was sent as transaction ${before?.tx_hash}`)
          assert.strictEqual(before?.hold_state, "held")

          proxy.plan = () => undefined
          const job = yield* eventually(jobOf("one"), isCaptured)
          const again = yield* recordOne("one")
          const entry = yield* again
          assert.strictEqual(entry.txHash, before?.tx_hash)
          const charged = (yield* Prices).commit + entry.gasPaid
          assert.strictEqual(job?.captured, charged.toString())
          assert.strictEqual(formatTokens(yield* creditsOf("alice")), formatTokens(100n * TOKEN - charged))
        }),
        shortDeadline
      )
      assert.strictEqual(yield* mined, 1)
    }).pipe(Effect.scoped)
  )

  it.live("whose caller went away is finished and paid for all the same", () =>
    Effect.gen(function* () {
      const { anvil, run } = yield* rig(["--no-mining"])
      yield* run(
        Effect.gen(function* () {
          const caller = yield* Effect.forkChild(recordOne("one"))
          yield* eventually(jobOf("one"), (job) => job?.state === "sent")
          yield* Fiber.interrupt(caller)
          yield* Effect.promise(() => anvil.steer.mine({ blocks: 1 }))
          const job = yield* eventually(jobOf("one"), isCaptured)
          assert.strictEqual(job?.state, "mined")
          assert.strictEqual(job?.hold_state, "captured")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("that could not be signed before the deadline is withdrawn: nothing is sent, then or later", () =>
    Effect.gen(function* () {
      const { proxy, run } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          proxy.plan = (method) => (method === "eth_getTransactionCount" ? "hang" : undefined)
          const error = errorOf(yield* recordOne("one"))
          assert.strictEqual(error._tag, "LedgerUnavailable")
          assert.include(error.message, "could not be sent within 2s and was withdrawn")
          proxy.plan = () => undefined
          const asked = Effect.sync(() => proxy.calls("eth_getTransactionCount"))
          yield* eventually(asked, (calls) => calls > 1)
        }),
        shortDeadline
      )
      yield* run(
        Effect.gen(function* () {
          assert.isTrue(Exit.isSuccess(yield* recordOne("two")))
          const job = yield* jobOf("one")
          assert.deepInclude({ ...job }, { state: "refused", nonce: null, raw_tx: null })
        })
      )
      assert.strictEqual(proxy.calls(SEND), 1)
    }).pipe(Effect.scoped)
  )

  it.live("that the node refuses fails at once and gives its nonce back; the same id may be tried again", () =>
    Effect.gen(function* () {
      const { proxy, run, mined } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          const refusal = { error: { code: -32000, message: "txpool is full" } }
          proxy.plan = (method, n) => (method === SEND && n === 1 ? refusal : undefined)
          const error = errorOf(yield* recordOne("one"))
          assert.strictEqual(error._tag, "LedgerUnavailable")
          assert.include(error.message, "its node refused the transaction (txpool is full)")
          const refused = yield* jobOf("one")
          assert.deepInclude(refused, { state: "refused", nonce: null, raw_tx: null })

          assert.isTrue(Exit.isSuccess(yield* recordOne("two")))
          assert.strictEqual((yield* jobOf("two"))?.nonce, 0)
          assert.isTrue(Exit.isSuccess(yield* recordOne("one")))
          assert.strictEqual((yield* jobOf("one"))?.nonce, 1)
        })
      )
      assert.strictEqual(yield* mined, 2)
    }).pipe(Effect.scoped)
  )

  it.live("with a later one behind it keeps its nonce when it is refused, and both are mined", () =>
    Effect.gen(function* () {
      const { proxy, run, mined } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          proxy.plan = async (method, n) => {
            if (method !== SEND || n !== 1) return undefined
            while (proxy.calls(SEND) < 2) await setTimeout(5)
            return { error: { code: -32000, message: "txpool is full" } }
          }
          yield* callerNamed("alice")
          const exits = yield* Effect.forEach(["one", "two"], recordOne, { concurrency: "unbounded" })
          assert.isTrue(exits.every(Exit.isSuccess))
        })
      )
      assert.strictEqual(new Set(proxy.sent).size, 2)
      assert.strictEqual(yield* mined, 2)
    }).pipe(Effect.scoped)
  )

  it.live("that the contract reverts is a failure that says why", () =>
    Effect.gen(function* () {
      const { anvil, run } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const wanted = yield* order(yield* callerNamed("alice"), "one")
          yield* ledger.quote(ROLE, wanted)
          yield* Effect.promise(() =>
            anvil.steer.setCode({ address: "0x0000000000000000000000000000000000007053", bytecode: "0x5f5ffd" })
          )
          const error = yield* Effect.flip(record(wanted))
          assert.strictEqual(error._tag, "LedgerUnavailable")
          assert.include(error.message, "the contract refused the commit")
          assert.strictEqual((yield* jobOf("one"))?.state, "reverted")
          assert.strictEqual((yield* Effect.flip(record(wanted))).message, error.message)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("stops when another program used the wallet's nonce, and goes on after a restart", () =>
    Effect.gen(function* () {
      const { anvil, run, mined } = yield* rig()
      const foreign = privateKeyToAccount(bytesToHex(Redacted.value(WALLETS.privateKey(0))))
      yield* run(
        Effect.gen(function* () {
          assert.isTrue(Exit.isSuccess(yield* recordOne("one")))
          const raw = yield* Effect.promise(() =>
            foreign.signTransaction({
              chainId: ANVIL_CHAIN,
              nonce: 1,
              to: foreign.address,
              gas: 21_000n,
              maxFeePerGas: 10n ** 10n,
              maxPriorityFeePerGas: 1n,
              type: "eip1559"
            })
          )
          yield* Effect.promise(() => anvil.client.sendRawTransaction({ serializedTransaction: raw }))
          yield* eventually(mined, (count) => count === 2)
          const error = errorOf(yield* recordOne("two"))
          assert.include(error.message, "another program used the key of wallet")
          assert.strictEqual((yield* jobOf("two"))?.state, "displaced")
          const stopped = errorOf(yield* recordOne("three")).message
          assert.include(stopped, "Nothing more is signed")
          const entry = 'in docs/operations.md under "A foreign transaction took a nonce".'
          assert.include(stopped, entry)
          const runbook = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8")
          assert.include(runbook, "### A foreign transaction took a nonce")
          assert.include(runbook, "### A charged commit is lost")
        })
      )
      yield* run(
        Effect.gen(function* () {
          assert.isTrue(Exit.isSuccess(yield* recordOne("four")))
          assert.strictEqual((yield* jobOf("four"))?.nonce, 2)
        })
      )
      assert.strictEqual(yield* mined, 3)
    }).pipe(Effect.scoped)
  )

  it.live("is refused when the node serves another chain, and the message names both", () =>
    Effect.gen(function* () {
      const { proxy, run } = yield* rig()
      proxy.plan = (method) => (method === "eth_chainId" ? { result: "0x1" } : undefined)
      yield* run(
        Effect.gen(function* () {
          const error = yield* Effect.flip((yield* Ledger).quote(ROLE, { assetCid: "a", commitData: "{}" }))
          assert.strictEqual(error._tag, "LedgerUnavailable")
          assert.include(error.message, `serves chain 1, and the profile says chain ${ANVIL_CHAIN}`)
        })
      )
      assert.strictEqual(proxy.calls("eth_estimateGas"), 0)
    }).pipe(Effect.scoped)
  )
})
