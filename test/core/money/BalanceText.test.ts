/** Amounts as text: exact, or cut to 4 decimals. No floating point may creep in. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  Amount,
  AmountInTokens,
  amount,
  formatTokens,
  parseTokens,
  UNITS_PER_TOKEN
} from "../../../packages/core/src/money/Amount.ts"
import { balanceText } from "../../../packages/core/src/money/BalanceText.ts"
import { PriceList } from "../../../packages/core/src/money/PriceList.ts"
import { anyAmount } from "../Generators.ts"

describe("balance text", () => {
  it("cuts off what is beyond the fourth decimal and never rounds", () => {
    const texts = [
      [0n, "0.0000"],
      [1n, "0.0000"],
      [99_999_999_999_999n, "0.0000"],
      [100_000_000_000_000n, "0.0001"],
      [1_999_999_999_999_999_999n, "1.9999"],
      [UNITS_PER_TOKEN, "1.0000"],
      [123_456_789n * UNITS_PER_TOKEN + 10n ** 17n, "123456789.1000"],
      [2n ** 256n, "115792089237316195423570985008687907853269984665640564039457.5840"]
    ] as const
    for (const [units, text] of texts) assert.strictEqual<string>(balanceText(amount(units)), text)
  })

  it.prop("is never more than the amount, and less than 0.0001 below it", [anyAmount], ([units]) => {
    const text = balanceText(units)
    assert.match(text, /^(?:0|[1-9]\d*)\.\d{4}$/)
    const shown = BigInt(text.replace(".", "")) * 100_000_000_000_000n
    assert.isTrue(shown <= units)
    assert.isTrue(units - shown < 100_000_000_000_000n)
  })
})

describe("amounts", () => {
  it.prop("written as tokens and read again are the same amount", [anyAmount], ([units]) => {
    assert.strictEqual(parseTokens(formatTokens(units)), units)
    assert.strictEqual(Schema.decodeSync(AmountInTokens)(Schema.encodeSync(AmountInTokens)(units)), units)
  })

  it("are read only from plain decimals with at most 18 digits after the point", () => {
    assert.strictEqual(parseTokens("0.000000000000000001"), 1n)
    assert.strictEqual(parseTokens("007.5"), 7_500_000_000_000_000_000n)
    for (const text of [
      "",
      ".5",
      "5.",
      "-1",
      "+1",
      "1e3",
      "0x1",
      "1,5",
      " 1",
      "1\n",
      "0.0000000000000000001",
      "NaN",
      "٣"
    ]) {
      assert.isUndefined(parseTokens(text), text)
    }
  })

  it("are written without trailing zeros, with a sign when they are movements", () => {
    assert.strictEqual(formatTokens(0n), "0")
    assert.strictEqual(formatTokens(UNITS_PER_TOKEN / 10n), "0.1")
    assert.strictEqual(formatTokens(-1n), "-0.000000000000000001")
    assert.strictEqual(formatTokens(-25n * UNITS_PER_TOKEN), "-25")
  })

  it("are never negative", () => {
    assert.throws(() => amount(-1n))
    assert.isFalse(Schema.is(Amount)(-1n as Amount))
  })

  it("make up price lists that survive being stored as JSON", () => {
    const json = { version: "1", "balance-mainnet": "0", "balance-all-networks": "0.01", commit: "0.1" }
    const prices = Schema.decodeUnknownSync(PriceList)(json)
    assert.strictEqual(prices.commit, 100_000_000_000_000_000n)
    assert.deepStrictEqual({ ...Schema.encodeSync(PriceList)(prices) }, json)
  })
})
