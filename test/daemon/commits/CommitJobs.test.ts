/** Commits recorded on a real anvil over HTTP: once each, in nonce order, found again in the history, paid for exactly. */
import { assert, describe, it } from "@effect/vitest"
import { Ledger } from "@treemark/core"
import { Effect, Fiber } from "effect"
import { CommitTerms } from "../../../packages/daemon/src/commits/CommitTerms.ts"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import {
  anvilWithContract,
  assetCid,
  callerNamed,
  daemon,
  eventually,
  jobOf,
  order,
  profileAt,
  ROLE,
  record,
  storeFile,
  TOKEN,
  WALLETS
} from "./LedgerFixture.ts"

const onAnvil = Effect.fnUntraced(function* (extraArgs: ReadonlyArray<string> = []) {
  const anvil = yield* anvilWithContract(extraArgs)
  const layer = daemon({ filename: yield* storeFile, networks: { profile: profileAt(anvil.url) } })
  return { anvil, layer }
})

describe.skipIf(isAnvilMissing)("commits on a node over HTTP", () => {
  it.live("a commit is one event of about 40k gas, and its entry says where it stands", () =>
    Effect.gen(function* () {
      const { anvil, layer } = yield* onAnvil()
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        const caller = yield* callerNamed("alice")
        const wanted = yield* order(caller, "one")
        const ceiling = yield* ledger.quote(ROLE, wanted)
        const entry = yield* record(wanted)

        assert.strictEqual(entry.recorder, WALLETS.address(0))
        assert.strictEqual(entry.recorder, ledger.committerOf(wanted.assetCid))
        const receipt = yield* Effect.promise(() =>
          anvil.client.getTransactionReceipt({ hash: entry.txHash as `0x${string}` })
        )
        assert.strictEqual(receipt.status, "success")
        assert.strictEqual(Number(receipt.blockNumber), entry.blockNumber)
        assert.strictEqual(receipt.blockHash, entry.blockHash)
        assert.strictEqual(receipt.logs[0]?.logIndex, entry.logIndex)
        assert.strictEqual(entry.gasPaid, receipt.gasUsed * receipt.effectiveGasPrice)
        assert.isAtLeast(Number(receipt.gasUsed), 38_000)
        assert.isAtMost(Number(receipt.gasUsed), 45_000)
        assert.isTrue(ceiling >= entry.gasPaid)
        assert.strictEqual(ledger.explorerUrl(ROLE, entry.txHash), `https://explorer.example/tx/${entry.txHash}`)

        const [found, ...others] = yield* ledger.history(ROLE, wanted.assetCid)
        assert.isEmpty(others)
        assert.deepStrictEqual(found, {
          txHash: entry.txHash,
          blockNumber: entry.blockNumber,
          blockHash: entry.blockHash,
          logIndex: entry.logIndex,
          recorder: entry.recorder,
          commitData: wanted.commitData
        })
        assert.isEmpty(yield* ledger.history(ROLE, assetCid("another")))
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("what is signed is what was quoted, even when the base fee has risen in between", () =>
    Effect.gen(function* () {
      const { anvil, layer } = yield* onAnvil()
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        const wanted = yield* order(yield* callerNamed("alice"), "one")
        const ceiling = yield* ledger.quote(ROLE, wanted)
        const { baseFeePerGas } = yield* Effect.promise(() => anvil.client.getBlock())
        const risen = (baseFeePerGas ?? 0n) * 2n
        yield* Effect.promise(() => anvil.steer.setNextBlockBaseFeePerGas({ baseFeePerGas: risen }))
        yield* Effect.promise(() => anvil.steer.mine({ blocks: 1 }))
        const entry = yield* record(wanted)
        assert.isTrue(entry.gasPaid <= ceiling)
        const sent = yield* Effect.promise(() => anvil.client.getTransaction({ hash: entry.txHash as `0x${string}` }))
        assert.strictEqual(sent.gas * (sent.maxFeePerGas ?? 0n), ceiling)
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("the same commit id answers the same entry and never sends a second transaction", () =>
    Effect.gen(function* () {
      const { anvil, layer } = yield* onAnvil()
      yield* Effect.gen(function* () {
        const wanted = yield* order(yield* callerNamed("alice"), "one")
        const together = yield* Effect.all([record(wanted), record(wanted)], {
          concurrency: "unbounded"
        })
        const later = yield* record({ ...wanted, commitData: "{}" })
        assert.deepStrictEqual(together[0], together[1])
        assert.deepStrictEqual(later, together[0])
        const count = yield* Effect.promise(() => anvil.client.getTransactionCount({ address: sender }))
        assert.strictEqual(count, 1)
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("16 commits at once take 16 nonces without a gap, and each is recorded", () =>
    Effect.gen(function* () {
      const { anvil, layer } = yield* onAnvil()
      yield* Effect.gen(function* () {
        const caller = yield* callerNamed("alice")
        const entries = yield* Effect.forEach(
          Array.from({ length: 16 }, (_, n) => `commit-${n}`),
          (id) => Effect.flatMap(order(caller, id), (wanted) => record(wanted)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(entries.map(({ txHash }) => txHash)).size, 16)
        const nonces = yield* Effect.forEach(entries.keys(), (n) =>
          Effect.map(jobOf(`commit-${n}`), (job) => job?.nonce)
        )
        assert.deepStrictEqual(
          nonces.toSorted((a, b) => Number(a) - Number(b)),
          Array.from({ length: 16 }, (_, n) => n)
        )
        const count = yield* Effect.promise(() => anvil.client.getTransactionCount({ address: sender }))
        assert.strictEqual(count, 16)
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("two commits of one asset in one block are two entries, and the history has them in the ledger's order", () =>
    Effect.gen(function* () {
      const { anvil, layer } = yield* onAnvil(["--no-mining"])
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        const caller = yield* callerNamed("alice")
        const recordInOneBlock = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
          const wanted = yield* Effect.forEach(ids, (id) => order(caller, id, "same asset"))
          const recording = yield* Effect.forkChild(
            Effect.forEach(wanted, (one) => record(one), { concurrency: "unbounded" })
          )
          const waiting = Effect.promise(() => anvil.steer.getTxpoolStatus())
          assert.strictEqual((yield* eventually(waiting, ({ pending }) => pending === ids.length)).pending, ids.length)
          yield* Effect.promise(() => anvil.steer.mine({ blocks: 1 }))
          return yield* Fiber.join(recording)
        })
        const [a, b] = yield* recordInOneBlock(["a", "b"])
        const [c] = yield* recordInOneBlock(["c"])
        assert.strictEqual(a?.blockNumber, b?.blockNumber)
        assert.notStrictEqual(a?.logIndex, b?.logIndex)
        const history = yield* ledger.history(ROLE, assetCid("same asset"))
        const inOrder = [a, b].toSorted((x, y) => (x?.logIndex ?? 0) - (y?.logIndex ?? 0))
        assert.deepStrictEqual(
          history.map(({ txHash }) => txHash),
          [...inOrder, c].map((entry) => entry?.txHash)
        )
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("refuses, free of charge, while the service's wallet cannot pay the gas", () =>
    Effect.gen(function* () {
      const { anvil, layer } = yield* onAnvil()
      yield* Effect.promise(() => anvil.steer.setBalance({ address: sender, value: 1n }))
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        const content = { assetCid: assetCid("a"), commitData: "{}" }
        const error = yield* Effect.flip(ledger.quote(ROLE, content))
        assert.include(error.message, `the service's wallet ${WALLETS.address(0)} holds 0.000000000000000001 there`)
        yield* Effect.promise(() => anvil.steer.setBalance({ address: sender, value: TOKEN }))
        assert.isTrue((yield* (yield* CommitTerms).of(ROLE, content)).ceiling > 0n)
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("refuses when no contract stands at the configured address", () =>
    Effect.gen(function* () {
      const { anvil, layer } = yield* onAnvil()
      yield* Effect.promise(() =>
        anvil.steer.setCode({ address: "0x0000000000000000000000000000000000007053", bytecode: "0x" })
      )
      yield* Effect.gen(function* () {
        const error = yield* Effect.flip((yield* Ledger).quote(ROLE, { assetCid: assetCid("a"), commitData: "{}" }))
        assert.include(
          error.message,
          "there is no contract at 0x0000000000000000000000000000000000007053 on chain 31337"
        )
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )
})

const sender = WALLETS.address(0) as `0x${string}`
