/** A token's limit on real books, on both databases: no call beyond it however many come at once, and nothing charged for one that was refused. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { amount, type Caller, Charges, type SpendingLimitReached } from "@treemark/core"
import { Effect, Exit, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccessTokens } from "../../../packages/daemon/src/accounts/AccessTokens.ts"
import { isPostgresMissing, startPostgres } from "../../layers/PostgresCluster.ts"
import { SERVER } from "../store/TempStore.ts"
import { balances, hold, openAccount, TOKEN, withBank } from "./Bank.ts"

const PRICE = TOKEN / 100n
const DAY = 86_400_000

/** A further token of the account: its caller, and what the token list says of it. */
const limited = Effect.fnUntraced(function* ({ accountId }: Caller, dailyLimit: bigint | undefined) {
  const { authenticate, issue, list } = yield* AccessTokens
  const limit = dailyLimit === undefined ? null : amount(dailyLimit)
  const { info, token } = yield* issue(accountId, { label: "tool", expiresAt: null, dailyLimit: limit })
  const shown = Effect.map(list(accountId), (all) => {
    const { dailyLimit, spentToday } = all.find(({ id }) => id === info.id)!
    return { dailyLimit, spentToday }
  })
  return { caller: yield* authenticate(token), shown }
})

const call = (caller: Caller, reference: string, units = PRICE) =>
  hold(caller, units, reference, "balance-all-networks")

const refused = <A, E extends { readonly _tag: string }, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(work), (error) => {
    assert.strictEqual(error._tag, "SpendingLimitReached")
    return error as unknown as SpendingLimitReached
  })

const rules = (): void => {
  for (const [from, credits, tokens] of [
    ["credits", TOKEN, 0n],
    ["the wallet", 0n, TOKEN]
  ] as const) {
    it.live(`100 calls at once from ${from} on a limit for exactly 7: 7 are served, and 93 cost nothing`, () =>
      withBank(
        Effect.gen(function* () {
          const alice = yield* openAccount("alice", credits, tokens)
          const tool = yield* limited(alice, 7n * PRICE)
          const calls = yield* Effect.all(
            Array.from({ length: 100 }, (_, n) => Effect.result(call(tool.caller, `bal_${n}`))),
            { concurrency: "unbounded" }
          )
          const failures = calls.flatMap((one) => (one._tag === "Failure" ? [one.failure] : []))
          assert.strictEqual(failures.length, 93)
          for (const failure of failures) {
            assert.deepInclude(failure, {
              _tag: "SpendingLimitReached",
              limit: amount(7n * PRICE),
              spent: amount(7n * PRICE)
            })
          }
          const held = (yield* balances)[`held-${credits === 0n ? "tokens" : "credits"}:alice`]
          assert.strictEqual(held, 7n * PRICE)
          assert.deepStrictEqual(yield* tool.shown, { dailyLimit: "0.07", spentToday: "0.07" })
          yield* call(alice, "bal_of_a_session")
        })
      )
    )
  }

  it.live("what runs counts whole, what ended well counts as taken, what failed does not count; to the unit", () =>
    withBank(
      Effect.gen(function* () {
        const charges = yield* Charges
        const tool = yield* limited(yield* openAccount("alice", TOKEN), 2n * PRICE)
        const first = yield* call(tool.caller, "bal_1", PRICE + 1n)
        const { message, spent } = yield* refused(call(tool.caller, "bal_2"))
        assert.strictEqual(spent, PRICE + 1n)
        assert.include(message, "0.010000000000000001 are spent or set aside")
        yield* charges.capture(first, amount(PRICE))
        const second = yield* call(tool.caller, "bal_2")
        yield* refused(call(tool.caller, "bal_3", 1n))
        yield* charges.release(second)
        yield* refused(call(tool.caller, "bal_3", PRICE + 1n))
        yield* call(tool.caller, "bal_3")
        assert.deepStrictEqual(yield* tool.shown, { dailyLimit: "0.02", spentToday: "0.02" })
      })
    )
  )

  it.live("the same work asked for again is served by the hold it has; each token has a limit of its own", () =>
    withBank(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", TOKEN)
        const [one, other] = [yield* limited(alice, PRICE), yield* limited(alice, PRICE)]
        const free = yield* limited(alice, undefined)
        const held = yield* call(one.caller, "bal_1")
        assert.strictEqual((yield* call(one.caller, "bal_1")).id, held.id)
        yield* refused(call(one.caller, "bal_2"))
        yield* call(other.caller, "bal_2")
        for (let n = 3; n < 6; n++) yield* call(free.caller, `bal_${n}`)
        assert.deepStrictEqual(yield* free.shown, { dailyLimit: null, spentToday: "0.03" })
      })
    )
  )

  it.live("yesterday's calls do not count", () =>
    withBank(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tool = yield* limited(yield* openAccount("alice", TOKEN), PRICE)
        yield* call(tool.caller, "bal_1")
        yield* sql`UPDATE hold SET created_at = created_at - ${DAY}`
        assert.deepStrictEqual(yield* tool.shown, { dailyLimit: "0.01", spentToday: "0" })
        yield* call(tool.caller, "bal_2")
        yield* refused(call(tool.caller, "bal_3"))
      })
    )
  )
}

describe("a token's limit for a day, on SQLite", () => {
  rules()

  it.effect("it is free again in the first millisecond of the next day of UTC", () =>
    withBank(
      Effect.gen(function* () {
        const midnight = Date.UTC(2026, 11, 1)
        yield* TestClock.setTime(midnight - 1)
        const tool = yield* limited(yield* openAccount("alice", TOKEN), PRICE)
        yield* call(tool.caller, "bal_1")
        assert.strictEqual((yield* refused(call(tool.caller, "bal_2"))).freesAt, midnight)
        yield* TestClock.setTime(midnight)
        yield* call(tool.caller, "bal_2")
        yield* refused(call(tool.caller, "bal_3"))
      })
    )
  )
})

describe.skipIf(isPostgresMissing)("a token's limit for a day, on PostgreSQL", () => {
  const scope = Scope.makeUnsafe()
  beforeAll(async () => {
    const { port } = await Effect.runPromise(Scope.provide(startPostgres, scope))
    process.env[SERVER] = `postgres://treemark@127.0.0.1:${port}`
  })
  afterAll(async () => {
    delete process.env[SERVER]
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
  rules()
})
