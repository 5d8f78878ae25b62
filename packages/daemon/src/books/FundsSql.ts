/** Layer of `Funds` over the books and the chain. */
import { amount } from "@treemark/core"
import { Effect, Layer } from "effect"
import { credits } from "./BookAccounts.ts"
import { Funds } from "./Funds.ts"
import { Postings } from "./Postings.ts"
import { storing } from "./StorageFailure.ts"
import { WalletDebt } from "./WalletDebt.ts"

export const layer: Layer.Layer<Funds, never, Postings | WalletDebt> = Layer.effect(
  Funds,
  Effect.gen(function* () {
    const postings = yield* Postings
    const debt = yield* WalletDebt
    return Funds.of({
      credits: Effect.fn("Funds.credits")(function* ({ accountId }) {
        const [balance = 0n] = yield* postings.balances([credits(accountId)])
        return amount(balance)
      }, storing("the credits of an account were read")),
      tokens: Effect.fn("Funds.tokens")((caller) => debt.available(caller), storing("what a wallet owes was read"))
    })
  })
)
