/**
 * Where a commit stands on an EVM ledger: the `Commit` event (ERC-7053, https://eips.ethereum.org/EIPS/eip-7053) that carried
 * the commit record. Hashes are `0x` and 64 hex digits. In a proof these are claims until an inclusion proof covers them.
 */

/** Where a commit stands on a ledger. */
export interface LedgerPosition {
  /** Name of the network, for people; `chainId` is what counts. */
  readonly network: string
  readonly chainId: number
  /** Address of the commit contract. */
  readonly contract: string
  readonly txHash: string
  readonly blockNumber: number
  readonly blockHash: string
  /** Index of the event within the block (`logIndex` of JSON-RPC). */
  readonly logIndex: number
  /** Who sent the transaction: the event's indexed `recorder`. */
  readonly recorder: string
}

/** The position's own members, from any value that has them. */
export const ledgerPositionOf = (entry: LedgerPosition): LedgerPosition => ({
  network: entry.network,
  chainId: entry.chainId,
  contract: entry.contract,
  txHash: entry.txHash,
  blockNumber: entry.blockNumber,
  blockHash: entry.blockHash,
  logIndex: entry.logIndex,
  recorder: entry.recorder
})
