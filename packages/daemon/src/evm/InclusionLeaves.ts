/**
 * The leaves of a block's receipts and transactions tries, from what JSON-RPC tells, and the path to one of them. Nothing here is taken
 * on trust: a leaf counts when the trie over all of them has the root that the header names.
 */
import type { ProvenLeaf } from "@treemark/core"
import { encodeRlp, rlpInteger } from "@treemark/core/inclusion"
import { Effect, Schema } from "effect"
import {
  formatTransaction,
  type Hex,
  hexToBytes,
  keccak256,
  type RpcTransaction,
  serializeTransaction,
  type TransactionSerializable
} from "viem"

const HexText = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]*$/iu))

const RpcLog = Schema.Struct({
  address: HexText,
  topics: Schema.Array(HexText),
  data: HexText,
  logIndex: HexText
})

/** What a receipt's consensus form is made of, and which transaction it belongs to. */
export const RpcReceipt = Schema.Struct({
  transactionHash: HexText,
  blockHash: HexText,
  type: Schema.optional(HexText),
  status: Schema.optional(Schema.NullOr(HexText)),
  /** Before Byzantium, in the place of `status`. */
  root: Schema.optional(Schema.NullOr(HexText)),
  cumulativeGasUsed: HexText,
  logsBloom: HexText,
  logs: Schema.Array(RpcLog)
})
export type RpcReceipt = typeof RpcReceipt.Type

const bytesOf = (text: string): Uint8Array => hexToBytes(text as Hex)

/** The consensus receipt (EIP-2718). */
export const receiptLeaf = (receipt: RpcReceipt): Uint8Array => {
  const outcome = receipt.root ?? undefined
  const body = encodeRlp([
    outcome === undefined ? rlpInteger(BigInt(receipt.status ?? 0)) : bytesOf(outcome),
    rlpInteger(BigInt(receipt.cumulativeGasUsed)),
    bytesOf(receipt.logsBloom),
    receipt.logs.map(({ address, data, topics }) => [bytesOf(address), topics.map(bytesOf), bytesOf(data)])
  ])
  const type = Number(receipt.type ?? 0)
  return type === 0 ? body : Uint8Array.of(type, ...body)
}

/** What some nodes tell of a blob transaction beside what was signed (EIP-4844: it names blobs by their hashes alone). */
const NOT_SIGNED = { blobs: undefined, sidecars: undefined }

/** The signed transaction (EIP-2718); undefined when its bytes cannot be rebuilt, as its hash tells. */
export const transactionLeaf = (transaction: RpcTransaction): Uint8Array | undefined => {
  try {
    const { input, r, s, v, yParity, ...rest } = formatTransaction(transaction)
    const signature = yParity === undefined ? { r, s, v } : { r, s, v, yParity }
    const raw = serializeTransaction({ ...rest, ...NOT_SIGNED, data: input } as TransactionSerializable, signature)
    return keccak256(raw) === transaction.hash ? hexToBytes(raw) : undefined
  } catch {
    return undefined
  }
}

/** The leaf at `index` with its path, when the trie over `leaves` (keys: rlp(index)) has the root `root`. The trie's code is loaded when it is wanted. */
export const provenLeaf = (
  leaves: ReadonlyArray<Uint8Array>,
  index: number,
  root: Uint8Array
): Effect.Effect<ProvenLeaf | undefined> =>
  Effect.promise(async () => {
    const { createMerkleProof, MerklePatriciaTrie } = await import("@ethereumjs/mpt")
    const trie = new MerklePatriciaTrie()
    for (const [at, leaf] of leaves.entries()) await trie.put(keyOf(at), leaf)
    const value = leaves[index]
    if (value === undefined || !isSame(trie.root(), root)) return undefined
    const nodes = await createMerkleProof(trie, keyOf(index))
    return { value, path: nodes.filter(({ length }, at) => at === 0 || length >= HASH_LENGTH) }
  })

/** Shorter nodes stand inside their parent. */
const HASH_LENGTH = 32

const keyOf = (index: number): Uint8Array => encodeRlp(rlpInteger(index))

const isSame = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) === 0
