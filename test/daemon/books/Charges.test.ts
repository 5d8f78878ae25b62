/** Charging on real books: credits first and whole, then tokens, never beyond what is there, each step once. */
import { assert, describe, it } from "@effect/vitest"
import { amount, Charges, type InsufficientFunds, Prices } from "@treemark/core"
import { Effect, Option } from "effect"
import { Holds } from "../../../packages/daemon/src/books/Holds.ts"
import { setWritable } from "../store/TempStore.ts"
import { balances, hold, openAccount, TestChain, TOKEN, withBank } from "./Bank.ts"

const PRICE = TOKEN / 10n
const GAS = 4_000_000_000_000_001n

const refused = (error: { readonly _tag: string }) => {
  assert.strictEqual(error._tag, "InsufficientFunds")
  const { needed, credits, tokens } = error as InsufficientFunds
  return [needed, credits, tokens].map(BigInt)
}

describe("charging credits", () => {
  it.live("a captured commit: price to revenue, gas to gas, the rest back to the caller", () =>
    withBank(
      Effect.gen(function* () {
        const charges = yield* Charges
        const alice = yield* openAccount("alice", TOKEN)
        const held = yield* hold(alice, PRICE + 2n * GAS, "cmt_1")
        assert.deepStrictEqual(yield* balances, {
          "credits:alice": TOKEN - PRICE - 2n * GAS,
          "held-credits:alice": PRICE + 2n * GAS,
          issued: -TOKEN
        })
        yield* charges.capture(held, amount(PRICE + GAS))
        assert.deepStrictEqual(yield* balances, {
          "credits:alice": TOKEN - PRICE - GAS,
          gas: GAS,
          issued: -TOKEN,
          revenue: PRICE
        })
        assert.strictEqual((yield* TestChain).asked, 0, "credits cover the call, so the chain is not asked")
      })
    )
  )

  it.live("an all-networks call costs its price and no gas", () =>
    withBank(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", TOKEN)
        const price = TOKEN / 100n
        const held = yield* hold(alice, price, "bal_1", "balance-all-networks")
        yield* (yield* Charges).capture(held, amount(price))
        assert.deepStrictEqual(yield* balances, { "credits:alice": TOKEN - price, issued: -TOKEN, revenue: price })
      })
    )
  )

  it.live(
    "the price of the moment the money was held is the revenue, and the hold keeps the price list's version",
    () =>
      withBank(
        Effect.gen(function* () {
          const alice = yield* openAccount("alice", TOKEN)
          const held = yield* hold(alice, PRICE + GAS, "cmt_1")
          const dearer = { ...(yield* Prices), version: "later", commit: amount(TOKEN) }
          yield* (yield* Charges).capture(held, amount(PRICE + GAS)).pipe(Effect.provideService(Prices, dearer))
          const stored = Option.getOrThrow(yield* (yield* Holds).byId(held.id))
          assert.deepInclude(yield* balances, { revenue: PRICE, gas: GAS })
          assert.deepInclude(stored, {
            state: "captured",
            captured: amount(PRICE + GAS),
            priceVersion: (yield* Prices).version
          })
        })
      )
  )

  it.live("a release gives everything back; done again, or after a capture, it changes nothing", () =>
    withBank(
      Effect.gen(function* () {
        const charges = yield* Charges
        const alice = yield* openAccount("alice", TOKEN)
        const held = yield* hold(alice, PRICE, "cmt_1")
        yield* charges.release(held)
        yield* charges.release(held)
        assert.deepStrictEqual(yield* balances, { "credits:alice": TOKEN, issued: -TOKEN })
        const other = yield* hold(alice, PRICE, "cmt_2")
        yield* charges.capture(other, other.amount)
        yield* charges.release(other)
        assert.deepInclude(yield* balances, { "credits:alice": TOKEN - PRICE, revenue: PRICE })
      })
    )
  )

  it.live("a second capture changes nothing, and a capture after a release charges nothing", () =>
    withBank(
      Effect.gen(function* () {
        const charges = yield* Charges
        const alice = yield* openAccount("alice", TOKEN)
        const held = yield* hold(alice, PRICE + GAS, "cmt_1")
        yield* charges.capture(held, amount(PRICE))
        yield* charges.capture(held, amount(PRICE))
        yield* charges.capture(held, amount(PRICE + GAS))
        assert.deepStrictEqual(yield* balances, { "credits:alice": TOKEN - PRICE, issued: -TOKEN, revenue: PRICE })
        assert.strictEqual(Option.getOrThrow(yield* (yield* Holds).byId(held.id)).captured, amount(PRICE))
        const released = yield* hold(alice, PRICE, "cmt_2")
        yield* charges.release(released)
        yield* charges.capture(released, released.amount)
        assert.deepInclude(yield* balances, { "credits:alice": TOKEN - PRICE, revenue: PRICE })
      })
    )
  )

  it.live("no more than what was held is ever charged", () =>
    withBank(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", TOKEN)
        const held = yield* hold(alice, PRICE + GAS, "cmt_1")
        yield* (yield* Charges).capture(held, amount(PRICE + 2n * GAS))
        assert.deepInclude(yield* balances, { "credits:alice": TOKEN - PRICE - GAS, revenue: PRICE, gas: GAS })
      })
    )
  )

  it.live("the same work asked for again is the same hold, open or captured; once released it is held anew", () =>
    withBank(
      Effect.gen(function* () {
        const charges = yield* Charges
        const alice = yield* openAccount("alice", TOKEN)
        const first = yield* hold(alice, PRICE, "cmt_1")
        const again = yield* hold(alice, PRICE + GAS, "cmt_1")
        assert.deepInclude(again, { id: first.id, amount: first.amount })
        yield* charges.release(again)
        const anew = yield* hold(alice, PRICE, "cmt_1")
        assert.notStrictEqual(anew.id, first.id)
        yield* charges.capture(anew, anew.amount)
        assert.strictEqual((yield* hold(alice, PRICE, "cmt_1")).id, anew.id)
        assert.deepInclude(yield* balances, { "credits:alice": TOKEN - PRICE, revenue: PRICE })
        const bob = yield* openAccount("bob", TOKEN)
        assert.notStrictEqual((yield* hold(bob, PRICE, "cmt_1")).id, anew.id, "another account's work is other work")
      })
    )
  )

  it.live("200 concurrent calls on credits for exactly 100: 100 succeed and 100 are refused", () =>
    withBank(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 100n * PRICE)
        const results = yield* Effect.all(
          Array.from({ length: 200 }, (_, n) => Effect.result(hold(alice, PRICE, `cmt_${n}`))),
          { concurrency: "unbounded" }
        )
        const held = results.filter((result) => result._tag === "Success")
        assert.strictEqual(held.length, 100)
        for (const result of results) {
          if (result._tag === "Failure") assert.deepStrictEqual(refused(result.failure), [PRICE, 0n, 0n])
        }
        assert.deepStrictEqual(yield* balances, { "held-credits:alice": 100n * PRICE, issued: -100n * PRICE })
        assert.strictEqual((yield* (yield* Holds).open).length, 100)
      })
    )
  )

  it.live("1 unit and 10^30 tokens are held and charged exactly", () =>
    withBank(
      Effect.gen(function* () {
        const huge = 10n ** 48n
        const alice = yield* openAccount("alice", huge + 1n)
        const all = yield* hold(alice, huge, "cmt_1")
        const one = yield* hold(alice, 1n, "cmt_2")
        assert.deepStrictEqual(refused(yield* Effect.flip(hold(alice, 1n, "cmt_3"))), [1n, 0n, 0n])
        yield* (yield* Charges).capture(all, all.amount)
        yield* (yield* Charges).capture(one, one.amount)
        assert.deepStrictEqual(yield* balances, {
          gas: huge - PRICE,
          issued: -huge - 1n,
          revenue: PRICE + 1n
        })
      })
    )
  )
})

describe("a store that cannot be used", () => {
  it.live("fails with StorageUnavailable that says what was being done, and nothing is held", () =>
    withBank(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", TOKEN)
        yield* setWritable(false)
        const error = yield* Effect.flip(hold(alice, PRICE, "cmt_1"))
        yield* setWritable(true)
        assert.strictEqual(error._tag, "StorageUnavailable")
        assert.include(error.message, "while money was held")
        assert.deepStrictEqual(yield* balances, { "credits:alice": TOKEN, issued: -TOKEN })
      })
    )
  )
})
