/** Layer of core's `Signer`: the caller's own wallet, held by the daemon's seed, signs the checksum (EIP-191, 64 hex digits as text). */
import { Signer, SignerUnavailable } from "@treemark/core"
import { Effect, Layer } from "effect"
import { Accounts } from "../accounts/Accounts.ts"
import { HdWallets } from "./HdWallets.ts"

export const layer: Layer.Layer<Signer, never, Accounts | HdWallets> = Layer.effect(
  Signer,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const wallets = yield* HdWallets
    return Signer.of({
      signChecksum: Effect.fn("Signer.signChecksum")(function* (caller, checksum) {
        const { wallet, walletIndex } = yield* accounts
          .find(caller.accountId)
          .pipe(Effect.catchTag("AccountNotFound", (cause) => Effect.fail(new SignerUnavailable({ cause }))))
        const held = wallets.address(walletIndex)
        if (held !== wallet || held !== caller.wallet) {
          const cause = new Error(`The seed's wallet ${walletIndex} is ${held}, not the caller's ${caller.wallet}.`)
          return yield* new SignerUnavailable({ cause })
        }
        return wallets.signText(walletIndex, checksum)
      })
    })
  })
)
