/**
 * What the ledger did with a commit's transaction, as an event of core's machine and what is written beside it. A commit that was
 * recorded before and fell out of the chain keeps the gas it was charged for: what the second time costs is the service's matter.
 */
import { type CommitEvent as Happening, LedgerEntry, walletAddress } from "@treemark/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { TransactionReceipt } from "viem"
import type { LedgerNetwork } from "../evm/Networks.ts"
import { type CommitRow, entryOfReceipt, gasPaidOf, receiptColumns } from "./CommitRow.ts"
import { makeCommitTransitions, type Written } from "./CommitTransitions.ts"

/** How a transaction ended, with an entry where it was recorded and an error where it was not. */
export interface Outcome {
  readonly event: Happening
  readonly written: Written
  readonly entry: LedgerEntry | undefined
  readonly error: string | null
}

/** What a receipt makes of a job; `row` where it has one from before. */
export const outcomeOf = (
  network: LedgerNetwork,
  job: { readonly committer: string; readonly gasLimit: bigint; readonly row?: CommitRow },
  assetCid: string,
  receipt: TransactionReceipt
): Outcome => {
  const charged = job.row === undefined ? undefined : gasPaidOf(job.row)
  const found = entryOfReceipt(network, walletAddress(job.committer), assetCid, receipt)
  const { error, gas_price, gas_used, ...others } = receiptColumns(receipt, found, job.gasLimit)
  const kept =
    charged === undefined ? { gas_price, gas_used } : { gas_price: job.row?.gas_price, gas_used: job.row?.gas_used }
  const place = { blockNumber: Number(receipt.blockNumber), blockHash: receipt.blockHash }
  const history = {
    what: found === undefined ? ("reverted" as const) : ("mined" as const),
    txHash: receipt.transactionHash,
    ...place,
    detail: error ?? againDetail(charged, receipt.gasUsed * receipt.effectiveGasPrice)
  }
  const columns = { ...others, error, gas_price: kept.gas_price ?? gas_price, gas_used: kept.gas_used ?? gas_used }
  const written = { columns, history }
  if (found === undefined) return { event: { _tag: "failed" }, written, entry: undefined, error }
  const watched = network.watchBlocks > 0
  return {
    event: { _tag: "confirmed", place, gasPaid: found.gasPaid, watched },
    written,
    entry: charged === undefined ? found : new LedgerEntry({ ...found, gasPaid: charged }),
    error
  }
}

/** Each ends or turns a commit in one transaction, with its money, unless that has no meaning any more. */
export const makeCommitOutcome = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { settle, tell } = yield* makeCommitTransitions

  const conclude = (id: string, { event, written }: Outcome) => sql.withTransaction(tell(id, event, written))

  /** It is in a block and waits for confirmations; said once per block. */
  const inBlock = (id: string, { blockHash, blockNumber, transactionHash }: TransactionReceipt) => {
    const place = { blockNumber: Number(blockNumber), blockHash }
    const history = { what: "in_block", txHash: transactionHash, ...place } as const
    return sql.withTransaction(tell(id, { _tag: "included", place }, { history }))
  }

  /** Its block fell out of the chain: it is under way again, with the money that was taken for it, if any was. */
  const reorganised = (id: string, block: { readonly blockHash: string; readonly blockNumber: bigint }) => {
    const place = { blockNumber: Number(block.blockNumber), blockHash: block.blockHash }
    const history = {
      what: "reorganised",
      ...place,
      detail: "The chain has another block at that height now; the same bytes are sent again."
    } as const
    return sql.withTransaction(tell(id, { _tag: "fell_out", place }, { history }))
  }

  return { conclude, inBlock, reorganised, settle }
})

const againDetail = (charged: bigint | undefined, paid: bigint): string | null =>
  charged === undefined || charged === paid
    ? null
    : `Its gas cost ${paid} this time, and ${charged} were charged when it was first recorded (10^-18): the difference is the service's.`
