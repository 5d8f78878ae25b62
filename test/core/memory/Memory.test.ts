/** The ports in memory as an embedding service meets them: a commit is made and proven, once for an id and a key, and costs nothing when it fails. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option } from "effect"
import { treeCidOf } from "../../../packages/core/src/asset-tree/Cid.ts"
import { addressOfPrivateKey } from "../../../packages/core/src/asset-tree/Signature.ts"
import type { Call } from "../../../packages/core/src/charging/Call.ts"
import { Charges } from "../../../packages/core/src/charging/Charges.ts"
import {
  credits,
  gas,
  heldCredits,
  heldTokens,
  revenue,
  tokens
} from "../../../packages/core/src/charging/ChartOfAccounts.ts"
import { commitAsset } from "../../../packages/core/src/commit/CommitAsset.ts"
import { AccountId, Caller } from "../../../packages/core/src/identity/Caller.ts"
import { walletAddress } from "../../../packages/core/src/identity/WalletAddress.ts"
import { ContentStore } from "../../../packages/core/src/ledger/ContentStore.ts"
import { Ledger, LedgerUnavailable } from "../../../packages/core/src/ledger/Ledger.ts"
import { Registration } from "../../../packages/core/src/ledger/Registry.ts"
import {
  booksInMemory,
  commitsInMemory,
  contentInMemory,
  ledgerInMemory,
  MemoryBooks,
  type MemoryOptions,
  portsInMemory,
  proofOfReceipt,
  registryInMemory,
  signerInMemory
} from "../../../packages/core/src/memory.ts"
import { amount, UNITS_PER_TOKEN } from "../../../packages/core/src/money/Amount.ts"
import { parseProof } from "../../../packages/core/src/proof/ParseProof.ts"
import { proofText } from "../../../packages/core/src/proof/Proof.ts"
import { decodeCommitRequest } from "../../../packages/core/src/rules/CommitRules.ts"
import { inputOfProof, verify } from "../../../packages/core/src/verification/Verify.ts"
import { plainBody } from "../Generators.ts"

const privateKey = new Uint8Array(32).fill(0x46)
const caller = new Caller({
  accountId: AccountId.make("acc_0123456789abcdef"),
  name: "Ann",
  serviceName: "studio",
  wallet: walletAddress(addressOfPrivateKey(privateKey))
})
const { assetCid, assetSha256 } = plainBody
const PRICE = UNITS_PER_TOKEN / 10n
const GAS_PAID = 4_000_000_000_000_000n
const HELD = PRICE + 6_000_000_000_000_000n

const registered = [new Registration({ assetCid, assetSha256, encodingFormat: "image/png", size: 1 })]
const committer = walletAddress("0x114e5E0dce98180c98ADC62E9Ac6Ea7184417ecd")
const fundsOf = () => ({ credits: amount(UNITS_PER_TOKEN) })
const keyOf = () => privateKey

const ports = (change: Partial<MemoryOptions> = {}) =>
  portsInMemory({ registered, committer, keyOf, fundsOf, ...change })

const keyed = (id: string, key: string): Call => ({
  id,
  key: { accountId: caller.accountId, operation: "commit", key, fingerprint: "f".repeat(64) },
  isNew: false
})

const commit = Effect.fnUntraced(function* (call: string | Call = "one") {
  const request = yield* decodeCommitRequest(plainBody)
  return yield* commitAsset({
    caller,
    request,
    call: typeof call === "string" ? { id: call, key: undefined, isNew: false } : call
  })
})

const kinds = Effect.map(MemoryBooks, ({ movements }) => movements.map(({ kind }) => kind))
const mined = Effect.flatMap(Ledger, (ledger) => ledger.history("mainnet", assetCid))

/** The ports, put together from their parts, with a ledger whose sending is `carry`. */
const over = (carry: (real: Ledger["Service"]) => Ledger["Service"]["carry"]) => {
  const ledger = Layer.effect(
    Ledger,
    Effect.map(Ledger, (real) => ({ ...real, carry: carry(real) }))
  ).pipe(Layer.provide(ledgerInMemory({ committer })))
  const parts = Layer.mergeAll(
    ledger,
    booksInMemory(fundsOf),
    contentInMemory(),
    registryInMemory(registered),
    signerInMemory(keyOf)
  )
  return Layer.provideMerge(commitsInMemory, parts)
}

describe("a commit over the ports in memory", () => {
  it.effect("is charged by price and gas, and gives a proof that is valid", () =>
    Effect.gen(function* () {
      const { answer } = yield* commit()
      const read = parseProof(new TextEncoder().encode(proofText(yield* proofOfReceipt(answer))))
      assert(read.ok)
      const report = verify(inputOfProof(read.proof))
      assert.deepInclude(report, { verdict: "valid" })
      assert.strictEqual(report.author, caller.wallet)
      const { balanceOf, movements } = yield* MemoryBooks
      assert.deepStrictEqual(
        movements.map(({ amount, kind }) => [kind, amount]),
        [
          ["hold", HELD],
          ["capture", PRICE + GAS_PAID]
        ]
      )
      assert.deepStrictEqual([credits(caller.accountId), heldCredits(caller.accountId), revenue, gas].map(balanceOf), [
        UNITS_PER_TOKEN - PRICE - GAS_PAID,
        0n,
        PRICE,
        GAS_PAID
      ])
    }).pipe(Effect.provide(ports()))
  )

  it.effect("of one id is one, one after the other and side by side, with the same answer", () =>
    Effect.gen(function* () {
      const isNew = { id: "one", key: undefined, isNew: true }
      const answers = [
        ...(yield* Effect.all([commit(), commit(isNew), commit()], { concurrency: "unbounded" })),
        yield* commit(),
        yield* commit(isNew)
      ]
      assert.strictEqual(new Set(answers.map(({ answer }) => answer.txHash)).size, 1)
      assert.deepStrictEqual(yield* kinds, ["hold", "capture"])
      assert.strictEqual((yield* mined).length, 1)
      assert.notStrictEqual((yield* commit("two")).answer.txHash, answers[0]?.answer.txHash)
    }).pipe(Effect.provide(ports()))
  )

  it.effect("of one key is one: another id with it is refused and costs nothing", () =>
    Effect.gen(function* () {
      yield* commit(keyed("one", "k"))
      assert.strictEqual((yield* Effect.flip(commit(keyed("two", "k"))))._tag, "IdempotencyKeyInUse")
      assert.deepStrictEqual([yield* kinds, (yield* mined).length], [["hold", "capture"], 1])
      yield* commit(keyed("two", "another"))
    }).pipe(Effect.provide(ports()))
  )

  it.effect("is paid from the wallet where credits do not cover it, by what the wallet does not owe already", () =>
    Effect.gen(function* () {
      yield* commit("one")
      const { balanceOf } = yield* MemoryBooks
      const id = caller.accountId
      assert.deepStrictEqual([credits(id), heldTokens(id), tokens(id)].map(balanceOf), [
        HELD - 1n,
        0n,
        -(PRICE + GAS_PAID)
      ])
      const error = yield* Effect.flip(commit("two"))
      assert(error._tag === "InsufficientFunds")
      assert.deepStrictEqual<unknown>([error.needed, error.credits, error.tokens], [HELD, HELD - 1n, HELD - 1n])
      assert.strictEqual((yield* mined).length, 1)
    }).pipe(
      Effect.provide(
        ports({
          fundsOf: () => ({ credits: amount(HELD - 1n), tokens: amount(HELD + PRICE + GAS_PAID - 1n) })
        })
      )
    )
  )

  it.effect("without a key of the caller is not signed", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(commit()))._tag, "SignerUnavailable")
    }).pipe(Effect.provide(ports({ keyOf: () => undefined })))
  )
})

describe("a commit over another ledger", () => {
  let isDown = true
  const down = Effect.fail(new LedgerUnavailable({ network: "x", reason: "down." }))
  it.effect("that does not take it gives money and key back, and the same call may be made anew", () =>
    Effect.gen(function* () {
      isDown = true
      assert.strictEqual((yield* Effect.flip(commit(keyed("one", "k"))))._tag, "LedgerUnavailable")
      assert.deepStrictEqual(yield* kinds, ["hold", "release"])
      isDown = false
      yield* commit(keyed("two", "k"))
      yield* commit(keyed("one", "other"))
      const { balanceOf } = yield* MemoryBooks
      assert.strictEqual(balanceOf(credits(caller.accountId)), UNITS_PER_TOKEN - 2n * (PRICE + GAS_PAID))
    }).pipe(Effect.provide(over((real) => (work) => (isDown ? down : real.carry(work)))))
  )

  it.effect("whose contract records nothing costs nothing, says why, and stays so", () =>
    Effect.gen(function* () {
      for (const _ of [1, 2]) {
        const error = yield* Effect.flip(commit())
        assert(error._tag === "LedgerUnavailable")
        assert.include(error.message, "reverted.")
      }
      assert.deepStrictEqual(yield* kinds, ["hold", "release"])
    }).pipe(
      Effect.provide(
        over(
          (real) => (work) =>
            Effect.map(real.carry(work), (outcome) => ({ ...outcome, logIndex: undefined, reason: "reverted." }))
        )
      )
    )
  )

  it.effect("that breaks keeps the money, and whoever calls again carries it on", () =>
    Effect.gen(function* () {
      isDown = true
      assert.isTrue(Exit.hasDies(yield* Effect.exit(commit())))
      assert.deepStrictEqual(yield* kinds, ["hold"])
      isDown = false
      yield* commit()
      assert.deepStrictEqual(yield* kinds, ["hold", "capture"])
    }).pipe(Effect.provide(over((real) => (work) => (isDown ? Effect.die("bug") : real.carry(work)))))
  )

  const sent: Array<string> = []
  const gate = Deferred.makeUnsafe<void>()
  it.effect("that takes its time is asked once by all who wait", () =>
    Effect.gen(function* () {
      const fibers = yield* Effect.forEach([false, true, false], (isNew) =>
        Effect.forkChild(commit({ id: "one", key: undefined, isNew }))
      )
      for (const _ of [1, 2, 3]) yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      const answers = yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual([sent, new Set(answers.map(({ answer }) => answer.txHash)).size], [["one"], 1])
    }).pipe(
      Effect.provide(
        over((real) => (work) => {
          sent.push(work.commitId)
          return Effect.andThen(Deferred.await(gate), real.carry(work))
        })
      )
    )
  )
})

describe("the ports in memory", () => {
  it.effect("hold once for a reference, and take no more than was held", () =>
    Effect.gen(function* () {
      const charges = yield* Charges
      const request = { caller, operation: "balance-all-networks", reference: "r", amount: amount(10n) } as const
      const hold = yield* charges.hold(request)
      assert.deepStrictEqual(yield* charges.hold(request), hold)
      yield* charges.capture(hold, amount(11n))
      yield* charges.capture(hold, amount(11n))
      yield* charges.release(hold)
      yield* charges.hold(request)
      assert.deepStrictEqual(
        (yield* MemoryBooks).movements.map(({ amount, kind }) => [kind, amount]),
        [
          ["hold", 10n],
          ["capture", 10n]
        ]
      )
    }).pipe(Effect.provide(ports()))
  )

  it.effect("keep a block under its own CID alone, and give away no bytes that somebody could change", () =>
    Effect.gen(function* () {
      const content = yield* ContentStore
      const bytes = new TextEncoder().encode("{}")
      const cid = treeCidOf(bytes)
      assert.isTrue(Exit.hasDies(yield* Effect.exit(content.put(cid, new Uint8Array(1)))))
      assert.isTrue(Option.isNone(yield* content.get(cid)))
      yield* content.put(cid, bytes)
      for (const _ of [1, 2]) (yield* content.get(cid)).pipe(Option.getOrThrow).fill(0)
      assert.deepStrictEqual(Option.getOrThrow(yield* content.get(cid)), new TextEncoder().encode("{}"))
    }).pipe(Effect.provide(ports()))
  )

  it.effect("answer the ranges of a history", () =>
    Effect.gen(function* () {
      for (const id of ["a", "b", "c", "d"]) yield* commit(id)
      const { history } = yield* Ledger
      const blocks = (range: Parameters<typeof history>[2]) =>
        Effect.map(history("mainnet", assetCid, range), (commits) => commits.map(({ blockNumber }) => blockNumber))
      const at = (blockNumber: number) => ({ blockNumber, logIndex: 0 })
      assert.deepStrictEqual(yield* blocks({}), [1, 2, 3, 4])
      assert.deepStrictEqual(yield* blocks({ after: at(1), before: at(4) }), [2, 3])
      assert.deepStrictEqual(yield* blocks({ limit: 2 }), [1, 2])
      assert.deepStrictEqual(yield* blocks({ before: at(4), from: "newest", limit: 2 }), [2, 3])
      assert.deepStrictEqual(yield* history("testnet", assetCid), [])
      assert.deepStrictEqual(yield* history("mainnet", "other"), [])
    }).pipe(Effect.provide(ports()))
  )
})
