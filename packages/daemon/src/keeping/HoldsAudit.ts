/** The holds against the books and the commit jobs: what is held is being worked on, and what was charged is what the work cost. */
import { formatTokens } from "@treemark/core"
import { Context, Duration, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { commitTable } from "../commits/CommitTable.ts"
import { eachPage, readingOrder } from "../store/Snapshot.ts"
import type { Note } from "./AuditReport.ts"
import type { BookSums } from "./BooksAudit.ts"

/** Calls younger than this may be between two of their steps while the audit reads. */
export const AuditGrace = Context.Reference<Duration.Duration>("@treemark/daemon/keeping/AuditGrace", {
  defaultValue: () => Duration.minutes(2)
})

const PAGE = 500

interface HoldRow {
  readonly place: number | string
  readonly id: string
  readonly account_id: string
  readonly operation: string
  readonly reference: string | null
  readonly amount: string
  readonly captured: string | null
  readonly funding: "credits" | "tokens"
  readonly state: "held" | "captured" | "released"
  readonly price: string
  readonly created_at: number | bigint
  readonly job_state: string | null
  readonly gas_used: string | null
  readonly gas_price: string | null
  readonly updated_at: number | bigint | null
}

const OPEN_JOBS = new Set(["queued", "signed", "sent"])

/** Audits every hold as of `now` (milliseconds since 1970); answers how many there are. */
export const auditHolds = Effect.fn("Audit.holds")(function* (
  sql: SqlClient.SqlClient,
  note: Note,
  books: BookSums,
  now: number
) {
  const before = now - Duration.toMillis(yield* AuditGrace)
  const held = new Map<string, bigint>()
  let count = 0
  const audit = (row: HoldRow) => {
    count++
    if (row.state === "held") {
      const book = `held-${row.funding}:${row.account_id}`
      held.set(book, (held.get(book) ?? 0n) + BigInt(row.amount))
      auditOpen(row, before, note)
    } else if (row.state === "captured") auditCharge(row, books.captures.get(`capture:${row.id}`) ?? 0n, note)
    else if (row.job_state === "mined") {
      note("commit_not_charged", row.reference ?? row.id, `Its hold ${row.id} was released.`)
    }
  }
  const { column, first } = readingOrder(sql, "h", "id")
  yield* eachPage(
    (last: HoldRow | undefined) => sql<HoldRow>`
      SELECT ${column} AS place, h.id, h.account_id, h.operation, h.reference, h.amount, h.captured, h.funding, h.state, h.price, h.created_at,
        j.state AS job_state, j.gas_used, j.gas_price, j.updated_at
      FROM hold h ${commitTable(sql).besideHold("h.id")}
      WHERE ${column} > ${last?.place ?? first} ORDER BY ${column} LIMIT ${PAGE}`,
    (rows) => rows.forEach(audit)
  )
  for (const [book, balance] of books.balances) {
    if (!book.startsWith("held-")) continue
    const sum = held.get(book) ?? 0n
    held.delete(book)
    if (sum !== balance) noteHeld(note, book, balance, sum)
  }
  for (const [book, sum] of held) noteHeld(note, book, 0n, sum)
  for (const id of yield* commitTable(sql).withoutHold) note("commit_without_hold", id, "Its job names no hold.")
  return count
})

const noteHeld = (note: Note, book: string, balance: bigint, sum: bigint) =>
  note("held_differs", book, `The book says ${formatTokens(balance)}, open holds sum to ${formatTokens(sum)}.`)

const auditOpen = (row: HoldRow, before: number, note: Note) => {
  const work = `${row.operation} ${row.reference ?? ""}`.trim()
  if (row.job_state === null && Number(row.created_at) < before) {
    const since = new Date(Number(row.created_at)).toISOString()
    note("hold_abandoned", row.id, `${formatTokens(BigInt(row.amount))} are held for ${work} since ${since}.`)
  } else if (row.job_state !== null && !OPEN_JOBS.has(row.job_state) && Number(row.updated_at) < before) {
    note("hold_not_closed", row.id, `The ${work} is ${row.job_state}.`)
  }
}

/** A commit that was charged may be under way again, when its block fell out of the chain; it keeps the gas it was charged for. */
const auditCharge = (row: HoldRow, booked: bigint, note: Note) => {
  const captured = BigInt(row.captured ?? 0)
  if (booked !== captured) {
    note("charge_not_booked", row.id, `${formatTokens(captured)} were captured, ${formatTokens(booked)} are booked.`)
  }
  const isCommit = row.operation === "commit"
  const isSentAgain = row.gas_used !== null && OPEN_JOBS.has(row.job_state ?? "")
  if (isCommit && row.job_state !== "mined" && !isSentAgain) {
    const state = row.job_state === null ? "it has no job" : `its job is ${row.job_state}`
    return note(
      "charge_without_commit",
      row.reference ?? row.id,
      `${formatTokens(captured)} were charged, and ${state}.`
    )
  }
  const gas = isCommit ? BigInt(row.gas_used ?? 0) * BigInt(row.gas_price ?? 0) : 0n
  const cost = BigInt(row.price) + gas
  const amount = BigInt(row.amount)
  const due = cost < amount ? cost : amount
  if (due !== captured) {
    note(
      "charge_differs",
      row.reference ?? row.id,
      `${formatTokens(captured)} were charged, ${formatTokens(due)} were due.`
    )
  }
}
