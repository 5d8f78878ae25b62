/**
 * The tables of the store as the connected database itself lists them, so that whatever copies a store cannot forget one that was added
 * later. Each comes after those it refers to.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { MIGRATION_TABLE } from "./Migrations.ts"

export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** The columns of its primary key, in order. */
  readonly key: ReadonlyArray<string>
}

interface ColumnRow {
  readonly name: string
  readonly column: string
  /** Place in the primary key from 1; 0: not in it. */
  readonly key: number
}

interface ReferenceRow {
  readonly name: string
  readonly refers: string
}

/**
 * Tables that are the database's own affair: the noted migrations, SQLite's helper for balanced entries (0005_Receipts), which daemons
 * live at the moment, and the index of the ledger's commits, which is read off the ledger anew.
 */
const NOT_DATA = new Set([
  MIGRATION_TABLE,
  "balanced_entry",
  "replica",
  "ledger_index",
  "ledger_commit",
  "ledger_asset"
])

/** Columns that only the database writes: whether SQLite has found an entry balanced, and in which transaction PostgreSQL took down an event. */
const isDerived = ({ column, name }: ColumnRow): boolean =>
  (name === "ledger_entry" && column === "is_balanced") || (name === "account_event" && column === "transaction_id")

const ofPostgres = (sql: SqlClient.SqlClient) =>
  Effect.all({
    columns: sql<ColumnRow>`SELECT c.relname AS name, a.attname AS "column",
        COALESCE(array_position(i.indkey::int2[], a.attnum) + 1, 0)::int AS "key"
      FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
      WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
      ORDER BY c.relname, a.attnum`,
    references: sql<ReferenceRow>`SELECT c.relname AS name, r.relname AS refers
      FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class r ON r.oid = f.confrelid
      WHERE f.contype = 'f' AND c.relnamespace = current_schema()::regnamespace`
  })

const ofSqlite = (sql: SqlClient.SqlClient) =>
  Effect.all({
    columns: sql<ColumnRow>`SELECT t.name AS name, c.name AS "column", c.pk AS "key"
      FROM sqlite_schema t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY t.name, c.cid`,
    references: sql<ReferenceRow>`SELECT t.name AS name, f."table" AS refers
      FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table'`
  })

/** Every table that holds data of the store, in an order in which rows can be inserted. */
export const tablesOf: (sql: SqlClient.SqlClient) => Effect.Effect<ReadonlyArray<Table>, SqlError.SqlError> =
  Effect.fnUntraced(function* (sql) {
    const { columns, references } = yield* sql.onDialectOrElse({
      pg: () => ofPostgres(sql),
      orElse: () => ofSqlite(sql)
    })
    const byName = Map.groupBy(
      columns.filter((row) => !NOT_DATA.has(row.name) && !isDerived(row)),
      ({ name }) => name
    )
    const sorted: Array<Table> = []
    const seen = new Set<string>()
    const visit = (name: string): void => {
      const rows = byName.get(name)
      if (rows === undefined || seen.has(name)) return
      seen.add(name)
      for (const reference of references) if (reference.name === name) visit(reference.refers)
      const key = rows.filter((row) => Number(row.key) > 0).sort((a, b) => Number(a.key) - Number(b.key))
      sorted.push({ name, columns: rows.map(({ column }) => column), key: key.map(({ column }) => column) })
    }
    for (const name of byName.keys()) visit(name)
    return sorted
  })
