/** Transfers from our own wallets on a real anvil: once per reference, refused when the wallet cannot pay, finished after a restart. */
import { assert, describe, it } from "@effect/vitest"
import { amount, NativeBalance } from "@treemark/core"
import { Duration, Effect } from "effect"
import type { Hex } from "viem"
import { Transfers } from "../../../packages/daemon/src/books/Transfers.ts"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { startProxy } from "./FaultyProxy.ts"
import { anvilWithContract, daemon, eventually, profileAt, storeFile, TOKEN, WALLETS } from "./LedgerFixture.ts"

/** A wallet of ours, rich on anvil; and one nobody has used. */
const FROM = 3
const recipient = WALLETS.address(77)
const transfer = {
  role: "mainnet",
  fromWalletIndex: FROM,
  to: recipient,
  value: amount(TOKEN / 4n),
  reference: "stl_1"
} as const

const received = Effect.flatMap(NativeBalance, (balances) => balances.onMainnet(recipient))

describe.skipIf(isAnvilMissing)("transfers of native tokens", () => {
  it.live("moves the value once for a reference, at the sending wallet's cost, whoever asks how often", () =>
    Effect.gen(function* () {
      const anvil = yield* anvilWithContract()
      yield* Effect.gen(function* () {
        const transfers = yield* Transfers
        const balances = yield* NativeBalance
        const before = yield* balances.onMainnet(WALLETS.address(FROM))
        const done = yield* Effect.all([transfers.send(transfer), transfers.send(transfer)], {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(yield* transfers.send(transfer), done[0])
        assert.deepStrictEqual(done[0], done[1])
        assert.strictEqual(yield* received, transfer.value)
        const after = yield* balances.onMainnet(WALLETS.address(FROM))
        assert.strictEqual(before - after, transfer.value + done[0].gasPaid)
        const receipt = yield* Effect.promise(() => anvil.client.getTransactionReceipt({ hash: done[0].txHash as Hex }))
        assert.strictEqual(done[0].gasPaid, receipt.gasUsed * receipt.effectiveGasPrice)
      }).pipe(Effect.provide(daemon({ filename: yield* storeFile, networks: { profile: profileAt(anvil.url) } })))
    }).pipe(Effect.scoped)
  )

  it.live("refuses what the wallet cannot pay with its gas, and nothing moves", () =>
    Effect.gen(function* () {
      const anvil = yield* anvilWithContract()
      const address = WALLETS.address(FROM) as Hex
      yield* Effect.gen(function* () {
        for (const [value, said] of [
          [transfer.value, "holds 0.25, and 0.25 and the gas are needed"],
          [transfer.value + 1n, "holds 0.250000000000000001, and 0.25 and up to"]
        ] as const) {
          yield* Effect.promise(() => anvil.steer.setBalance({ address, value }))
          const error = yield* Effect.flip((yield* Transfers).send(transfer))
          assert.strictEqual(error._tag, "TransferRefused")
          assert.include(error.message, said)
        }
        assert.strictEqual(yield* received, 0n)
      }).pipe(Effect.provide(daemon({ filename: yield* storeFile, networks: { profile: profileAt(anvil.url) } })))
    }).pipe(Effect.scoped)
  )

  it.live("one that a restart cut off is finished by the next start, once", () =>
    Effect.gen(function* () {
      const anvil = yield* anvilWithContract()
      const proxy = yield* startProxy(anvil.url)
      const layer = daemon({
        filename: yield* storeFile,
        networks: { profile: profileAt(proxy.url), rpcTimeout: Duration.millis(400) },
        deadline: Duration.seconds(2)
      })
      proxy.plan = (method) => (method === "eth_sendRawTransaction" ? "hang" : undefined)
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip((yield* Transfers).send(transfer)))._tag, "TransferPending")
      }).pipe(Effect.provide(layer), Effect.scoped)
      proxy.plan = () => undefined
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* eventually(received, (wei) => wei > 0n), transfer.value)
        yield* (yield* Transfers).send(transfer)
        assert.strictEqual(yield* received, transfer.value)
      }).pipe(Effect.provide(layer), Effect.scoped)
      assert.strictEqual(new Set(proxy.sent).size, 1)
    }).pipe(Effect.scoped)
  )
})
