/** A small commit, signed with a key of the tests: tree, record, place on a ledger, and the proof of all three. */

import { assert } from "@effect/vitest"
import {
  type Check,
  type CheckName,
  inputOfProof,
  parseProof,
  type Report,
  type VerifyInput
} from "@treemark/core/verify"
import { checksumOf } from "../../../packages/core/src/asset-tree/Checksum.ts"
import { cidOf, RAW_CODE, treeCidOf } from "../../../packages/core/src/asset-tree/Cid.ts"
import { encodeDagJson } from "../../../packages/core/src/asset-tree/DagJson.ts"
import { addressOfPrivateKey, signPersonalMessage } from "../../../packages/core/src/asset-tree/Signature.ts"
import type { JsonValue } from "../../../packages/core/src/json/JsonValue.ts"
import { actChecksum } from "../../../packages/core/src/proof/Act.ts"
import { type CommitRecord, commitDataOf, commitRecordOf } from "../../../packages/core/src/proof/CommitRecord.ts"
import type { LedgerPosition } from "../../../packages/core/src/proof/LedgerPosition.ts"
import { proofOf, proofText } from "../../../packages/core/src/proof/Proof.ts"

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

export const authorKey = new Uint8Array(32).fill(7)
export const author = addressOfPrivateKey(authorKey)
export const strangerKey = new Uint8Array(32).fill(9)
export const stranger = addressOfPrivateKey(strangerKey)
export const committerKey = new Uint8Array(32).fill(5)
export const committer = addressOfPrivateKey(committerKey)

export const asset = utf8("the asset's bytes")

export const treeMembers: { readonly [member: string]: JsonValue } = {
  assetCid: cidOf(RAW_CODE, asset),
  assetSha256: checksumOf(asset),
  encodingFormat: "image/jpeg",
  assetTimestampCreated: 1700000000,
  assetCreator: "Ada 👩‍🔬",
  creatorWallet: author,
  license: { name: null, document: null },
  assetSourceType: "testUpload",
  abstract: "a photo",
  custom: { "": "an empty key", nested: [1, { deep: true }] }
}

export const ledger: LedgerPosition = {
  network: "local-mainnet",
  chainId: 7053001,
  contract: "0x0000000000000000000000000000000000007053",
  txHash: `0x${"ab".repeat(32)}`,
  blockNumber: 12,
  blockHash: `0x${"cd".repeat(32)}`,
  logIndex: 0,
  recorder: committer
}

export interface Signed {
  readonly tree: Uint8Array
  readonly record: CommitRecord
}

/** Any tree bytes, signed and recorded the way the daemon does. */
export const sign = (
  tree: Uint8Array,
  options: { readonly key?: Uint8Array; readonly author?: string } = {}
): Signed => {
  const sha256 = checksumOf(tree)
  const record = commitRecordOf({
    tree: { cid: treeCidOf(tree), sha256 },
    signature: signPersonalMessage(sha256, options.key ?? authorKey),
    author: options.author ?? author,
    committer,
    action: { name: "action-commit", nid: "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m" },
    actionResult: "https://example.org/ipfs/tree",
    provider: "treemark",
    commitMessage: undefined,
    timestampCreated: 1700000001
  })
  return { tree, record }
}

export const signed = sign(encodeDagJson(treeMembers))

/** The author's signature of what `record` says was done, at `place`. */
export const signAct = (record: CommitRecord, place: LedgerPosition, key = authorKey): string => {
  const { abstract, action, assetTreeSha256, author, timestampCreated } = record
  const { chainId: chainID, contract } = place
  const act = { abstract, action, assetTreeSha256, author, chainID, contract, timestampCreated }
  return signPersonalMessage(actChecksum(act), key)
}

/** What `verify` gets for a signed tree and its record; `changes` break it on purpose. */
export const inputOf = (commit: Signed, changes: VerifyInput = {}): VerifyInput => ({
  tree: commit.tree,
  record: { ...commit.record },
  ...changes
})

export const document = proofOf({
  tree: { cid: signed.record.assetTreeCid, bytes: signed.tree },
  commitData: commitDataOf(signed.record),
  ledger
})
export const proofFile = proofText(document)

export const checkOf = (report: Report, name: CheckName): Check => report.checks.find((check) => check.name === name)!
export const codesOf = (report: Report): ReadonlyArray<string> =>
  report.checks.flatMap(({ code, outcome }) => (outcome === "fail" ? [code] : []))

/** What `verify` gets for the proof file. */
export const proofInput = (): VerifyInput => {
  const reading = parseProof(utf8(proofFile))
  assert.isTrue(reading.ok)
  return reading.ok ? inputOfProof(reading.proof) : {}
}

/** The tree's members but for these. */
export const without = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(treeMembers).filter(([name]) => !names.includes(name)))

/** The signed tree under another signature, or something that is none. */
export const withSignature = (assetTreeSignature: unknown): VerifyInput => ({
  tree: signed.tree,
  record: { ...signed.record, assetTreeSignature } as VerifyInput["record"]
})
