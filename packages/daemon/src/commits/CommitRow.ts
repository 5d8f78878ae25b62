/**
 * Rows of commits and what a receipt makes of them. Amounts are decimal text in 10^-18; 64-bit columns come as `number` from
 * SQLite and as `bigint` from PostgreSQL, so they pass through `Number`.
 */
import {
  type Amount,
  amount,
  type CommitOutcome,
  type CommitPlan,
  type CommitWork,
  LedgerEntry,
  type NetworkRole,
  parseCid,
  walletAddress
} from "@treemark/core"
import { bytesToHex, isAddressEqual, keccak256, stringToBytes, type TransactionReceipt } from "viem"
import { COMMIT_TOPIC } from "../evm/CommitContract.ts"
import type { Terms } from "../evm/Fees.ts"
import type { LedgerNetwork } from "../evm/Networks.ts"
import type { Signed } from "../evm/OutboxTransaction.ts"
import type { Lane } from "../store/Leases.ts"

/** The columns that are read. */
export interface CommitRow {
  readonly id: string
  readonly network: NetworkRole
  readonly chain_id: number | bigint
  readonly asset_cid: string
  readonly asset_tree_cid: string
  /** The commit record, as it stands or will stand on the ledger. */
  readonly commit_json: string
  readonly state: string
  readonly hold_id: string | null
  readonly committer: string | null
  readonly nonce: number | bigint | null
  readonly raw_tx: string | null
  readonly tx_hash: string | null
  readonly block_number: number | bigint | null
  readonly block_hash: string | null
  readonly log_index: number | null
  readonly gas_used: string | null
  readonly gas_price: string | null
  readonly error: string | null
  /** The terms of a commit that waits to be signed. */
  readonly gas_limit: string | null
  readonly max_fee: string | null
  readonly max_tip: string | null
}

/** The columns of a commit that was just planned; `at` is milliseconds since 1970. */
export const newColumns = (plan: CommitPlan, lane: Lane, holdId: string, at: number) => ({
  id: plan.call.id,
  account_id: plan.caller.accountId,
  network: plan.network,
  chain_id: lane.chainId,
  asset_cid: plan.assetCid,
  asset_tree_cid: plan.tree.cid,
  tree_sha256: sha256Of(plan.tree.cid),
  commit_json: plan.commitData,
  hold_id: holdId,
  committer: lane.address,
  error: null,
  created_at: at,
  updated_at: at
})

/** The terms on which a commit waits to be signed. */
export const termsColumns = ({ gas, maxFeePerGas, maxPriorityFeePerGas }: Terms) => ({
  gas_limit: gas.toString(),
  max_fee: maxFeePerGas.toString(),
  max_tip: maxPriorityFeePerGas.toString()
})

/** The terms on which a queued row wants to be signed. */
export const termsOf = (row: CommitRow): Terms => {
  const [gas, maxFeePerGas] = [BigInt(row.gas_limit ?? 0), BigInt(row.max_fee ?? 0)]
  return { gas, maxFeePerGas, maxPriorityFeePerGas: BigInt(row.max_tip ?? 0), ceiling: gas * maxFeePerGas }
}

/** What was signed, as a row holds it. */
export const signedColumns = ({ hash, nonce, raw }: Pick<Signed, "hash" | "nonce" | "raw">) => ({
  state: "signed",
  nonce,
  raw_tx: raw,
  tx_hash: hash
})

/** Whether the commit of a row is under way. */
export const isOpen = ({ state }: Pick<CommitRow, "state">): boolean =>
  state === "queued" || state === "signed" || state === "sent"

/** A row as the work it stands for. */
export const workOf = (row: CommitRow): CommitWork => ({
  commitId: row.id,
  network: row.network,
  assetCid: row.asset_cid,
  assetTreeCid: row.asset_tree_cid,
  commitData: row.commit_json,
  transaction:
    row.tx_hash === null || row.raw_tx === null
      ? undefined
      : { from: walletAddress(row.committer ?? ""), nonce: Number(row.nonce), raw: row.raw_tx, hash: row.tx_hash }
})

const sha256Of = (treeCid: string): string => {
  const parsed = parseCid(treeCid)
  if (parsed === undefined) throw new RangeError(`An asset tree's name is a CID; here it is "${treeCid}".`)
  return bytesToHex(parsed.digest).slice(2)
}

/** What a receipt says of a commit: recorded only by an event of this asset, at our contract, in a transaction that succeeded. */
export const outcomeOf = (
  network: LedgerNetwork,
  assetCid: string,
  gasLimit: bigint,
  receipt: TransactionReceipt
): CommitOutcome => {
  const asset = keccak256(stringToBytes(assetCid))
  const event = receipt.logs.find(
    ({ address, topics }) =>
      isAddressEqual(address, network.contract as `0x${string}`) && topics[0] === COMMIT_TOPIC && topics[2] === asset
  )
  const logIndex = receipt.status === "success" ? event?.logIndex : undefined
  return {
    txHash: receipt.transactionHash,
    place: { blockNumber: Number(receipt.blockNumber), blockHash: receipt.blockHash },
    logIndex,
    reason: logIndex === undefined ? failureOf(receipt, gasLimit) : null,
    gasUsed: receipt.gasUsed,
    gasPaid: amount(receipt.gasUsed * receipt.effectiveGasPrice),
    watched: network.watchBlocks > 0
  }
}

/** What an outcome leaves in the row, beside the state. A commit that was recorded before keeps the gas it was charged for. */
export const outcomeColumns = (
  row: CommitRow,
  { gasPaid, gasUsed, logIndex, place, reason, txHash }: CommitOutcome
) => ({
  tx_hash: txHash,
  block_number: place.blockNumber,
  block_hash: place.blockHash,
  log_index: logIndex ?? null,
  gas_used: row.gas_used ?? gasUsed.toString(),
  gas_price: row.gas_price ?? (gasUsed === 0n ? 0n : gasPaid / gasUsed).toString(),
  error: reason
})

const failureOf = ({ blockNumber, gasUsed, status, transactionHash }: TransactionReceipt, gasLimit: bigint): string => {
  if (status === "success") {
    return `transaction ${transactionHash} is in block ${blockNumber}, but the contract recorded no commit. Check the contract's address in the settings.`
  }
  return gasUsed === gasLimit
    ? `transaction ${transactionHash} in block ${blockNumber} ran out of gas: it used all of its ${gasLimit} units, more than the node had estimated.`
    : `the contract refused the commit: transaction ${transactionHash} in block ${blockNumber} was reverted after ${gasUsed} units of gas.`
}

/** The gas a row was recorded with, and therefore charged for; undefined before that. */
export const gasPaidOf = ({ gas_price, gas_used }: CommitRow): Amount | undefined =>
  gas_used === null || gas_price === null ? undefined : amount(BigInt(gas_used) * BigInt(gas_price))

/** The entry of a row in the state `mined`. */
export const entryOfRow = (network: LedgerNetwork, row: CommitRow): LedgerEntry =>
  new LedgerEntry({
    network: network.name,
    chainId: Number(row.chain_id),
    contract: network.contract,
    txHash: row.tx_hash ?? "",
    blockNumber: Number(row.block_number),
    blockHash: row.block_hash ?? "",
    logIndex: row.log_index ?? -1,
    recorder: walletAddress(row.committer ?? ""),
    gasPaid: gasPaidOf(row) ?? amount(0n)
  })
