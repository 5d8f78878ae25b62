/**
 * Copies a whole store into an empty one of the same version, from SQLite to PostgreSQL or the other way, and proves it: rows are counted
 * and hashed on both sides, and the books of the copy must balance, every account to the last digit.
 */
import { createHash } from "node:crypto"
import { Array as Arr, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Table, tablesOf } from "../store/Tables.ts"
import { type AuditFinding, findingOf } from "./AuditReport.ts"
import { auditBooks } from "./BooksAudit.ts"

/** Why a store was not copied; the target is as it was. */
export class StoreNotCopied extends Schema.TaggedError<StoreNotCopied>()("StoreNotCopied", {
  problem: Schema.String
}) {
  override get message() {
    return `The store was not copied: ${this.problem} Nothing was changed there.`
  }
}

export interface Copied {
  readonly tables: number
  readonly rows: number
}

type Row = Readonly<Record<string, string | number | bigint | null>>

/** Values in one statement; SQLite takes 32,766 and PostgreSQL 65,535. */
const VALUES = 8_000
const MOST_ROWS = 500

/** Copies every row of `from` into `to`, which has the same tables, all empty. Belongs into one transaction on each side. */
export const copyStore = Effect.fn("Store.copy")(
  function* (from: SqlClient.SqlClient, to: SqlClient.SqlClient) {
    const tables = yield* tablesOf(from)
    yield* refuseDifferent(tables, yield* tablesOf(to))
    yield* refuseFull(to, tables)
    let rows = 0
    for (const table of tables) {
      const sent = yield* copyTable(from, to, table)
      const arrived = yield* readTable(to, table)
      if (sent.count !== arrived.count || sent.hash !== arrived.hash) {
        return yield* new StoreNotCopied({
          problem: `the table ${table.name} arrived with ${arrived.count} of ${sent.count} rows, or with other values.`
        })
      }
      rows += sent.count
    }
    yield* goOnCounting(to, tables)
    yield* compareBooks(from, to)
    return { tables: tables.length, rows } satisfies Copied
  },
  Effect.provideService(SqlClient.SafeIntegers, true)
)

const refuseDifferent = (ours: ReadonlyArray<Table>, theirs: ReadonlyArray<Table>) => {
  const known = new Map(theirs.map((table) => [table.name, new Set(table.columns)]))
  const missing = ours.flatMap(({ columns, name }) =>
    columns.filter((column) => !known.get(name)?.has(column)).map((column) => `${name}.${column}`)
  )
  return missing.length === 0 && ours.length === theirs.length
    ? Effect.void
    : Effect.fail(
        new StoreNotCopied({ problem: `the other database has other tables (${missing.slice(0, 3).join(", ")}).` })
      )
}

const refuseFull = Effect.fnUntraced(function* (to: SqlClient.SqlClient, tables: ReadonlyArray<Table>) {
  for (const { name } of tables) {
    const rows = yield* to`SELECT 1 FROM ${to(name)} LIMIT 1`
    if (rows.length > 0) {
      return yield* new StoreNotCopied({ problem: `the other database is not empty: its table ${name} has rows.` })
    }
  }
})

/** Reads a table page by page, in the order in which its database does that fastest. */
const eachRows = <E, R>(
  sql: SqlClient.SqlClient,
  { columns, key, name }: Table,
  use: (rows: ReadonlyArray<Row>) => Effect.Effect<void, E, R>
) => {
  const limit = sql.literal(String(Math.min(MOST_ROWS, Math.floor(VALUES / columns.length))))
  const listed = sql.csv(columns.map((column) => sql`${sql(column)}`))
  const order = sql.csv(key.map((column) => sql`${sql(column)}`))
  const page = (last: Row | undefined) =>
    sql.onDialectOrElse({
      pg: () => {
        const after = sql.csv(key.map((column) => sql`${last?.[column] ?? null}`))
        const where = last === undefined ? sql.literal("TRUE") : sql`(${order}) > (${after})`
        return sql<Row>`SELECT ${listed} FROM ${sql(name)} WHERE ${where} ORDER BY ${order} LIMIT ${limit}`
      },
      orElse: () => sql<Row>`SELECT rowid AS row_place, ${listed} FROM ${sql(name)}
        WHERE rowid > ${last?.row_place ?? Number.MIN_SAFE_INTEGER} ORDER BY rowid LIMIT ${limit}`
    })
  return Effect.gen(function* () {
    let last: Row | undefined
    do {
      const rows = yield* page(last)
      if (rows.length > 0) yield* use(rows)
      last = rows.at(-1)
      yield* Effect.yieldNow
    } while (last !== undefined)
  })
}

/** Counts rows and adds up the sha256 of each, so that the order does not matter. */
const makeTally = (columns: ReadonlyArray<string>) => {
  let count = 0
  let sum = 0n
  return {
    add: (rows: ReadonlyArray<Row>): void => {
      count += rows.length
      for (const row of rows) {
        const values = JSON.stringify(columns.map((column) => (row[column] === null ? null : String(row[column]))))
        sum += BigInt(`0x${createHash("sha256").update(values).digest("hex")}`)
      }
    },
    read: () => ({ count, hash: BigInt.asUintN(256, sum) })
  }
}

const copyTable = Effect.fnUntraced(function* (from: SqlClient.SqlClient, to: SqlClient.SqlClient, table: Table) {
  const { columns, name } = table
  const tally = makeTally(columns)
  yield* eachRows(from, table, (rows) => {
    tally.add(rows)
    const values = rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null])))
    return Arr.isReadonlyArrayNonEmpty(values)
      ? Effect.asVoid(to`INSERT INTO ${to(name)} ${to.insert(values)}`)
      : Effect.void
  })
  return tally.read()
})

/** PostgreSQL counts the ids it gives apart from the rows: it goes on behind the last one that was copied. SQLite looks at the rows. */
const goOnCounting = (to: SqlClient.SqlClient, tables: ReadonlyArray<Table>) =>
  to.onDialectOrElse({
    pg: () =>
      Effect.forEach(
        tables.filter(({ key }) => key.length === 1),
        ({ key: [column = ""], name }) =>
          to`SELECT setval(pg_get_serial_sequence(${name}, ${column})::regclass, (SELECT MAX(${to(column)}) FROM ${to(name)})::bigint)
            WHERE pg_get_serial_sequence(${name}, ${column}) IS NOT NULL`,
        { discard: true }
      ),
    orElse: () => Effect.void
  })

const readTable = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, table: Table) {
  const tally = makeTally(table.columns)
  yield* eachRows(sql, table, (rows) => Effect.sync(() => tally.add(rows)))
  return tally.read()
})

/** The books as the audit sees them: balanced within themselves, and every account the same on both sides. */
const compareBooks = Effect.fnUntraced(function* (from: SqlClient.SqlClient, to: SqlClient.SqlClient) {
  const findings: Array<AuditFinding> = []
  const there = yield* auditBooks(to, (code, subject, detail) => void findings.push(findingOf(code, subject, detail)))
  const [first] = findings
  if (first !== undefined) {
    const problem = `its books do not agree with themselves (${first.code} ${first.subject}: ${first.detail}) Look at treemarkd audit first.`
    return yield* new StoreNotCopied({ problem })
  }
  const here = yield* from<{ readonly id: string; readonly balance: string }>`SELECT id, balance FROM ledger_account`
  const wrong = here.find(({ balance, id }) => there.balances.get(id) !== BigInt(balance))
  if (wrong === undefined && here.length === there.balances.size) return
  return yield* new StoreNotCopied({ problem: `the balance of ${wrong?.id ?? "an account"} arrived as another one.` })
})
