/**
 * Amounts of the native token: a `bigint` of the smallest unit, 10^-18 of one token. Never a float, no upper bound.
 * This is the only place that reads or writes amounts as decimal text without losing digits.
 */
import { Schema, SchemaGetter } from "effect"

/** Smallest units in one native token: 10^18. */
export const UNITS_PER_TOKEN = 1_000_000_000_000_000_000n

const DECIMALS = 18
const DECIMAL_TEXT = /^\d+(?:\.\d{1,18})?$/u

/** A non-negative amount in smallest units (10^-18 of a native token). */
export const Amount = Schema.BigInt.check(
  Schema.isGreaterThanOrEqualToBigInt(0n, { message: "must not be negative" })
).pipe(Schema.brand("Amount"))
export type Amount = typeof Amount.Type

/** An {@link Amount} of `units` smallest units; throws a `SchemaError` when negative. */
export const amount = (units: bigint): Amount => Amount.make(units)

const tokensOfDigits = (text: string): Amount => {
  const [whole = "0", fraction = ""] = text.split(".")
  return amount(BigInt(whole) * UNITS_PER_TOKEN + BigInt(fraction.padEnd(DECIMALS, "0")))
}

/** Reads a decimal number of tokens (`"0.1"`, at most 18 digits after the point); `undefined` when it is anything else. */
export const parseTokens = (text: string): Amount | undefined =>
  DECIMAL_TEXT.test(text) ? tokensOfDigits(text) : undefined

/** Writes an amount (signed smallest units) as an exact decimal number of tokens without trailing zeros: `100000000000000000n` → `"0.1"`. */
export const formatTokens = (units: bigint): string => {
  const magnitude = units < 0n ? -units : units
  const fraction = (magnitude % UNITS_PER_TOKEN).toString().padStart(DECIMALS, "0").replace(/0+$/, "")
  return `${units < 0n ? "-" : ""}${magnitude / UNITS_PER_TOKEN}${fraction === "" ? "" : `.${fraction}`}`
}

/** An {@link Amount} written as an exact decimal number of tokens, e.g. `"0.1"`: the form used in JSON and settings. */
export const AmountInTokens = Schema.String.check(
  Schema.isPattern(DECIMAL_TEXT, {
    message: 'must be a decimal number of tokens with at most 18 digits after the point, such as "0.1"'
  })
).pipe(
  Schema.decodeTo(Amount, {
    decode: SchemaGetter.transform((text: string) => tokensOfDigits(text)),
    encode: SchemaGetter.transform((units: bigint) => formatTokens(units))
  })
)
