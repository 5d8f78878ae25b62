/** Charging the native tokens of a caller's wallet: the whole call or nothing, less what the wallet owes already, the chain asked apart. */
import { assert, describe, it } from "@effect/vitest"
import { amount, Charges, type InsufficientFunds } from "@treemark/core"
import { Effect } from "effect"
import { Holds } from "../../../packages/daemon/src/books/Holds.ts"
import { balances, creditsOf, hold, openAccount, TestChain, TOKEN, tokensOf, withBank } from "./Bank.ts"

const PRICE = TOKEN / 10n
const GAS = 4_000_000_000_000_001n

const refused = (error: { readonly _tag: string }) => {
  assert.strictEqual(error._tag, "InsufficientFunds")
  const { needed, credits, tokens } = error as InsufficientFunds
  return [needed, credits, tokens].map(BigInt)
}

describe("charging tokens", () => {
  it.live("credits that do not cover the whole call are left alone, and the wallet's tokens pay it whole", () =>
    withBank(
      Effect.gen(function* () {
        const charges = yield* Charges
        const alice = yield* openAccount("alice", PRICE - 1n, TOKEN)
        const held = yield* hold(alice, PRICE + GAS, "cmt_1")
        assert.deepStrictEqual(yield* balances, {
          "credits:alice": PRICE - 1n,
          "held-tokens:alice": PRICE + GAS,
          issued: 1n - PRICE,
          wallets: -PRICE - GAS
        })
        yield* charges.capture(held, amount(PRICE + 1n))
        assert.deepStrictEqual(yield* balances, {
          "credits:alice": PRICE - 1n,
          gas: 1n,
          issued: 1n - PRICE,
          revenue: PRICE,
          "tokens:alice": -PRICE - 1n
        })
      })
    )
  )

  it.live(
    "a wallet with exactly the price is served; one unit less is refused with what is needed and what is there",
    () =>
      withBank(
        Effect.gen(function* () {
          const chain = yield* TestChain
          const alice = yield* openAccount("alice", 7n, PRICE - 1n)
          assert.deepStrictEqual(refused(yield* Effect.flip(hold(alice, PRICE, "cmt_1"))), [PRICE, 7n, PRICE - 1n])
          chain.balances.set(alice.wallet, PRICE)
          yield* hold(alice, PRICE, "cmt_1")
          assert.deepStrictEqual(refused(yield* Effect.flip(hold(alice, PRICE, "cmt_2"))), [PRICE, 7n, 0n])
        })
      )
  )

  it.live("what is held and what was captured both count against the wallet; what was released does not", () =>
    withBank(
      Effect.gen(function* () {
        const charges = yield* Charges
        const alice = yield* openAccount("alice", 0n, 3n * PRICE)
        const [one, two] = [yield* hold(alice, PRICE, "cmt_1"), yield* hold(alice, PRICE, "cmt_2")]
        assert.strictEqual(yield* tokensOf(alice), PRICE)
        yield* charges.capture(one, one.amount)
        assert.strictEqual(yield* tokensOf(alice), PRICE)
        yield* charges.release(two)
        assert.strictEqual(yield* tokensOf(alice), 2n * PRICE)
        assert.strictEqual(yield* creditsOf(alice), 0n)
      })
    )
  )

  it.live("a wallet that was emptied elsewhere has nothing to spend, not less than nothing", () =>
    withBank(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n, PRICE)
        yield* hold(alice, PRICE, "cmt_1")
        ;(yield* TestChain).balances.set(alice.wallet, 1n)
        assert.strictEqual(yield* tokensOf(alice), 0n)
      })
    )
  )

  it.live("200 concurrent calls on tokens for exactly 100: 100 succeed and 100 are refused", () =>
    withBank(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", PRICE - 1n, 100n * PRICE)
        const results = yield* Effect.all(
          Array.from({ length: 200 }, (_, n) => Effect.result(hold(alice, PRICE, `cmt_${n}`))),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(results.filter((result) => result._tag === "Success").length, 100)
        assert.deepInclude(yield* balances, { "held-tokens:alice": 100n * PRICE, "credits:alice": PRICE - 1n })
      })
    )
  )

  it.live("a mainnet that does not answer fails a call that credits do not cover, and changes nothing", () =>
    withBank(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", PRICE)
        ;(yield* TestChain).down = true
        yield* hold(alice, PRICE, "cmt_1")
        const error = yield* Effect.flip(hold(alice, PRICE, "cmt_2"))
        assert.strictEqual(error._tag, "LedgerUnavailable")
        assert.deepStrictEqual(yield* balances, { "held-credits:alice": PRICE, issued: -PRICE })
      })
    )
  )

  it.live("the chain is asked outside any transaction: the books go on while it is slow", () =>
    withBank(
      Effect.gen(function* () {
        const chain = yield* TestChain
        const [alice, bob] = [yield* openAccount("alice", 0n, PRICE), yield* openAccount("bob", PRICE)]
        chain.afterAsked = Effect.suspend(() => {
          chain.afterAsked = Effect.void
          return Effect.asVoid(Effect.orDie(Effect.provideContext(hold(bob, PRICE, "cmt_1"), context)))
        })
        const context = yield* Effect.context<Charges>()
        yield* hold(alice, PRICE, "cmt_1").pipe(Effect.timeout("5 minutes"))
        assert.strictEqual((yield* (yield* Holds).open).length, 2)
      })
    )
  )
})
