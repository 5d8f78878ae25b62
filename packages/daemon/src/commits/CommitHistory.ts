/**
 * What happened to a commit's job, one row of `commit_event` per event, written in the transaction of the step it tells of. Of a job that
 * was signed as it was made, the job's own row says that much, until its next event is written with it. Times are milliseconds since 1970.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { gwei } from "../evm/Fees.ts"
import type { CommitEventName } from "./CommitStates.ts"
import { commitTable } from "./CommitTable.ts"

export interface CommitEvent {
  readonly what: CommitEventName
  readonly txHash?: string | null
  readonly blockNumber?: number | null
  readonly blockHash?: string | null
  /** A sentence for people. */
  readonly detail?: string | null
}

/** A job as its row was before the event. */
interface Before {
  readonly state: string
  readonly tx_hash: string | null
  readonly created_at: number | bigint
}

/** Adds an event after those the job has; part of the transaction of its step. `before`: the job's row, if it had one. */
export const addEvent = Effect.fnUntraced(function* (jobId: string, at: number, event: CommitEvent, before?: Before) {
  const sql = yield* SqlClient.SqlClient
  const { blockHash = null, blockNumber = null, detail = null, txHash = null, what } = event
  const last = sql`SELECT MAX(sequence) FROM commit_event WHERE job_id = ${jobId}`
  const insert = sql`INSERT INTO commit_event (job_id, sequence, at, what, tx_hash, block_number, block_hash, detail)`
  if (before === undefined || before.state === "queued") {
    return yield* sql`${insert} VALUES (${jobId}, COALESCE((${last}), 0) + 1,
      ${at}, ${what}, ${txHash}, ${blockNumber}, ${blockHash}, ${detail})`
  }
  return yield* sql`${insert}
    SELECT ${jobId}, 1, ${before.created_at}, 'signed', ${before.tx_hash}, NULL, NULL, NULL
      WHERE NOT EXISTS (SELECT 1 FROM commit_event WHERE job_id = ${jobId})
    UNION ALL SELECT ${jobId}, COALESCE((${last}), 1) + 1, CAST(${at} AS BIGINT), ${what}, ${txHash},
      CAST(${blockNumber} AS BIGINT), ${blockHash}, ${detail}`
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

/** What the row of a job says that has no event yet. */
const signedOf = Effect.fnUntraced(function* (jobId: string) {
  const signed = yield* commitTable(yield* SqlClient.SqlClient).signed(jobId)
  return signed.map(
    ({ created_at, tx_hash }): EventRow => ({
      at: created_at,
      what: "signed",
      tx_hash,
      block_number: null,
      block_hash: null,
      detail: null
    })
  )
})

/** The events of a job, oldest first. */
export const eventsOf = Effect.fnUntraced(function* (jobId: string) {
  const sql = yield* SqlClient.SqlClient
  const written = yield* sql<EventRow>`SELECT at, what, tx_hash, block_number, block_hash, detail FROM commit_event
    WHERE job_id = ${jobId} ORDER BY sequence`
  const rows = written.length > 0 ? written : yield* signedOf(jobId)
  return rows.map((row) => ({
    at: new Date(Number(row.at)).toISOString(),
    what: row.what,
    txHash: row.tx_hash,
    blockNumber: row.block_number === null ? null : Number(row.block_number),
    blockHash: row.block_hash,
    detail: row.detail
  }))
})
