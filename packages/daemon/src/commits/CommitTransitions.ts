/**
 * The one place where a commit goes from one state to the next: it asks core's machine, and writes the state, its history and the money in
 * the transaction at hand. What the machine finds without meaning (told late, or twice, or by a daemon that lost the wallet) is not
 * written. Amounts are 10^-18.
 */
import {
  type AccountId,
  amount,
  type CommitState,
  type CommitEvent as Happening,
  type Money,
  next,
  type Place
} from "@treemark/core"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeHoldEntries } from "../books/HoldEntries.ts"
import type { OpenHold } from "../books/Holds.ts"
import { commitsEnded, note } from "../telemetry/Metrics.ts"
import { addEvent, type CommitEvent } from "./CommitHistory.ts"
import { type CommitRow, gasPaidOf } from "./CommitRow.ts"

/** A commit with its hold, which is locked with it: whoever closes the hold of a commit has its job's row, and its account's. */
export interface Told extends CommitRow {
  readonly account_id: AccountId
  readonly created_at: number | bigint
  readonly watched: number
  readonly hold_state: "held" | "captured" | "released" | null
  readonly hold_amount: string | null
  readonly hold_price: string | null
  readonly hold_funding: OpenHold["funding"]
  readonly hold_price_version: string
}

type Row = Told

interface Columns {
  readonly tx_hash?: string | null
  readonly raw_tx?: string | null
  readonly [name: string]: string | number | null | undefined
}

/** What is written beside the state, when the event has a meaning. */
export interface Written {
  readonly columns?: Columns
  /** Of the row's transaction, where it does not say which. */
  readonly history?: CommitEvent
}

export const makeCommitTransitions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const entries = yield* makeHoldEntries
  const ofJob = sql.literal(
    sql.onDialectOrElse({ pg: () => "FOR UPDATE OF j FOR NO KEY UPDATE OF a", orElse: () => "" })
  )

  const find = (id: string) =>
    Effect.map(
      sql<Row>`SELECT j.*, h.state AS hold_state, h.amount AS hold_amount, h.price AS hold_price,
          h.funding AS hold_funding, h.price_version AS hold_price_version
        FROM commit_job j JOIN account a ON a.id = j.account_id LEFT JOIN hold h ON h.id = j.hold_id
        WHERE j.id = ${id} ${ofJob}`,
      (rows) => rows[0]
    )

  const write = Effect.fnUntraced(function* (row: Row, before: CommitState, event: Happening, written: Written) {
    const { actions, state } = next(before, event)
    let receipt: string | undefined
    if (state === before && actions.length === 0) return { state, hasChanged: false, receipt }
    const updated_at = yield* Clock.currentTimeMillis
    const { columns = {}, history } = written
    yield* sql`UPDATE commit_job SET ${sql.update({ ...columns, ...columnsOf(state), updated_at })} WHERE id = ${row.id}`
    if (typeof columns.tx_hash === "string" && columns.tx_hash !== row.tx_hash && columns.raw_tx === undefined) {
      yield* sql`UPDATE commit_job SET raw_tx = (SELECT raw_tx FROM transaction_variant WHERE tx_hash = ${columns.tx_hash})
        WHERE id = ${row.id}`
    }
    if (history !== undefined) {
      const event = { txHash: row.tx_hash, ...history }
      yield* Effect.provideService(addEvent(row.id, updated_at, event, row), SqlClient.SqlClient, sql)
    }
    for (const action of actions) {
      if (action._tag === "alarm") {
        yield* Effect.logError(
          `The commit ${row.id} was recorded and charged, and is not on the ledger: ${String(columns.error ?? "it never will be.")} ${LOST}`
        )
      }
      if (action._tag !== "capture" && action._tag !== "release") continue
      if (action._tag === "capture") receipt = yield* entries.capture(holdOf(row), action.charge)
      else yield* entries.release(holdOf(row))
    }
    if (state._tag === "mined" && before._tag !== "mined" && state.money._tag === "released") {
      yield* Effect.logError(
        `The commit ${row.id} was recorded well after its hold ${row.hold_id} had been released: it was not charged.`
      )
    }
    const outcome = outcomeOf(before, state)
    if (outcome !== undefined) yield* sql.afterCommit(Effect.sync(() => note(commitsEnded, 1, { outcome })))
    return { state, hasChanged: true, receipt }
  })

  /** The commit, locked until the transaction at hand ends. */
  const lock = Effect.fnUntraced(function* (id: string) {
    return (yield* find(id)) ?? (yield* Effect.die(new Error(`The commit ${id} vanished from the store.`)))
  })

  /** Tells a locked commit of `event`; answers the state after it, whether anything was written, and the receipt of what was charged. */
  const tellLocked = (row: Told, event: Happening, written: Written = {}) => write(row, stateOf(row), event, written)

  /** Tells of `event`, as part of the transaction at hand. */
  const tell = (id: string, event: Happening, written: Written = {}) =>
    Effect.flatMap(lock(id), (row) => tellLocked(row, event, written))

  /** Closes the hold of a commit that had ended before its end and its money were one transaction. */
  const settle = Effect.fnUntraced(function* (id: string) {
    const row = yield* find(id)
    if (row === undefined || row.hold_state !== "held") return
    const money = moneyOf(row)
    const gasPaid = gasPaidOf(row) ?? amount(0n)
    const place = placeOf(row) ?? { blockNumber: 0, blockHash: "" }
    if (row.state === "mined") {
      const event: Happening = { _tag: "confirmed", place, gasPaid, watched: row.watched === 1 }
      yield* write(row, { _tag: "in_block", money, place }, event, {})
    } else if (row.state === "refused") yield* write(row, { _tag: "queued", money }, { _tag: "withdraw" }, {})
    else if (row.state === "reverted") yield* write(row, { _tag: "sent", money }, { _tag: "failed" }, {})
    else if (row.state === "displaced") yield* write(row, { _tag: "sent", money }, { _tag: "nonce_spent" }, {})
  }, sql.withTransaction)

  return { lock, tell, tellLocked, settle }
})

/** How the commit ended, or began anew, by this step. */
const outcomeOf = (before: CommitState, { _tag }: CommitState): string | undefined => {
  if (before._tag === _tag) return undefined
  if (_tag === "mined" || _tag === "reverted" || _tag === "displaced" || _tag === "refused") return _tag
  return before._tag === "mined" ? "reorganised" : undefined
}

const LOST = `What to do stands in docs/operations.md under "A charged commit is lost".`

const placeOf = ({ block_hash, block_number }: Row): Place | undefined =>
  block_hash === null || block_number === null
    ? undefined
    : { blockNumber: Number(block_number), blockHash: block_hash }

/** The open hold of a row. */
const holdOf = (row: Row): OpenHold => ({
  id: row.hold_id ?? "",
  caller: { accountId: row.account_id },
  operation: "commit",
  reference: row.id,
  amount: amount(BigInt(row.hold_amount ?? 0)),
  price: amount(BigInt(row.hold_price ?? 0)),
  priceVersion: row.hold_price_version,
  funding: row.hold_funding
})

const moneyOf = (row: Row): Money => {
  if (row.hold_state === "held") {
    const terms = { amount: amount(BigInt(row.hold_amount ?? 0)), price: amount(BigInt(row.hold_price ?? 0)) }
    return { _tag: "held", terms }
  }
  if (row.hold_state === "captured") return { _tag: "captured", gasPaid: gasPaidOf(row) ?? amount(0n) }
  return { _tag: "released" }
}

/** The state that a row stands for; a commit in a block that waits for confirmations is `sent` there, with its block. */
const stateOf = (row: Row): CommitState => {
  const money = moneyOf(row)
  const place = placeOf(row)
  switch (row.state) {
    case "queued":
    case "signed":
    case "refused":
    case "reverted":
    case "displaced":
      return { _tag: row.state, money }
    case "mined":
      return {
        _tag: "mined",
        money,
        place: place ?? { blockNumber: 0, blockHash: "" },
        watched: row.watched === 1
      }
    case "sent":
      return place === undefined ? { _tag: "sent", money } : { _tag: "in_block", money, place }
    default:
      throw new Error(`The commit ${row.id} is in a state that there is not: ${row.state}.`)
  }
}

/** What a state says of the columns; an event may say more. */
const columnsOf = (state: CommitState): Columns => {
  switch (state._tag) {
    case "planned":
      return {}
    case "in_block":
      return { state: "sent", block_number: state.place.blockNumber, block_hash: state.place.blockHash }
    case "sent":
      return { state: "sent", block_number: null, block_hash: null, log_index: null, watched: 0 }
    case "mined":
      return { state: "mined", watched: state.watched ? 1 : 0 }
    default:
      return { state: state._tag }
  }
}
