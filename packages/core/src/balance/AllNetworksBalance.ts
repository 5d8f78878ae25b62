/**
 * Operation 2: the native-token balance of one wallet across all networks, for 0.01 per call. Networks are asked in parallel
 * under one deadline; if one does not answer nothing is charged (decisions.md, section 3).
 */
import { Context, Duration, Effect, Exit } from "effect"
import type { Call } from "../charging/Call.ts"
import { Charges } from "../charging/Charges.ts"
import type { Caller } from "../identity/Caller.ts"
import type { WalletAddress } from "../identity/WalletAddress.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"
import { amount } from "../money/Amount.ts"
import { balanceText } from "../money/BalanceText.ts"
import { Prices } from "../money/PriceList.ts"
import { type BalanceNetwork, NativeBalance } from "./NativeBalance.ts"

/** How long all networks together may take to answer. */
export const AllNetworksDeadline = Context.Reference<Duration.Duration>(
  "@treemark/core/balance/AllNetworksBalance/AllNetworksDeadline",
  { defaultValue: () => Duration.seconds(10) }
)

/** Balances of `wallet` on every network and their exact sum, each as text truncated to 4 decimals after the sum was made. */
export const allNetworksBalance = Effect.fn("AllNetworksBalance")(function* (input: {
  readonly caller: Caller
  readonly wallet: WalletAddress
  readonly call: Call
}) {
  const { call, caller, wallet } = input
  const charges = yield* Charges
  const price = (yield* Prices)["balance-all-networks"]
  return yield* Effect.acquireUseRelease(
    charges.hold({ caller, operation: "balance-all-networks", reference: call.id, amount: price, call }),
    () => Effect.flatMap(NativeBalance, ({ networks }) => balancesOn(networks, wallet)),
    (hold, exit) =>
      Exit.isSuccess(exit) ? charges.capture(hold, price, exit.value) : Effect.ignore(charges.release(hold))
  )
})

/** The same on these networks, and free: for who runs the service. */
export const balancesOn = Effect.fnUntraced(function* (networks: ReadonlyArray<BalanceNetwork>, wallet: WalletAddress) {
  const balances = yield* NativeBalance
  const deadline = yield* AllNetworksDeadline
  const late = (network: string) =>
    new LedgerUnavailable({ network, reason: `no answer within ${Duration.format(deadline)}.` })
  const found = yield* Effect.forEach(
    networks,
    (network) =>
      balances.on(network, wallet).pipe(
        Effect.timeoutOrElse({ duration: deadline, orElse: () => Effect.fail(late(network.name)) }),
        Effect.map((exact) => ({ network, exact }))
      ),
    { concurrency: "unbounded" }
  )
  return {
    wallet,
    balance: balanceText(amount(found.reduce((sum, { exact }) => sum + exact, 0n))),
    networks: found.map(({ network, exact }) => ({
      name: network.name,
      chainId: network.chainId,
      balance: balanceText(exact)
    }))
  }
})
