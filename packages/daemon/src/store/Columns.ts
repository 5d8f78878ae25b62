/**
 * Rows as they are read back, and what their columns hold. A 64-bit integer is a number from SQLite and a bigint from PostgreSQL, a sum or a
 * count may be text; an amount is decimal text in 10^-18.
 */
import { Amount } from "@treemark/core"
import { Effect, Schema, SchemaGetter } from "effect"

/** Reads the rows of a statement as `row` has them. One that is otherwise is a bug: the migrations and the schema disagree. */
export const rowsAs = <A, I>(row: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return <E, R>(rows: Effect.Effect<ReadonlyArray<object>, E, R>): Effect.Effect<ReadonlyArray<A>, E, R> =>
    Effect.flatMap(rows, (found) => Effect.orDie(decode(found)))
}

/** An integer, or a time in milliseconds since 1970. */
export const IntColumn = Schema.Union([Schema.Number, Schema.BigInt]).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((value: number | bigint) => Number(value)),
    encode: SchemaGetter.passthrough()
  })
)

/** A size in bytes, as decimal text. */
export const SizeColumn = Schema.FiniteFromString.pipe(Schema.check(Schema.isInt()))

export const AmountColumn = Schema.BigIntFromString.pipe(Schema.decodeTo(Amount))
