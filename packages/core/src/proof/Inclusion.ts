/**
 * The proof that a commit's event is part of a block, by hashing alone: the header's keccak-256 is the block's hash; the header names the
 * root of the receipts trie; the path leads from that root to the receipt at rlp(transactionIndex); the receipt holds the event.
 * The same way, where it is given, the transaction: its keccak-256 is the transaction's hash. What no hash covers is
 * whether the block is on the ledger; a checkpoint says that.
 */
import { bytesToHex } from "@noble/hashes/utils.js"

/**
 * What is read of a proof of inclusion, in bytes: all parts together, each counted as often as it stands there. The hashing of them is what a
 * reader pays for before anything is known to be genuine. A real one has 3 to 8 kB. Nodes pass on no transaction over 128 KiB (go-ethereum,
 * txpool), and it and its receipt stand there twice each, as values and in their leaves: 600 kB at most.
 */
export const INCLUSION_LIMIT = 2 * 1024 * 1024
/** A header has about 600 bytes. */
export const HEADER_LIMIT = 64 * 1024
/** A key has at most 64 half bytes, and each node uses one up. */
export const NODES_LIMIT = 64

/** A trie's leaf and the nodes on the way to it, root first (TriePath.ts). */
export interface ProvenLeaf {
  readonly value: Uint8Array
  readonly path: ReadonlyArray<Uint8Array>
}

export interface Inclusion {
  /** The block header's raw RLP. */
  readonly header: Uint8Array
  /** Place of the transaction in the block, from 0. */
  readonly transactionIndex: number
  /** The consensus receipt (EIP-2718) in the trie of `receiptsRoot`. */
  readonly receipt: ProvenLeaf
  /** Place of the event among the receipt's logs, from 0. */
  readonly logPosition: number
  /** The signed transaction (EIP-2718) in the trie of `transactionsRoot`. */
  readonly transaction: ProvenLeaf | undefined
}

/** `ledger.inclusion` of a proof file: every byte string is `0x` and hex. */
export interface InclusionDocument {
  readonly header: string
  readonly transactionIndex: number
  readonly receipt: string
  readonly receiptPath: ReadonlyArray<string>
  readonly logPosition: number
  readonly transaction?: string
  readonly transactionPath?: ReadonlyArray<string>
}

export const inclusionDocument = (inclusion: Inclusion): InclusionDocument => {
  const { header, logPosition, receipt, transaction, transactionIndex } = inclusion
  return {
    header: hex(header),
    transactionIndex,
    receipt: hex(receipt.value),
    receiptPath: receipt.path.map(hex),
    logPosition,
    ...(transaction === undefined
      ? {}
      : { transaction: hex(transaction.value), transactionPath: transaction.path.map(hex) })
  }
}

/** Bytes of all parts together, as {@link INCLUSION_LIMIT} counts them. */
export const inclusionSize = ({ header, receipt, transaction }: Inclusion): number =>
  header.length + leafSize(receipt) + (transaction === undefined ? 0 : leafSize(transaction))

const leafSize = ({ path, value }: ProvenLeaf): number => path.reduce((size, node) => size + node.length, value.length)

const hex = (bytes: Uint8Array): string => `0x${bytesToHex(bytes)}`
