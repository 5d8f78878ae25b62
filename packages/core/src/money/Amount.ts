/**
 * Amounts of the native token: a `bigint` of the smallest unit, 10^-18 of one token. Never a float, no upper bound. Their decimal
 * text is read and written in `Decimal.ts`.
 */
import { Schema, SchemaGetter } from "effect"
import { DECIMAL_TEXT, formatTokens, unitsOfDigits } from "./Decimal.ts"

export { formatTokens, UNITS_PER_TOKEN } from "./Decimal.ts"

/** A non-negative amount in smallest units (10^-18 of a native token). */
export const Amount = Schema.BigInt.check(
  Schema.isGreaterThanOrEqualToBigInt(0n, { message: "must not be negative" })
).pipe(Schema.brand("Amount"))
export type Amount = typeof Amount.Type

/** An {@link Amount} of `units` smallest units; throws a `SchemaError` when negative. */
export const amount = (units: bigint): Amount => Amount.make(units)

/** Reads a decimal number of tokens (`"0.1"`, at most 18 digits after the point); `undefined` when it is anything else. */
export const parseTokens = (text: string): Amount | undefined =>
  DECIMAL_TEXT.test(text) ? amount(unitsOfDigits(text)) : undefined

/** An {@link Amount} written as an exact decimal number of tokens, e.g. `"0.1"`: the form used in JSON and settings. */
export const AmountInTokens = Schema.String.check(
  Schema.isPattern(DECIMAL_TEXT, {
    message: 'must be a decimal number of tokens with at most 18 digits after the point, such as "0.1"'
  })
).pipe(
  Schema.decodeTo(Amount, {
    decode: SchemaGetter.transform((text: string) => amount(unitsOfDigits(text))),
    encode: SchemaGetter.transform((units: bigint) => formatTokens(units))
  })
)
