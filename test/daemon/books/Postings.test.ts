/** Double entry on a real store: balanced or not at all, once per id, exact for any size, no account on the wrong side of zero. */
import { assert, describe, it } from "@effect/vitest"
import { AccountId } from "@treemark/core"
import { credits, issued, type Line, revenue } from "@treemark/core/charging"
import { Cause, Effect, Exit, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Postings } from "../../../packages/daemon/src/books/Postings.ts"
import { withStore } from "../store/TempStore.ts"

const mine = credits(AccountId.make(`acc_${"0".repeat(20)}`))

const withPostings = <A, E>(use: Effect.Effect<A, E, Postings | SqlClient.SqlClient>) =>
  withStore(Effect.provide(use, Postings.layer))

const post = Effect.fnUntraced(function* (id: string, ...lines: ReadonlyArray<Line>) {
  return yield* (yield* Postings).post({ id, kind: "test", reference: id }, lines)
})

const grant = (id: string, units: bigint) =>
  post(id, { account: issued, amount: -units }, { account: mine, amount: units })

const balances = Effect.gen(function* () {
  return yield* (yield* Postings).balances([mine, issued, revenue])
})

const count = Effect.gen(function* () {
  const rows = yield* (yield* SqlClient.SqlClient)`SELECT id FROM ledger_entry`
  return rows.length
})

const defectOf = <A, E>(exit: Exit.Exit<A, E>) => (Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "success")

describe("postings", () => {
  it.live("an entry changes each account's balance by its line", () =>
    withPostings(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* balances, [0n, 0n, 0n])
        assert.isTrue(yield* grant("a", 70n))
        assert.isTrue(yield* post("b", { account: mine, amount: -30n }, { account: revenue, amount: 30n }))
        assert.deepStrictEqual(yield* balances, [40n, -70n, 30n])
      })
    )
  )

  it.live("posting the same entry id again changes nothing, even with other lines", () =>
    withPostings(
      Effect.gen(function* () {
        assert.isTrue(yield* grant("a", 5n))
        assert.isFalse(yield* grant("a", 5n))
        assert.isFalse(yield* grant("a", 7n))
        assert.deepStrictEqual(yield* balances, [5n, -5n, 0n])
        assert.strictEqual(yield* count, 1)
      })
    )
  )

  it.live("200 concurrent postings of 20 entries post each of them once", () =>
    withPostings(
      Effect.gen(function* () {
        const posted = yield* Effect.all(
          Array.from({ length: 200 }, (_, n) => grant(`entry-${n % 20}`, 1n)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(posted.filter(Boolean).length, 20)
        assert.deepStrictEqual(yield* balances, [20n, -20n, 0n])
      })
    )
  )

  it.live("an entry that does not sum to zero is a defect and leaves nothing behind", () =>
    withPostings(
      Effect.gen(function* () {
        const exit = yield* Effect.exit(post("a", { account: issued, amount: -1n }, { account: mine, amount: 2n }))
        assert.include(defectOf(exit), "not balanced: off by 1")
        assert.strictEqual(yield* count, 0)
      })
    )
  )

  it.live("no entry takes a credit account below zero or a debit account above it", () =>
    withPostings(
      Effect.gen(function* () {
        yield* grant("a", 10n)
        const below = yield* Effect.exit(post("b", { account: mine, amount: -11n }, { account: revenue, amount: 11n }))
        assert.include(defectOf(below), "to -1")
        const above = yield* Effect.exit(grant("c", -11n))
        assert.include(defectOf(above), "account, to")
        assert.deepStrictEqual(yield* balances, [10n, -10n, 0n])
        assert.strictEqual(yield* count, 1)
      })
    )
  )

  it.live("the tables themselves refuse a debit account above zero and a credit account below it", () =>
    withPostings(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* grant("a", 10n)
        const set = (id: string, balance: string) =>
          Effect.flip(sql`UPDATE ledger_account SET balance = ${balance} WHERE id = ${id}`)
        assert.strictEqual((yield* set(issued.id, "1")).reason._tag, "ConstraintError")
        assert.strictEqual((yield* set(mine.id, "-1")).reason._tag, "ConstraintError")
      })
    )
  )

  it.live("lines of one account are added up first, and an account they cancel for is left alone", () =>
    withPostings(
      Effect.gen(function* () {
        yield* grant("a", 10n)
        yield* post("b", { account: mine, amount: -9n }, { account: mine, amount: 9n })
        assert.deepStrictEqual(yield* balances, [10n, -10n, 0n])
      })
    )
  )

  it.live("the smallest unit and 10^30 tokens are kept digit by digit", () =>
    withPostings(
      Effect.gen(function* () {
        const huge = 10n ** 48n
        yield* grant("a", huge)
        yield* grant("b", 1n)
        assert.deepStrictEqual(yield* balances, [huge + 1n, -huge - 1n, 0n])
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ readonly balance: string }>`SELECT balance FROM ledger_account WHERE id = ${mine.id}`
        assert.strictEqual(rows[0]?.balance, `1${"0".repeat(47)}1`)
      })
    )
  )

  it.live.prop(
    "balances equal the sums of any grants",
    [Schema.Array(Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 90n })))],
    ([grants]) =>
      withPostings(
        Effect.gen(function* () {
          for (const [n, value] of grants.entries()) yield* grant(`g${n}`, value)
          const sum = grants.reduce((total, value) => total + value, 0n)
          assert.deepStrictEqual(yield* balances, [sum, -sum, 0n])
        })
      ),
    { arbitrary: { runs: 20 } }
  )
})
