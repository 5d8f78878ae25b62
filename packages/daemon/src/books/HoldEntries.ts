/**
 * How a hold ends, as part of the transaction at hand: charged, with its receipt, or given back. What is taken was decided before, by
 * core's charging; here it is only written down.
 */
import { type Charge, captureLines, releaseLines } from "@treemark/core/charging"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { StoredHold } from "./Holds.ts"
import { Postings } from "./Postings.ts"
import { Receipts } from "./Receipts.ts"

const moneyOf = ({ amount, caller, funding, price }: StoredHold) => ({
  accountId: caller.accountId,
  amount,
  funding,
  price
})

/** Needs the hold locked, by itself or by the job it belongs to. */
export const makeHoldEntries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const postings = yield* Postings
  const receipts = yield* Receipts

  /** Answers the receipt, as the header carries it. */
  const capture = Effect.fnUntraced(function* (hold: StoredHold, charge: Charge) {
    if (charge.unpaid > 0n) {
      yield* Effect.logWarning(
        `The work ${hold.reference} cost ${charge.taken + charge.unpaid} and only ${hold.amount} (10^-18) was held for it: no more than that is charged.`
      )
    }
    const closed_at = yield* Clock.currentTimeMillis
    const entry = { id: `capture:${hold.id}`, kind: "capture", reference: hold.reference, at: closed_at }
    yield* postings.post(entry, captureLines(moneyOf(hold), charge))
    const columns = { state: "captured", captured: charge.taken.toString(), closed_at }
    yield* sql`UPDATE hold SET ${sql.update(columns)} WHERE id = ${hold.id}`
    return yield* receipts.issue({ hold, entryId: entry.id, charge, at: closed_at })
  })

  const release = Effect.fnUntraced(function* (hold: StoredHold) {
    const entry = { id: `release:${hold.id}`, kind: "release", reference: hold.reference }
    yield* postings.post(entry, releaseLines(moneyOf(hold)))
    const columns = { state: "released", closed_at: yield* Clock.currentTimeMillis }
    yield* sql`UPDATE hold SET ${sql.update(columns)} WHERE id = ${hold.id}`
  })

  return { capture, release }
})
