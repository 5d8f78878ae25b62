/**
 * Rows of `commit_job` and what a receipt makes of them. Amounts are decimal text in 10^-18; 64-bit columns come as `number` from
 * SQLite and as `bigint` from PostgreSQL, so they pass through `Number`.
 */
import { amount, LedgerEntry, type NetworkRole, type WalletAddress, walletAddress } from "@treemark/core"
import { encodeEventTopics, isAddressEqual, type TransactionReceipt } from "viem"
import { commitAbi } from "../ledger/CommitContract.ts"
import type { LedgerNetwork } from "../ledger/Networks.ts"

/** The columns that are read. */
export interface CommitRow {
  readonly id: string
  readonly network: NetworkRole
  readonly chain_id: number | bigint
  readonly asset_cid: string
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
}

/** The entry of a mined transaction; undefined when it reverted or left no Commit event of this asset at the contract. */
export const entryOfReceipt = (
  network: LedgerNetwork,
  recorder: WalletAddress,
  assetCid: string,
  receipt: TransactionReceipt
): LedgerEntry | undefined => {
  const [signature, , asset] = encodeEventTopics({ abi: commitAbi, eventName: "Commit", args: { assetCid } })
  const event = receipt.logs.find(
    ({ address, topics }) =>
      isAddressEqual(address, network.contract as `0x${string}`) && topics[0] === signature && topics[2] === asset
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

/** What a receipt leaves in the row. */
export const minedColumns = (receipt: TransactionReceipt, entry: LedgerEntry | undefined) => ({
  state: entry === undefined ? "reverted" : "mined",
  block_number: Number(receipt.blockNumber),
  block_hash: receipt.blockHash,
  log_index: entry?.logIndex ?? null,
  gas_used: receipt.gasUsed.toString(),
  gas_price: receipt.effectiveGasPrice.toString(),
  error: entry === undefined ? failureOf(receipt) : null
})

const failureOf = ({ blockNumber, gasUsed, status, transactionHash }: TransactionReceipt): string =>
  status === "success"
    ? `transaction ${transactionHash} is in block ${blockNumber}, but the contract recorded no commit. Check the contract's address in the settings.`
    : `the contract refused the commit: transaction ${transactionHash} in block ${blockNumber} was reverted after ${gasUsed} units of gas.`

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
    gasPaid: amount(BigInt(row.gas_used ?? 0) * BigInt(row.gas_price ?? 0))
  })
