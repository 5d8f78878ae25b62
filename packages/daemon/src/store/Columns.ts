/**
 * Columns as the books read them back. A 64-bit integer is a number from SQLite and a bigint from PostgreSQL; an amount is decimal
 * text in 10^-18.
 */
import { Amount } from "@treemark/core"
import { Schema, SchemaGetter } from "effect"

/** An integer, or a time in milliseconds since 1970. */
export const IntColumn = Schema.Union([Schema.Number, Schema.BigInt]).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((value: number | bigint) => Number(value)),
    encode: SchemaGetter.passthrough()
  })
)

export const AmountColumn = Schema.BigIntFromString.pipe(Schema.decodeTo(Amount))
