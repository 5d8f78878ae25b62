/**
 * What the ledger did with a commit's transaction, written to its row and its history in one transaction. A commit that was recorded
 * before and fell out of the chain keeps the gas it was charged for: what the second time costs is the service's matter.
 */
import { LedgerEntry, walletAddress } from "@treemark/core"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { TransactionReceipt } from "viem"
import type { LedgerNetwork } from "../ledger/Networks.ts"
import { addEvent, type CommitEvent } from "./CommitHistory.ts"
import { type CommitRow, entryOfReceipt, gasPaidOf, minedColumns } from "./CommitRow.ts"

export const makeCommitOutcome = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const note = (id: string, at: number, event: CommitEvent) =>
    Effect.provideService(addEvent(id, at, event), SqlClient.SqlClient, sql)

  /** What a receipt makes of a job; `row` where it has one from before. */
  const of = (
    network: LedgerNetwork,
    job: { readonly committer: string; readonly gasLimit: bigint; readonly row?: CommitRow },
    assetCid: string,
    receipt: TransactionReceipt
  ) => {
    const charged = job.row === undefined ? undefined : gasPaidOf(job.row)
    const found = entryOfReceipt(network, walletAddress(job.committer), assetCid, receipt)
    const columns = minedColumns(receipt, found, { watchBlocks: network.watchBlocks, gasLimit: job.gasLimit })
    const { gas_price, gas_used, ...others } = columns
    const event: CommitEvent = {
      what: found === undefined ? "reverted" : "mined",
      txHash: receipt.transactionHash,
      blockNumber: Number(receipt.blockNumber),
      blockHash: receipt.blockHash,
      detail: columns.error ?? againDetail(charged, receipt.gasUsed * receipt.effectiveGasPrice)
    }
    if (charged === undefined) return { columns, entry: found, event }
    const entry = found === undefined ? undefined : new LedgerEntry({ ...found, gasPaid: charged })
    const kept = { gas_used: job.row?.gas_used ?? gas_used, gas_price: job.row?.gas_price ?? gas_price }
    return { columns: { ...others, ...kept }, entry, event }
  }

  /** Ends the job, unless somebody has; a variant that was replaced may be the one that was mined. */
  const write = Effect.fnUntraced(function* (id: string, columns: ReturnType<typeof minedColumns>, event: CommitEvent) {
    const at = yield* Clock.currentTimeMillis
    const rows = yield* sql`UPDATE commit_job SET ${sql.update({ ...columns, updated_at: at })},
        raw_tx = COALESCE((SELECT v.raw_tx FROM transaction_variant v WHERE v.tx_hash = ${columns.tx_hash}), raw_tx)
      WHERE id = ${id} AND state IN ('signed', 'sent') RETURNING id`
    if (rows.length > 0) yield* note(id, at, event)
  }, sql.withTransaction)

  /** It is in a block and waits for confirmations; said once per block. */
  const inBlock = Effect.fnUntraced(function* (id: string, receipt: TransactionReceipt) {
    const { blockHash, transactionHash: txHash } = receipt
    const blockNumber = Number(receipt.blockNumber)
    const at = yield* Clock.currentTimeMillis
    const columns = { state: "sent", block_number: blockNumber, block_hash: blockHash, updated_at: at }
    const rows =
      yield* sql`UPDATE commit_job SET ${sql.update(columns)} WHERE id = ${id} AND state IN ('signed', 'sent')
      AND (block_hash IS NULL OR block_hash <> ${blockHash}) RETURNING id`
    if (rows.length > 0) yield* note(id, at, { what: "in_block", txHash, blockNumber, blockHash })
  }, sql.withTransaction)

  /** Its block fell out of the chain: it is under way again, with the money that was taken for it, if any was. */
  const reorganised = Effect.fnUntraced(function* (
    id: string,
    { blockHash, blockNumber }: { readonly blockHash: string; readonly blockNumber: bigint }
  ) {
    const at = yield* Clock.currentTimeMillis
    const columns = { state: "sent", block_number: null, block_hash: null, log_index: null, watched: 0, updated_at: at }
    const rows = yield* sql<{ readonly tx_hash: string | null }>`UPDATE commit_job SET ${sql.update(columns)}
      WHERE id = ${id} AND block_hash = ${blockHash} RETURNING tx_hash`
    const [row] = rows
    if (row === undefined) return
    yield* note(id, at, {
      what: "reorganised",
      txHash: row.tx_hash,
      blockNumber: Number(blockNumber),
      blockHash,
      detail: "The chain has another block at that height now; the same bytes are sent again."
    })
  }, sql.withTransaction)

  return { of, write, inBlock, reorganised }
})

const againDetail = (charged: bigint | undefined, paid: bigint): string | null =>
  charged === undefined || charged === paid
    ? null
    : `Its gas cost ${paid} this time, and ${charged} were charged when it was first recorded (10^-18): the difference is the service's.`
