/** Contract: puts native tokens into a new account's wallet. Only the `local` chains have tokens to give away. */
import { type Amount, formatTokens, LedgerUnavailable, type WalletAddress } from "@treemark/core"
import { Context, Effect, Layer } from "effect"

export class LocalFaucet extends Context.Service<
  LocalFaucet,
  {
    /**
     * Sees to it that `wallet` holds at least `amount` on the mainnet, and has it when this returns. Asked again it adds only what is
     * missing, so that creating an account can be tried again.
     */
    readonly fund: (wallet: WalletAddress, amount: Amount) => Effect.Effect<void, LedgerUnavailable>
  }
>()("@treemark/daemon/devchain/LocalFaucet") {
  /** For networks whose tokens are real: refuses any amount above zero. `profile` is named in the message. */
  static readonly layerRefusing = (profile: string): Layer.Layer<LocalFaucet> =>
    Layer.succeed(LocalFaucet, {
      fund: (wallet, amount) =>
        amount === 0n
          ? Effect.void
          : Effect.fail(
              new LedgerUnavailable({
                network: `the profile "${profile}"`,
                reason: `its tokens are real, and ${formatTokens(amount)} of them cannot be made for ${wallet}: create the account without tokens (--tokens 0), then send tokens to its wallet.`
              })
            )
    })
}
