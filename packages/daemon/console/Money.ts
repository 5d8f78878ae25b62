/** Amounts of native tokens: exact decimal text outside, whole numbers of 10^-18 inside. No amount is ever a float. */
import { formatTokens, unitsOfDigits } from "../../core/src/money/Decimal.ts"

/** The units of what the daemon wrote, which may be negative. */
export const units = (text: string): bigint =>
  text.startsWith("-") ? -unitsOfDigits(text.slice(1)) : unitsOfDigits(text)

export const tokens = formatTokens

/** For a glance: rounded up to 4 decimals, so that nothing that costs reads as nothing. */
export const atMost = (amount: bigint): string => {
  const step = 100_000_000_000_000n
  return formatTokens(((amount + step - 1n) / step) * step)
}
