/**
 * The bank with its settlement. The transfers are a table here, because their faults are the point; they move the balances of the test's
 * chain as a ledger would.
 */
import { join } from "node:path"
import { amount, type Caller, Charges, LedgerUnavailable } from "@treemark/core"
import { Context, Effect, Layer } from "effect"
import * as Settling from "../../../packages/daemon/src/books/Settlement.ts"
import { TransferPending, TransferRefused, Transfers } from "../../../packages/daemon/src/books/Transfers.ts"
import { HdWallets } from "../../../packages/daemon/src/wallets/HdWallets.ts"
import { tempFolder } from "../store/TempStore.ts"
import { assertBalanced, type Bank, bankLayer, hold, TestChain, TOKEN } from "./Bank.ts"

export const PRICE = TOKEN / 10n
export const GAS = TOKEN / 500n
export const ROOM = TOKEN / 100n

/** `fault` decides what happens instead of (or after) the transfer; `sent` lists each reference's value, once. */
export class TestTransfers extends Context.Service<
  TestTransfers,
  { readonly sent: Map<string, bigint>; fault: "none" | "pending" | "refused" | "down" | "dies-after" }
>()("test/TestTransfers") {
  static readonly layer = Layer.sync(TestTransfers, () => TestTransfers.of({ sent: new Map(), fault: "none" }))
}

const transfers = Layer.effect(
  Transfers,
  Effect.gen(function* () {
    const chain = yield* TestChain
    const wallets = yield* HdWallets
    const state = yield* TestTransfers
    return Transfers.of({
      send: Effect.fnUntraced(function* ({ fromWalletIndex, reference, to, value }) {
        if (state.fault === "refused") return yield* new TransferRefused({ reference, reason: "it was reverted." })
        if (state.fault === "down") return yield* new LedgerUnavailable({ network: "mainnet", reason: "it is down." })
        if (!state.sent.has(reference)) {
          const from = wallets.address(fromWalletIndex)
          state.sent.set(reference, value)
          chain.balances.set(from, (chain.balances.get(from) ?? 0n) - value - GAS)
          chain.balances.set(to, (chain.balances.get(to) ?? 0n) + value)
        }
        if (state.fault === "pending") return yield* new TransferPending({ reference, txHash: "0xab" })
        if (state.fault === "dies-after") return yield* Effect.die(new Error("killed"))
        return { txHash: `0x${reference}`, gasPaid: amount(GAS) }
      })
    })
  })
)

export const settlementLayer = (filename: string) =>
  Settling.layer.pipe(
    Layer.provideMerge(transfers),
    Layer.provideMerge(Layer.mergeAll(bankLayer(filename), TestTransfers.layer))
  )

export type Office = Bank | Settling.Settlement | TestTransfers | Transfers

export const withOffice = <A, E>(use: Effect.Effect<A, E, Office>) =>
  Effect.gen(function* () {
    const filename = join(yield* tempFolder, "treemark.db")
    return yield* Effect.tap(use, assertBalanced).pipe(Effect.provide(settlementLayer(filename)))
  }).pipe(Effect.scoped)

export const use = Effect.fnUntraced(function* (caller: Caller, units: bigint, reference: string) {
  const held = yield* hold(caller, units, reference)
  yield* (yield* Charges).capture(held, held.amount)
})
