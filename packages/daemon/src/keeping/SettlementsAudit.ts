/** The settlements against their transfers: what the books took as received is on the ledger, and what is under way is booked so. */
import { formatTokens } from "@treemark/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Note } from "./AuditReport.ts"
import type { BookSums } from "./BooksAudit.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly amount: string
  readonly state: "sending" | "settled" | "returned"
  readonly tx_hash: string | null
  readonly job_state: string | null
  readonly value: string | null
  readonly job_hash: string | null
}

export const auditSettlements = Effect.fn("Audit.settlements")(function* (
  sql: SqlClient.SqlClient,
  note: Note,
  { balances }: BookSums
) {
  const rows = yield* sql<Row>`SELECT s.id, s.account_id, s.amount, s.state, s.tx_hash, t.state AS job_state, t.value,
      t.tx_hash AS job_hash
    FROM settlement s LEFT JOIN transfer_job t ON t.id = s.id`
  const sending = new Map<string, bigint>()
  for (const { id, account_id, amount, state, tx_hash, job_state, value, job_hash } of rows) {
    if (state === "sending") {
      const book = `settling:${account_id}`
      sending.set(book, (sending.get(book) ?? 0n) + BigInt(amount))
    } else if (state === "settled" && (job_state !== "mined" || value !== amount || tx_hash !== job_hash)) {
      const transfer = job_state === null ? "has no transfer" : `has a transfer of ${value} that is ${job_state}`
      note("settlement_differs", id, `It is settled with ${amount} (10^-18), and ${transfer}.`)
    } else if (state === "returned" && job_state === "mined") {
      note("settlement_differs", id, `It was given back, and its transfer ${job_hash} is on the ledger.`)
    }
  }
  for (const [book, balance] of balances) {
    const sum = sending.get(book) ?? 0n
    if (!book.startsWith("settling:") || -balance === sum) continue
    note("settlement_differs", book, `${formatTokens(sum)} are under way, the book says ${formatTokens(-balance)}.`)
  }
})
