/**
 * A balance as the interface writes it: a decimal number of native tokens with exactly 4 digits after the point; digits
 * beyond the fourth are cut off, never rounded (interface.md, balance response). Integer arithmetic only.
 */
import { Schema } from "effect"
import { type Amount, UNITS_PER_TOKEN } from "./Amount.ts"

export const BalanceText = Schema.String.check(
  Schema.isPattern(/^\d+\.\d{4}$/u, {
    message: 'must be a decimal number with exactly 4 digits after the point, such as "1.2345"'
  })
).pipe(Schema.brand("BalanceText"))
export type BalanceText = typeof BalanceText.Type

const UNITS_PER_FOURTH_DIGIT = UNITS_PER_TOKEN / 10_000n

/** The text of `balance` (smallest units), truncated to 4 decimals: 99_990_000_000_000n (0.00009999 tokens) → `"0.0000"`. */
export const balanceText = (balance: Amount): BalanceText => {
  const shown = balance / UNITS_PER_FOURTH_DIGIT
  return BalanceText.make(`${shown / 10_000n}.${(shown % 10_000n).toString().padStart(4, "0")}`)
}
