/**
 * How a hold ends, as part of the transaction at hand: charged, with its receipt, or given back. What is taken was decided before, by
 * core's charging; here it is only written down.
 */
import { type BookAccount, type Charge, captureLines, type Line, linesOf, releaseLines } from "@treemark/core/charging"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { OpenHold } from "./Holds.ts"
import { Postings } from "./Postings.ts"
import { type LastReceipt, Receipts } from "./Receipts.ts"

const moneyOf = ({ amount, caller, funding, price }: OpenHold) => ({
  accountId: caller.accountId,
  amount,
  funding,
  price
})

interface Standing extends Partial<LastReceipt> {
  readonly id: string
  readonly balance: string
}

/** Needs the hold locked, by itself or by the job it belongs to, and its account's row too: receipts of one account follow one another. */
export const makeHoldEntries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const postings = yield* Postings
  const receipts = yield* Receipts
  const forUpdate = sql.literal(sql.onDialectOrElse({ pg: () => "ORDER BY l.id FOR UPDATE OF l", orElse: () => "" }))

  /** The balances of the accounts that are there, locked, and the last receipt of the account: one question. */
  const standing = Effect.fnUntraced(function* (accountId: string, accounts: ReadonlyArray<BookAccount>) {
    const ids = accounts.map(({ id }) => id)
    const rows = yield* sql<Standing>`SELECT l.id, l.balance, r.hash, r.sequence, r.created_at FROM ledger_account l
      LEFT JOIN receipt r ON r.account_id = ${accountId}
        AND r.sequence = (SELECT MAX(sequence) FROM receipt WHERE account_id = ${accountId})
      WHERE ${sql.in("l.id", ids)} ${forUpdate}`
    const [{ created_at, hash, sequence } = {}] = rows
    const last: LastReceipt | undefined =
      typeof hash === "string" && sequence !== undefined && created_at !== undefined
        ? { hash, sequence, created_at }
        : undefined
    return { balances: new Map(rows.map(({ balance, id }) => [id, BigInt(balance)])), last }
  })

  const close = Effect.fnUntraced(function* (
    { id }: OpenHold,
    columns: { readonly state: string; readonly captured?: string; readonly closed_at: number }
  ) {
    const closed = yield* sql`UPDATE hold SET ${sql.update(columns)} WHERE id = ${id} AND state = 'held' RETURNING id`
    if (closed.length === 0) return yield* Effect.die(new Error(`The hold ${id} is not open.`))
  })

  /** Answers the receipt, as the header carries it. */
  const capture = Effect.fnUntraced(function* (hold: OpenHold, charge: Charge) {
    if (charge.unpaid > 0n) {
      yield* Effect.logWarning(
        `The work ${hold.reference} cost ${charge.taken + charge.unpaid} and only ${hold.amount} (10^-18) was held for it: no more than that is charged.`
      )
    }
    const closed_at = yield* Clock.currentTimeMillis
    const entry = { id: `capture:${hold.id}`, kind: "capture", reference: hold.reference, at: closed_at }
    const lines: ReadonlyArray<Line> = linesOf(entry.id, captureLines(moneyOf(hold), charge))
    const { balances, last } = yield* standing(
      hold.caller.accountId,
      lines.map(({ account }) => account)
    )
    yield* postings.post(entry, lines, balances)
    yield* close(hold, { state: "captured", captured: charge.taken.toString(), closed_at })
    return yield* receipts.issue({ hold, entryId: entry.id, charge, at: closed_at, last })
  })

  const release = Effect.fnUntraced(function* (hold: OpenHold) {
    const entry = { id: `release:${hold.id}`, kind: "release", reference: hold.reference }
    yield* postings.post(entry, releaseLines(moneyOf(hold)))
    yield* close(hold, { state: "released", closed_at: yield* Clock.currentTimeMillis })
  })

  return { capture, release }
})
