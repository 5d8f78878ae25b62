/** The books by themselves: every entry sums to zero, every balance is the sum of its postings, and all of them together are zero. */
import { formatTokens } from "@treemark/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { eachPage } from "../store/Snapshot.ts"
import type { Note } from "./AuditReport.ts"

const PAGE = 500

interface PostingRow {
  /** SQLite: where the row stands on the disk. An entry's postings stand together, and are read fastest so. */
  readonly place: number
  readonly entry_id: string
  readonly account_id: string
  readonly amount: string
}

/** What the other parts of an audit go on from; amounts in 10^-18. */
export interface BookSums {
  readonly entries: number
  readonly balances: ReadonlyMap<string, bigint>
  /** What each capture's entry took (price and gas), by the entry's id. */
  readonly captures: ReadonlyMap<string, bigint>
}

export const auditBooks = Effect.fn("Audit.books")(function* (sql: SqlClient.SqlClient, note: Note) {
  const sums = new Map<string, bigint>()
  const captures = new Map<string, bigint>()
  let entries = 0
  let current = ""
  let entrySum = 0n
  const endEntry = () => {
    if (current === "") return
    entries++
    if (entrySum !== 0n) note("entry_unbalanced", current, `It is off by ${formatTokens(entrySum)}.`)
  }

  yield* eachPage(
    (last: PostingRow | undefined) =>
      sql.onDialectOrElse({
        pg: () => sql<PostingRow>`SELECT 0 AS place, entry_id, account_id, amount FROM posting
          WHERE (entry_id, account_id) > (${last?.entry_id ?? ""}, ${last?.account_id ?? ""})
          ORDER BY entry_id, account_id LIMIT ${PAGE}`,
        orElse: () => sql<PostingRow>`SELECT rowid AS place, entry_id, account_id, amount FROM posting
          WHERE rowid > ${last?.place ?? -1} ORDER BY rowid LIMIT ${PAGE}`
      }),
    (rows) => {
      for (const { entry_id, account_id, amount } of rows) {
        if (entry_id !== current) {
          endEntry()
          current = entry_id
          entrySum = 0n
        }
        const units = BigInt(amount)
        entrySum += units
        sums.set(account_id, (sums.get(account_id) ?? 0n) + units)
        if ((account_id === "revenue" || account_id === "gas") && entry_id.startsWith("capture:")) {
          captures.set(entry_id, (captures.get(entry_id) ?? 0n) + units)
        }
      }
    }
  )
  endEntry()

  const rows = yield* sql<{ readonly id: string; readonly balance: string }>`SELECT id, balance FROM ledger_account`
  const balances = new Map(rows.map(({ id, balance }) => [id, BigInt(balance)]))
  for (const [id, balance] of balances) {
    const sum = sums.get(id) ?? 0n
    if (sum === balance) continue
    note("balance_differs", id, `It says ${formatTokens(balance)}, its postings sum to ${formatTokens(sum)}.`)
  }
  const total = [...balances.values()].reduce((sum, balance) => sum + balance, 0n)
  if (total !== 0n) note("total_not_zero", "all accounts", `They sum to ${formatTokens(total)}.`)
  return { entries, balances, captures } satisfies BookSums
})
