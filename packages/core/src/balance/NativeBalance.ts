/** Port: the native-token balance of a wallet on each network of the profile. */
import { Context, type Effect } from "effect"
import type { WalletAddress } from "../identity/WalletAddress.ts"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import type { Amount } from "../money/Amount.ts"

/** A network where the native token lives: as the chain's own coin, or as an ERC-20 on another chain. */
export interface BalanceNetwork {
  readonly name: string
  readonly chainId: number
  readonly kind: "native" | "erc20"
}

export class NativeBalance extends Context.Service<
  NativeBalance,
  {
    /** All networks of the profile, the mainnet first. */
    readonly networks: ReadonlyArray<BalanceNetwork>
    /** Balance of `wallet` on the mainnet. */
    readonly onMainnet: (wallet: WalletAddress) => Effect.Effect<Amount, LedgerUnavailable>
    /** Balance of `wallet` on one of `networks`, in 10^-18 of the native token whatever the decimals there. */
    readonly on: (network: BalanceNetwork, wallet: WalletAddress) => Effect.Effect<Amount, LedgerUnavailable>
  }
>()("@treemark/core/balance/NativeBalance") {}
