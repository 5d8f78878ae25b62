/**
 * Layer of core's `Signer`: the caller's own wallet, held by the daemon's seed, signs the checksum (EIP-191, 64 hex digits as text).
 * Which wallet of the seed an account has never changes, so it is looked up once.
 */
import { type AccountId, Signer, SignerUnavailable } from "@treemark/core"
import { Effect, Layer } from "effect"
import { HdWallets } from "../wallets/HdWallets.ts"
import { Accounts } from "./Accounts.ts"

export const layer: Layer.Layer<Signer, never, Accounts | HdWallets> = Layer.effect(
  Signer,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const wallets = yield* HdWallets
    const indexes = new Map<AccountId, number>()

    const indexOf = Effect.fnUntraced(function* (accountId: AccountId) {
      const known = indexes.get(accountId)
      if (known !== undefined) return known
      const { walletIndex } = yield* accounts
        .find(accountId)
        .pipe(Effect.catchTag("AccountNotFound", (cause) => Effect.fail(new SignerUnavailable({ cause }))))
      indexes.set(accountId, walletIndex)
      return walletIndex
    })

    return Signer.of({
      signChecksum: Effect.fn("Signer.signChecksum")(function* (caller, checksum) {
        const walletIndex = yield* indexOf(caller.accountId)
        const held = wallets.address(walletIndex)
        if (held !== caller.wallet) {
          const cause = new Error(`The seed's wallet ${walletIndex} is ${held}, not the caller's ${caller.wallet}.`)
          return yield* new SignerUnavailable({ cause })
        }
        return wallets.signText(walletIndex, checksum)
      })
    })
  })
)
