/**
 * The few words in which the DDL of SQLite and PostgreSQL differ: types, strict tables, and CHECKs on decimal text. Amounts are
 * decimal TEXT in 10^-18, because an int64 overflows at 9.2 tokens; times are milliseconds since 1970.
 */
import type { SqlClient, Statement } from "effect/sql"

export interface Dialect {
  /** A 64-bit integer column type. */
  readonly int64: string
  /** Table suffix: SQLite then refuses values of another type, as PostgreSQL always does. */
  readonly strict: string
  /** CHECK expression: `column` is a canonical decimal integer, not negative (`0`, `12`, never `012`). */
  readonly natural: (column: string) => string
  /** CHECK expression: `column` is a canonical decimal integer (`-12`, `0`, `12`, never `-0`). */
  readonly integer: (column: string) => string
  /** CHECK expression: `column` is `digits` lower-case hex digits. */
  readonly hex: (column: string, digits: number) => string
}

const sqlite: Dialect = {
  int64: "INTEGER",
  strict: " STRICT",
  natural: (column) => `(${column} = '0' OR (${column} GLOB '[1-9]*' AND ${column} NOT GLOB '*[^0-9]*'))`,
  integer: (column) =>
    `(${column} = '0' OR (${column} GLOB '[1-9]*' AND ${column} NOT GLOB '*[^0-9]*') OR (${column} GLOB '-[1-9]*' AND substr(${column}, 2) NOT GLOB '*[^0-9]*'))`,
  hex: (column, digits) => `(length(${column}) = ${digits} AND ${column} NOT GLOB '*[^0-9a-f]*')`
}

const postgres: Dialect = {
  int64: "BIGINT",
  strict: "",
  natural: (column) => `(${column} ~ '^(0|[1-9][0-9]*)$')`,
  integer: (column) => `(${column} ~ '^(0|-?[1-9][0-9]*)$')`,
  hex: (column, digits) => `(${column} ~ '^[0-9a-f]{${digits}}$')`
}

/** CHECK expression on both: of two canonical naturals, `left` is not greater than `right`. */
export const atMost = (left: string, right: string): string =>
  `(length(${left}) < length(${right}) OR (length(${left}) = length(${right}) AND ${left} <= ${right}))`

/** The dialect of the connected database. */
export const dialectOf = (sql: SqlClient.SqlClient): Dialect =>
  sql.onDialectOrElse({ pg: () => postgres, orElse: () => sqlite })

/**
 * By which index SQLite is to read the table before it. It plans without looking at what is there, and would read every commit ever made to
 * find the few under way; PostgreSQL keeps count and plans by itself. A statement whose index is gone is refused.
 */
export const byIndex = (sql: SqlClient.SqlClient, index: string): Statement.Fragment =>
  sql.onDialectOrElse({ pg: () => sql.literal(""), orElse: () => sql.literal(`INDEXED BY ${index}`) })
