/** What a wallet owes, what it can still pay, and when and how much of it one transfer settles. */
import { assert, describe, it } from "@effect/vitest"
import { linesOf } from "../../../packages/core/src/charging/Entry.ts"
import {
  isDue,
  owedOf,
  payable,
  settledLines,
  settlementOf,
  settlingLines
} from "../../../packages/core/src/charging/Settling.ts"
import { AccountId } from "../../../packages/core/src/identity/Caller.ts"
import { amount } from "../../../packages/core/src/money/Amount.ts"
import { anyAmount } from "../Generators.ts"

const accountId = AccountId.make("acc_0123456789abcdef")

describe("a wallet's debt", () => {
  it("is what is held, captured, and under way; debit accounts count with the other sign", () => {
    assert.strictEqual(owedOf([5n, -7n, -11n]), 23n)
    assert.strictEqual(owedOf([]), 0n)
    assert.strictEqual(payable(30n, 23n), amount(7n))
    assert.strictEqual(payable(22n, 23n), amount(0n))
  })

  it("is settled from the threshold on, and never when there is none", () => {
    assert.deepStrictEqual(
      [0n, 9n, 10n, 11n].map((owed) => isDue(owed, amount(10n))),
      [false, false, true, true]
    )
    assert.isFalse(isDue(0n, amount(0n)))
  })

  it("goes in one transfer that leaves the reserve for its gas; what the wallet lacks stays owed", () => {
    assert.strictEqual(settlementOf({ owed: 10n, onChain: 100n, reserve: 5n }), amount(10n))
    assert.strictEqual(settlementOf({ owed: 10n, onChain: 12n, reserve: 5n }), amount(7n))
    assert.isUndefined(settlementOf({ owed: 10n, onChain: 5n, reserve: 5n }))
    assert.isUndefined(settlementOf({ owed: 0n, onChain: 100n, reserve: 5n }))
  })

  it.prop(
    "is booked in balanced entries, and a transfer that was not made leaves it as it was",
    [anyAmount],
    ([value]) => {
      const begun = settlingLines(accountId, value)
      for (const end of ["settled", "returned"] as const)
        linesOf(end, [...begun, ...settledLines(accountId, value, end)])
      assert.deepStrictEqual(linesOf("x", [...begun, ...settledLines(accountId, value, "returned")]), [])
    }
  )
})
