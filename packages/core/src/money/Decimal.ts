/**
 * Amounts as decimal text: tokens with at most 18 digits after the point, and `bigint`s of 10^-18 behind them. No float, no
 * rounding. This is the only place that reads or writes them, and it needs no runtime, so that offline checks use it too.
 */

/** Smallest units in one native token: 10^18. */
export const UNITS_PER_TOKEN = 1_000_000_000_000_000_000n

const DECIMALS = 18

/** A decimal number of tokens that is not negative: `0`, `0.1`, `12.000000000000000001`. */
export const DECIMAL_TEXT = /^\d+(?:\.\d{1,18})?$/u

/** The smallest units of a text that matches {@link DECIMAL_TEXT}: `"0.1"` → 100000000000000000n. */
export const unitsOfDigits = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole) * UNITS_PER_TOKEN + BigInt(fraction.padEnd(DECIMALS, "0"))
}

/** Writes signed smallest units as an exact decimal number of tokens without trailing zeros: `100000000000000000n` → `"0.1"`. */
export const formatTokens = (units: bigint): string => {
  const magnitude = units < 0n ? -units : units
  const fraction = (magnitude % UNITS_PER_TOKEN).toString().padStart(DECIMALS, "0").replace(/0+$/, "")
  return `${units < 0n ? "-" : ""}${magnitude / UNITS_PER_TOKEN}${fraction === "" ? "" : `.${fraction}`}`
}

/** Reads what {@link formatTokens} writes, and nothing else: `"-0"`, `"0.10"` and `"00"` are `undefined`. */
export const parseExactTokens = (text: string): bigint | undefined => {
  const digits = text.startsWith("-") ? text.slice(1) : text
  if (!DECIMAL_TEXT.test(digits)) return undefined
  const units = text.startsWith("-") ? -unitsOfDigits(digits) : unitsOfDigits(digits)
  return formatTokens(units) === text ? units : undefined
}
