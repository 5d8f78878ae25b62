/**
 * Rows of `commit_job` and what a receipt makes of them. Amounts are decimal text in 10^-18; 64-bit columns come as `number` from
 * SQLite and as `bigint` from PostgreSQL, so they pass through `Number`.
 */
import {
  type Amount,
  amount,
  LedgerEntry,
  type NetworkRole,
  parseCid,
  type WalletAddress,
  walletAddress
} from "@treemark/core"
import { bytesToHex, type Hex, isAddressEqual, keccak256, stringToBytes, type TransactionReceipt } from "viem"
import { COMMIT_TOPIC } from "../evm/CommitContract.ts"
import type { LedgerNetwork } from "../evm/Networks.ts"
import type { Signed } from "../evm/OutboxTransaction.ts"
import type { Lane } from "../store/Leases.ts"

/** The columns that are read. */
export interface CommitRow {
  readonly id: string
  readonly network: NetworkRole
  readonly chain_id: number | bigint
  readonly asset_cid: string
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

/** What core's `Ledger.record` is given. */
export interface CommitOrder {
  readonly commitId: string
  readonly holdId: string
  readonly accountId: string
  readonly assetCid: string
  readonly assetTreeCid: string
  readonly commitData: string
}

/** The columns of a commit that nothing was signed for yet; `at` is milliseconds since 1970. */
export const newColumns = (role: NetworkRole, order: CommitOrder, lane: Lane, at: number) => ({
  id: order.commitId,
  account_id: order.accountId,
  network: role,
  chain_id: lane.chainId,
  asset_cid: order.assetCid,
  asset_tree_cid: order.assetTreeCid,
  tree_sha256: sha256Of(order.assetTreeCid),
  commit_json: order.commitData,
  hold_id: order.holdId,
  committer: lane.address,
  error: null,
  created_at: at,
  updated_at: at
})

/** What was signed, as a row holds it. */
export const signedColumns = ({ hash, nonce, raw }: Pick<Signed, "hash" | "nonce" | "raw">) => ({
  state: "signed",
  nonce,
  raw_tx: raw,
  tx_hash: hash
})

/** The signed transaction of a row that has one. */
export const signedOf = (row: CommitRow, network: LedgerNetwork, walletIndex: number | undefined): Signed => ({
  table: "commit_job",
  id: row.id,
  network,
  address: row.committer ?? "",
  nonce: Number(row.nonce),
  raw: (row.raw_tx ?? "") as Hex,
  hash: (row.tx_hash ?? "") as Hex,
  walletIndex
})

const sha256Of = (treeCid: string): string => {
  const parsed = parseCid(treeCid)
  if (parsed === undefined) throw new RangeError(`An asset tree's name is a CID; here it is "${treeCid}".`)
  return bytesToHex(parsed.digest).slice(2)
}

/** The entry of a mined transaction; undefined when it reverted or left no Commit event of this asset at the contract. */
export const entryOfReceipt = (
  network: LedgerNetwork,
  recorder: WalletAddress,
  assetCid: string,
  receipt: TransactionReceipt
): LedgerEntry | undefined => {
  const asset = keccak256(stringToBytes(assetCid))
  const event = receipt.logs.find(
    ({ address, topics }) =>
      isAddressEqual(address, network.contract as `0x${string}`) && topics[0] === COMMIT_TOPIC && topics[2] === asset
  )
  if (receipt.status !== "success" || event === undefined) return undefined
  return new LedgerEntry({
    network: network.name,
    chainId: network.chainId,
    contract: network.contract,
    txHash: receipt.transactionHash,
    blockNumber: Number(receipt.blockNumber),
    blockHash: receipt.blockHash,
    logIndex: event.logIndex,
    recorder,
    gasPaid: amount(receipt.gasUsed * receipt.effectiveGasPrice)
  })
}

/** What a receipt leaves in the row, beside the state. */
export const receiptColumns = (receipt: TransactionReceipt, entry: LedgerEntry | undefined, gasLimit: bigint) => ({
  tx_hash: receipt.transactionHash,
  block_number: Number(receipt.blockNumber),
  block_hash: receipt.blockHash,
  log_index: entry?.logIndex ?? null,
  gas_used: receipt.gasUsed.toString(),
  gas_price: receipt.effectiveGasPrice.toString(),
  error: entry === undefined ? failureOf(receipt, gasLimit) : null
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
