/** The proofs that fuzzing starts from: each valid, each of another kind, and what its verifier is given besides. */
import { Signature } from "ethers"
import { cidOf, RAW_CODE } from "../../packages/core/src/asset-tree/Cid.ts"
import { type InclusionOrReason, proofOf, proofText } from "../../packages/core/src/proof/Proof.ts"
import { block, commitLog, receiptOf } from "../core/verification/Block.ts"
import { author, authorKey, ledger, sign, signed, treeMembers, utf8 } from "../core/verification/Fixtures.ts"
import type { Reader } from "./Reader.ts"

export interface Original {
  readonly kind: string
  readonly text: string
  /** What its reader also has: checkpoints, an authors file. */
  readonly reader: Reader
}

interface Parts {
  readonly tree?: Uint8Array
  readonly record?: object
  readonly cid?: string
  readonly given?: (checkpoint: string) => Reader
  readonly make?: (data: string) => Parameters<typeof block>[0]
  readonly reason?: InclusionOrReason
}

const original = async (kind: string, parts: Parts): Promise<Original> => {
  const tree = parts.tree ?? signed.tree
  const record = parts.record ?? signed.record
  const data = JSON.stringify(record)
  const made = parts.make && (await block(parts.make(data)))
  const place = made?.place ?? ledger
  const text = proofText(
    proofOf({
      tree: { cid: parts.cid ?? signed.record.assetTreeCid, bytes: tree },
      commitData: data,
      ledger: place,
      inclusion: made === undefined ? parts.reason : { inclusion: made.inclusion }
    })
  )
  const checkpoint = JSON.stringify({
    mediaType: "application/vnd.treemark.checkpoint+json;version=1",
    chainId: place.chainId,
    contracts: [place.contract],
    entries: [{ number: place.blockNumber, hash: place.blockHash }]
  })
  return { kind, text, reader: parts.given?.(checkpoint) ?? {} }
}

const other = receiptOf([commitLog({ assetCid: "another" })])
const trusted = (checkpoint: string): Reader => ({ checkpoints: [checkpoint] })
const authors = `${author} Ada valid-from=2023-01-01 valid-to=2023-12-31\n`

const pretty = sign(utf8(JSON.stringify(treeMembers, null, 2)), { key: authorKey })
const { actionName: _, ...otherClient } = pretty.record
const rawCid = cidOf(RAW_CODE, pretty.tree)
const compactRecord = {
  ...signed.record,
  assetTreeSignature: Signature.from(signed.record.assetTreeSignature).compactSerialized
}
const shortV = signed.record.assetTreeSignature.replace(/(..)$/, (v) => (v === "1b" ? "00" : "01"))

export const corpus: ReadonlyArray<Original> = [
  await original("without inclusion", { reason: { inclusionMissing: "the node is pruned" } }),
  await original("included, not compared", {
    make: (data) => ({ receipts: [other, receiptOf([commitLog(), commitLog({ data })])] })
  }),
  await original("included, with a checkpoint", {
    given: trusted,
    make: (data) => ({ receipts: [other, receiptOf([commitLog({ data })]), other], logPosition: 0, logIndex: 1 })
  }),
  await original("in a block of 140, legacy receipt", {
    given: trusted,
    make: (data) => ({
      receipts: Array.from({ length: 140 }, (_, at) => (at === 130 ? receiptOf([commitLog({ data })], 0) : other)),
      transactionIndex: 130,
      logPosition: 0,
      logIndex: 130
    })
  }),
  await original("first of its block", {
    given: trusted,
    make: (data) => ({
      receipts: [receiptOf([commitLog({ assetCid: "x" }), commitLog({ data })]), other],
      transactionIndex: 0,
      logIndex: 1
    })
  }),
  await original("another client's", {
    tree: pretty.tree,
    record: { ...otherClient, assetTreeCid: rawCid, more: { unknown: [1, null] } },
    cid: rawCid
  }),
  await original("EIP-2098", {
    record: compactRecord,
    given: trusted,
    make: (data) => ({ receipts: [receiptOf([commitLog({ data })])], transactionIndex: 0, logPosition: 0, logIndex: 0 })
  }),
  await original("v of 0 or 1", { record: { ...signed.record, assetTreeSignature: shortV } }),
  await original("with an authors file", {
    given: (checkpoint) => ({ checkpoints: [checkpoint], authors }),
    make: (data) => ({ receipts: [receiptOf([commitLog({ data })])], transactionIndex: 0, logPosition: 0, logIndex: 0 })
  })
]
