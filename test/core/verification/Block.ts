/** A block made up for a test around the fixtures' commit, in which anything can be put in the wrong place. */
import { createMerkleProof, MerklePatriciaTrie } from "@ethereumjs/mpt"
import { bytesToHex, concat, encodeAbiParameters, type Hex, hexToBytes, keccak256, pad, toBytes, toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { commitDataOf } from "../../../packages/core/src/proof/CommitRecord.ts"
import type { Inclusion, ProvenLeaf } from "../../../packages/core/src/proof/Inclusion.ts"
import type { LedgerPosition } from "../../../packages/core/src/proof/LedgerPosition.ts"
import { encodeRlp, type RlpItem, rlpInteger } from "../../../packages/core/src/proof/Rlp.ts"
import { committer, committerKey, ledger, signed, treeMembers } from "./Fixtures.ts"

export const commitData = commitDataOf(signed.record)
/** 2023-11-14T22:13:30Z: ten seconds after the tree's asset was made. */
export const BLOCK_TIME = 1_700_000_010

export interface LogParts {
  readonly address?: string
  readonly event?: string
  readonly recorder?: string
  readonly assetCid?: string
  readonly data?: string
  readonly topics?: ReadonlyArray<Hex>
}

/** The Commit event of the fixtures' commit, with parts of it changed. */
export const commitLog = (parts: LogParts = {}): RlpItem => [
  hexToBytes((parts.address ?? ledger.contract) as Hex),
  (
    parts.topics ?? [
      keccak256(toBytes(parts.event ?? "Commit(address,string,string)")),
      pad((parts.recorder ?? committer) as Hex),
      keccak256(toBytes(parts.assetCid ?? String(treeMembers.assetCid)))
    ]
  ).map((topic) => hexToBytes(topic)),
  hexToBytes(encodeAbiParameters([{ type: "string" }], [parts.data ?? commitData]))
]

/** The consensus receipt of an EIP-1559 transaction with these logs; `type` 0 is legacy. */
export const receiptOf = (logs: RlpItem, type = 2): Uint8Array => {
  const body = encodeRlp([Uint8Array.of(1), rlpInteger(40_000), new Uint8Array(256), logs])
  return type === 0 ? body : concat([Uint8Array.of(type), body])
}

export const leafAt = async (leaves: ReadonlyArray<Uint8Array>, index: number) => {
  const trie = new MerklePatriciaTrie()
  const key = (at: number) => encodeRlp(rlpInteger(at))
  for (const [at, leaf] of leaves.entries()) await trie.put(key(at), leaf)
  const leaf: ProvenLeaf = { value: leaves[index]!, path: await createMerkleProof(trie, key(index)) }
  return { root: trie.root(), leaf }
}

export interface BlockParts {
  readonly receipts?: ReadonlyArray<Uint8Array>
  readonly transactionIndex?: number
  readonly logPosition?: number
  readonly logIndex?: number
  readonly number?: number
  readonly timestamp?: number
  /** The commit's transaction: bytes of any kind, or who signs it and what it calls; without it the committer calls the contract. */
  readonly transaction?: Uint8Array | { readonly key?: Uint8Array; readonly to?: string | undefined }
  /** Items behind the header's first 15. */
  readonly further?: ReadonlyArray<RlpItem>
}

export interface Block {
  readonly inclusion: Inclusion
  readonly place: LedgerPosition
}

const header = (parts: BlockParts, receiptsRoot: Uint8Array, transactionsRoot: Uint8Array): Uint8Array => {
  const word = (fill: number, length = 32) => new Uint8Array(length).fill(fill)
  return encodeRlp([
    ...[word(1), word(2), word(3, 20), word(4), transactionsRoot, receiptsRoot, word(0, 256)],
    ...[0, parts.number ?? ledger.blockNumber, 30_000_000, 40_000, parts.timestamp ?? BLOCK_TIME].map(rlpInteger),
    ...[new Uint8Array(), word(5), word(0, 8)],
    ...(parts.further ?? [rlpInteger(100)])
  ])
}

/** A transaction of type 2 to the commit contract, signed by the fixtures' committer. */
export const transactionOf = async (parts: { readonly key?: Uint8Array; readonly to?: string | undefined } = {}) => {
  const { key = committerKey, to = ledger.contract } = parts
  const signed = await privateKeyToAccount(bytesToHex(key)).signTransaction({
    type: "eip1559",
    chainId: ledger.chainId,
    nonce: 3,
    to: to as Hex,
    gas: 100_000n,
    maxFeePerGas: 200_000_000_000n,
    maxPriorityFeePerGas: 1n,
    data: toHex(commitData)
  })
  return hexToBytes(signed)
}

/** By default three transactions, the commit's the second, its event behind another log. */
export const block = async (parts: BlockParts = {}): Promise<Block> => {
  const other = receiptOf([commitLog({ assetCid: "another" })])
  const receipts = parts.receipts ?? [other, receiptOf([commitLog({ assetCid: "another" }), commitLog()]), other]
  const transactionIndex = parts.transactionIndex ?? 1
  const own = parts.transaction instanceof Uint8Array ? parts.transaction : await transactionOf(parts.transaction)
  const transactions = receipts.map((_, at) =>
    at === transactionIndex ? own : Uint8Array.of(2, ...encodeRlp([rlpInteger(at + 1), new Uint8Array(100)]))
  )
  const receipt = await leafAt(receipts, transactionIndex)
  const transaction = await leafAt(transactions, transactionIndex)
  const raw = header(parts, receipt.root, transaction.root)
  return {
    inclusion: {
      header: raw,
      transactionIndex,
      receipt: receipt.leaf,
      logPosition: parts.logPosition ?? 1,
      transaction: transaction.leaf
    },
    place: {
      ...ledger,
      blockHash: keccak256(raw),
      txHash: keccak256(transactions[transactionIndex]!),
      logIndex: parts.logIndex ?? 2
    }
  }
}

export const checkpointOf = (
  { place }: Block,
  changes: { readonly chainId?: number; readonly hash?: string } = {}
) => ({
  chainId: changes.chainId ?? place.chainId,
  hashes: new Map([[place.blockNumber, changes.hash ?? place.blockHash]]),
  contracts: [],
  signers: []
})

export const hex = (bytes: Uint8Array): string => bytesToHex(bytes)
export const otherHash = toHex(new Uint8Array(32).fill(9))
