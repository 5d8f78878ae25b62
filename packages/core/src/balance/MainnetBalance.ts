/** Operation 1: the native-token balance of one wallet on the mainnet. Free, no caller. */
import { Effect } from "effect"
import type { WalletAddress } from "../identity/WalletAddress.ts"
import { balanceText } from "../money/BalanceText.ts"
import { NativeBalance } from "./NativeBalance.ts"

/** The balance of `wallet` on the mainnet as text with exactly 4 decimals, truncated. */
export const mainnetBalance = Effect.fn("MainnetBalance")(function* (wallet: WalletAddress) {
  const balances = yield* NativeBalance
  return { balance: balanceText(yield* balances.onMainnet(wallet)) }
})
