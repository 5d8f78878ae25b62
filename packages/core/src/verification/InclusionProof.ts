/**
 * What a proof of inclusion shows by hashing alone, step by step as Inclusion.ts (core/proof) describes it: header → block hash, header →
 * receipt, receipt → event, header → transaction. The first step that does not hold is the answer.
 */

import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { isSameBytes } from "../identity/SameBytes.ts"
import { type BlockHeader, readHeader } from "../proof/BlockHeader.ts"
import { commitTopic, eventData, topicOf, topicsOf } from "../proof/CommitEvent.ts"
import type { Inclusion, ProvenLeaf } from "../proof/Inclusion.ts"
import type { LedgerPosition } from "../proof/LedgerPosition.ts"
import { type Log, readLog } from "../proof/Receipt.ts"
import { encodeRlp, rlpInteger } from "../proof/Rlp.ts"
import { valueAt } from "../proof/TriePath.ts"
import type { Code } from "./Codes.ts"
import type { Compared } from "./Report.ts"

/** What is claimed of the commit, beside its place. */
export interface ClaimedEvent {
  readonly assetCid: string | undefined
  readonly commitData: string | undefined
}

export type InclusionFinding =
  | { readonly ok: true; readonly header: BlockHeader }
  | { readonly ok: false; readonly code: Code; readonly compared: Compared }

/** Whether `inclusion` shows that the event claimed stands in the block that `place` names. */
export const openInclusion = (inclusion: Inclusion, place: LedgerPosition, event: ClaimedEvent): InclusionFinding => {
  const header = readHeader(inclusion.header)
  if (header === undefined) return stop("inclusion_malformed", "a block header", "other bytes")
  if (header.hash !== place.blockHash.toLowerCase()) {
    return stop("inclusion_header_differs", place.blockHash, header.hash)
  }
  if (header.number !== place.blockNumber) {
    return stop("inclusion_block_number_differs", `block ${header.number}`, `block ${place.blockNumber}`)
  }
  if (!isInTrie(header.receiptsRoot, inclusion.transactionIndex, inclusion.receipt)) {
    return stop(
      "inclusion_path_broken",
      `receiptsRoot 0x${bytesToHex(header.receiptsRoot)}`,
      "a path that does not fit"
    )
  }
  const receipt = readLog(inclusion.receipt.value, inclusion.logPosition)
  if (receipt === undefined) return stop("inclusion_malformed", "a transaction receipt", "other bytes")
  if (receipt.log === undefined) {
    return stop("inclusion_log_absent", `log ${inclusion.logPosition} of the receipt`, `${receipt.count} logs`)
  }
  return eventProblem(receipt.log, place, event) ?? logIndexProblem(inclusion, place) ?? { ok: true, header }
}

export interface TransactionFinding {
  /** Whether the path leads from the header to the transaction. */
  readonly path: boolean
  /** Its hash, and the one that the place names. */
  readonly hash: string
  readonly named: string
}

/** Whether the transaction that the place names is the one whose receipt holds the event; undefined when it is not shown. */
export const transactionHolds = (
  inclusion: Inclusion,
  header: BlockHeader,
  place: LedgerPosition
): TransactionFinding | undefined => {
  if (inclusion.transaction === undefined) return undefined
  const { transaction, transactionIndex } = inclusion
  return {
    path: isInTrie(header.transactionsRoot, transactionIndex, transaction),
    hash: `0x${bytesToHex(keccak_256(transaction.value))}`,
    named: place.txHash.toLowerCase()
  }
}

const stop = (code: Code, expected: string | undefined, actual: string): InclusionFinding => ({
  ok: false,
  code,
  compared: { expected, actual }
})

const isInTrie = (root: Uint8Array, index: number, { value, path }: ProvenLeaf): boolean => {
  const found = valueAt(root, encodeRlp(rlpInteger(index)), path)
  return found !== undefined && isSameBytes(found, value)
}

const eventProblem = (log: Log, place: LedgerPosition, event: ClaimedEvent): InclusionFinding | undefined => {
  const contract = `0x${bytesToHex(log.address)}`
  if (contract !== place.contract.toLowerCase()) return stop("inclusion_contract_differs", place.contract, contract)
  const topics = topicsOf(log)
  if (topics?.event !== commitTopic()) {
    return stop("inclusion_event_differs", "Commit(address,string,string)", "another event")
  }
  const recorder = place.recorder.slice(2).toLowerCase().padStart(64, "0")
  if (topics.recorder !== recorder) {
    return stop("inclusion_recorder_differs", place.recorder, `0x${topics.recorder.slice(24)}`)
  }
  if (event.commitData === undefined || !isSameBytes(log.data, eventData(event.commitData))) {
    return stop("inclusion_commit_data_differs", "the commit data of the proof", "other data in the event")
  }
  if (event.assetCid === undefined) return stop("inclusion_asset_unknown", undefined, `0x${topics.assetCid}`)
  const asset = topicOf(event.assetCid)
  return topics.assetCid === asset
    ? undefined
    : stop("inclusion_asset_differs", `0x${asset} (${event.assetCid})`, `0x${topics.assetCid}`)
}

/** How many logs stand before the receipt's is not shown, but there are never fewer than none, and none before the first receipt's. */
const logIndexProblem = (
  { logPosition, transactionIndex }: Inclusion,
  { logIndex }: LedgerPosition
): InclusionFinding | undefined => {
  const isPossible = transactionIndex === 0 ? logIndex === logPosition : logIndex >= logPosition
  if (isPossible) return undefined
  const least = transactionIndex === 0 ? `log ${logPosition} of the block` : `log ${logPosition} of the block or later`
  return stop("inclusion_log_index_differs", least, `log ${logIndex}`)
}
