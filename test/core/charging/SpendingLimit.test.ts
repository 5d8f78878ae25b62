/** A token's limit for a day: the last unit of it, the day of UTC, and what a refusal says. */
import { assert, describe, it } from "@effect/vitest"
import { amount, parseTokens } from "@treemark/core"
import { overLimit, spendingDay } from "@treemark/core/charging"

const AT = Date.UTC(2026, 1, 28, 23, 59, 59, 999)
const MIDNIGHT = AT + 1

const over = (limit: bigint, spent: bigint, needed: bigint) =>
  overLimit(amount(limit), { at: AT, spent, needed: amount(needed) })

describe("what a token may spend in a day", () => {
  it("a call that reaches the limit is served; one unit more is refused", () => {
    assert.isUndefined(over(70n, 60n, 10n))
    assert.deepInclude(over(70n, 61n, 10n), {
      limit: amount(70n),
      spent: amount(61n),
      needed: amount(10n),
      freesAt: MIDNIGHT
    })
    assert.isUndefined(over(0n, 0n, 0n))
    assert.isDefined(over(0n, 0n, 1n))
    assert.isDefined(over(2n ** 70n, 2n ** 70n, 1n))
  })

  it("a day is one of UTC and ends with its last millisecond", () => {
    const day = { from: Date.UTC(2026, 1, 28), until: MIDNIGHT }
    assert.deepStrictEqual(spendingDay(AT), day)
    assert.deepStrictEqual(spendingDay(day.from), day)
    assert.strictEqual(spendingDay(MIDNIGHT).from, MIDNIGHT)
  })

  it("a refusal names the limit, what is spent, what is needed and when it frees, or that waiting does not help", () => {
    const [limit, spent, needed] = ["2", "1.95", "0.11"].map((text) => parseTokens(text)!)
    const waits = over(limit!, spent!, needed!)?.message ?? ""
    for (const part of ["2 native tokens a day", "1.95 are spent", "up to 0.11", "2026-03-01T00:00:00.000Z"]) {
      assert.include(waits, part)
    }
    assert.include(waits, "Nothing was charged")
    assert.include(over(needed!, 0n, limit!)?.message ?? "", "waiting does not help")
  })
})
