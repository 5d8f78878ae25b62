/**
 * Operation 2: the native-token balance of one wallet across all networks, for 0.01 per call. Networks are asked in parallel
 * under one deadline; if one does not answer nothing is charged (decisions.md, section 3).
 */
import { Context, Duration, Effect, Exit } from "effect"
import { Charges } from "../charging/Charges.ts"
import type { Caller } from "../identity/Caller.ts"
import type { WalletAddress } from "../identity/WalletAddress.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"
import { amount } from "../money/Amount.ts"
import { balanceText } from "../money/BalanceText.ts"
import { Prices } from "../money/PriceList.ts"
import { NativeBalance } from "./NativeBalance.ts"

/** How long all networks together may take to answer. */
export const AllNetworksDeadline = Context.Reference<Duration.Duration>(
  "@treemark/core/balance/AllNetworksBalance/AllNetworksDeadline",
  { defaultValue: () => Duration.seconds(10) }
)

/** Balances of `wallet` on every network and their exact sum, each as text truncated to 4 decimals after the sum was made. */
export const allNetworksBalance = Effect.fn("AllNetworksBalance")(function* (input: {
  readonly caller: Caller
  readonly wallet: WalletAddress
  readonly requestId: string
}) {
  const balances = yield* NativeBalance
  const charges = yield* Charges
  const prices = yield* Prices
  const deadline = yield* AllNetworksDeadline
  const price = prices["balance-all-networks"]
  const found = yield* Effect.acquireUseRelease(
    charges.hold({
      caller: input.caller,
      operation: "balance-all-networks",
      reference: input.requestId,
      amount: price
    }),
    () =>
      Effect.forEach(
        balances.networks,
        (network) =>
          balances.on(network, input.wallet).pipe(
            Effect.timeoutOrElse({
              duration: deadline,
              orElse: () =>
                Effect.fail(
                  new LedgerUnavailable({
                    network: network.name,
                    reason: `no answer within ${Duration.format(deadline)}.`
                  })
                )
            }),
            Effect.map((exact) => ({ network, exact }))
          ),
        { concurrency: "unbounded" }
      ),
    (hold, exit) => (Exit.isSuccess(exit) ? charges.capture(hold, price) : Effect.ignore(charges.release(hold)))
  )
  return {
    wallet: input.wallet,
    balance: balanceText(amount(found.reduce((sum, { exact }) => sum + exact, 0n))),
    networks: found.map(({ network, exact }) => ({
      name: network.name,
      chainId: network.chainId,
      balance: balanceText(exact)
    }))
  }
})
