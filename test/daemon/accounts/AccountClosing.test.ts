/** Closing an account: its debt is settled, its tokens end, nothing begins any more, and nothing that it had vanishes. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { amount, Charges } from "@treemark/core"
import { Duration, Effect, Fiber, Layer } from "effect"
import { AccessTokens } from "../../../packages/daemon/src/accounts/AccessTokens.ts"
import { AccountClosing, ClosePatience } from "../../../packages/daemon/src/accounts/AccountClosing.ts"
import { Accounts } from "../../../packages/daemon/src/accounts/Accounts.ts"
import { assertBalanced, balances, hold, openAccount, TOKEN } from "../books/Bank.ts"
import { type Office, PRICE, settlementLayer, TestTransfers, use } from "../books/Office.ts"
import { tempFolder } from "../store/TempStore.ts"

const SOON = Layer.succeed(ClosePatience, Duration.millis(500))

const layerOf = (filename: string) =>
  AccountClosing.layer.pipe(Layer.provideMerge(settlementLayer(filename)), Layer.provide(SOON))

const withClosing = <A, E>(test: Effect.Effect<A, E, Office | AccountClosing>) =>
  Effect.gen(function* () {
    const filename = join(yield* tempFolder, "treemark.db")
    return yield* Effect.tap(test, assertBalanced).pipe(Effect.provide(layerOf(filename)))
  }).pipe(Effect.scoped)

const close = (name: string, leaveDebt = false) =>
  Effect.flatMap(AccountClosing, (closing) => closing.close(name, { leaveDebt }))

const tagOf = <A, R>(effect: Effect.Effect<A, { readonly _tag: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

describe("closing an account", () => {
  it.live("settles what its wallet owes, revokes its tokens, and keeps its credits on its books", () =>
    withClosing(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n, TOKEN)
        yield* use(alice, PRICE, "cmt_1")
        const { token } = yield* (yield* AccessTokens).issue(alice.accountId, { label: "", expiresAt: null })
        yield* (yield* Accounts).addCredits("alice", amount(7n))
        const closed = yield* close("alice")
        assert.deepInclude(closed, { settled: amount(PRICE), owed: amount(0n), tokensRevoked: 2 })
        assert.deepInclude(closed.account, { closed: true, disabled: true, credits: amount(7n) })
        assert.deepInclude(yield* balances, { "credits:alice": 7n, treasury: -PRICE })
        assert.strictEqual(yield* tagOf((yield* AccessTokens).authenticate(token)), "InvalidToken")
        assert.deepInclude(yield* close("alice"), { settled: amount(0n), owed: amount(0n), tokensRevoked: 0 })
        assert.strictEqual((yield* TestTransfers).sent.size, 1)
      })
    )
  )

  it.live("refuses everything that would begin anew: credits, tokens, enabling, and calls let in just before", () =>
    withClosing(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", TOKEN, TOKEN)
        yield* close(alice.accountId)
        const accounts = yield* Accounts
        assert.strictEqual(yield* tagOf(accounts.addCredits("alice", amount(1n))), "AccountClosed")
        assert.strictEqual(yield* tagOf(accounts.setDisabled("alice", false)), "AccountClosed")
        const issued = (yield* AccessTokens).issue(alice.accountId, { label: "", expiresAt: null })
        assert.strictEqual(yield* tagOf(issued), "AccountClosed")
        assert.strictEqual(yield* tagOf(hold(alice, 1n, "cmt_late")), "InsufficientFunds")
      })
    )
  )

  it.live("waits for calls under way, and refuses while they do not end; the account is disabled by then", () =>
    withClosing(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", TOKEN)
        const held = yield* hold(alice, PRICE, "cmt_1")
        assert.strictEqual(yield* tagOf(close("alice")), "AccountBusy")
        assert.deepInclude(yield* (yield* Accounts).find("alice"), { disabled: true, closed: false })
        const closing = yield* Effect.forkChild(close("alice"))
        yield* Effect.sleep("100 millis")
        yield* (yield* Charges).capture(held, held.amount)
        assert.deepInclude((yield* Fiber.join(closing)).account, { closed: true, credits: amount(TOKEN - PRICE) })
      })
    )
  )

  it.live("is refused while a wallet owes more than it holds, unless the debt may stay on its books", () =>
    withClosing(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n, PRICE)
        yield* use(alice, PRICE, "cmt_1")
        const error = yield* Effect.flip(close("alice"))
        assert.deepInclude(error, { _tag: "AccountOwes", owed: "0.01" })
        const closed = yield* close("alice", true)
        assert.deepInclude(closed, { owed: amount(TOKEN / 100n) })
        assert.deepInclude(yield* balances, { "tokens:alice": -TOKEN / 100n })
      })
    )
  )

  it.live("that was cut off after its transfer was sent goes on with it, and nothing is paid twice", () =>
    Effect.gen(function* () {
      const filename = join(yield* tempFolder, "treemark.db")
      const sent = yield* Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n, TOKEN)
        yield* use(alice, PRICE, "cmt_1")
        ;(yield* TestTransfers).fault = "dies-after"
        yield* Effect.exit(close("alice"))
        return [...(yield* TestTransfers).sent]
      }).pipe(Effect.provide(layerOf(filename)))
      yield* Effect.gen(function* () {
        const state = yield* TestTransfers
        for (const [reference, value] of sent) state.sent.set(reference, value)
        const closed = yield* close("alice")
        assert.deepInclude(closed, { settled: amount(PRICE), owed: amount(0n) })
        assert.deepStrictEqual([...state.sent.values()], [PRICE])
        assert.deepInclude(yield* balances, { treasury: -PRICE })
        yield* assertBalanced()
      }).pipe(Effect.provide(layerOf(filename)))
    }).pipe(Effect.scoped)
  )

  it.live("says so when its transfer is still under way, and ends when asked again", () =>
    withClosing(
      Effect.gen(function* () {
        const state = yield* TestTransfers
        const alice = yield* openAccount("alice", 0n, TOKEN)
        yield* use(alice, PRICE, "cmt_1")
        state.fault = "pending"
        const error = yield* Effect.flip(close("alice"))
        assert.strictEqual(error._tag, "AccountBusy")
        assert.include(error.message, "transfer of 0.1 tokens")
        state.fault = "none"
        assert.deepInclude(yield* close("alice"), { settled: amount(PRICE) })
      })
    )
  )
})
