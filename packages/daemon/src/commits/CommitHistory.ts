/**
 * What happened to a commit's job, one row of `commit_event` per event, written in the transaction of the step it tells of. Times are
 * milliseconds since 1970.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { gwei } from "../evm/Fees.ts"
import type { CommitEventName } from "./CommitStates.ts"

export interface CommitEvent {
  readonly what: CommitEventName
  readonly txHash?: string | null
  readonly blockNumber?: number | null
  readonly blockHash?: string | null
  /** A sentence for people. */
  readonly detail?: string | null
}

/** Adds an event after those the job has; part of the transaction of its step. */
export const addEvent = Effect.fnUntraced(function* (jobId: string, at: number, event: CommitEvent) {
  const sql = yield* SqlClient.SqlClient
  const { blockHash = null, blockNumber = null, detail = null, txHash = null, what } = event
  yield* sql`INSERT INTO commit_event (job_id, sequence, at, what, tx_hash, block_number, block_hash, detail)
    VALUES (${jobId}, (SELECT COALESCE(MAX(sequence), 0) + 1 FROM commit_event WHERE job_id = ${jobId}),
      ${at}, ${what}, ${txHash}, ${blockNumber}, ${blockHash}, ${detail})`
})

/** For the history of a replaced transaction: from which fee per gas to which, in wei. */
export const replacedDetail = (from: bigint, to: bigint): string =>
  `The most it offers per unit of gas was raised from ${gwei(from)} to ${gwei(to)}. The caller pays no more than was held; what it costs above that is the service's.`

interface EventRow {
  readonly at: number | bigint
  readonly what: CommitEventName
  readonly tx_hash: string | null
  readonly block_number: number | bigint | null
  readonly block_hash: string | null
  readonly detail: string | null
}

/** The events of a job, oldest first. */
export const eventsOf = Effect.fnUntraced(function* (jobId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<EventRow>`SELECT at, what, tx_hash, block_number, block_hash, detail FROM commit_event
    WHERE job_id = ${jobId} ORDER BY sequence`
  return rows.map((row) => ({
    at: new Date(Number(row.at)).toISOString(),
    what: row.what,
    txHash: row.tx_hash,
    blockNumber: row.block_number === null ? null : Number(row.block_number),
    blockHash: row.block_hash,
    detail: row.detail
  }))
})
