/** Proofs for the page: a commit of a given asset, good, tampered with, or full of text that wants to be more than text. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { checksumOf } from "../../packages/core/src/asset-tree/Checksum.ts"
import { cidOf, RAW_CODE } from "../../packages/core/src/asset-tree/Cid.ts"
import { encodeDagJson } from "../../packages/core/src/asset-tree/DagJson.ts"
import { addressOfPrivateKey } from "../../packages/core/src/asset-tree/Signature.ts"
import type { JsonValue } from "../../packages/core/src/json/JsonValue.ts"
import { type CommitRecord, commitDataOf } from "../../packages/core/src/proof/CommitRecord.ts"
import { proofOf, proofText } from "../../packages/core/src/proof/Proof.ts"
import type { Block } from "../core/verification/Block.ts"
import { ledger, sign, treeMembers } from "../core/verification/Fixtures.ts"

/** How a commit is not the fixtures' own: another key signs and is named, other members of the record, a proof of inclusion. */
export interface Otherwise {
  readonly key?: Uint8Array
  readonly record?: Partial<CommitRecord>
  readonly block?: Block
}

/** The proof file's text for `asset`; `members` replace those of its tree. */
export const proofFor = (
  asset: Uint8Array,
  members: Readonly<Record<string, JsonValue>> = {},
  { block, key, record: changes }: Otherwise = {}
): string => {
  const author = key === undefined ? {} : { creatorWallet: addressOfPrivateKey(key) }
  const tree = encodeDagJson({
    ...treeMembers,
    assetCid: cidOf(RAW_CODE, asset),
    assetSha256: checksumOf(asset),
    ...author,
    ...members
  })
  const signed = sign(tree, key === undefined ? {} : { key, author: addressOfPrivateKey(key) })
  const record = { ...signed.record, ...changes }
  return proofText(
    proofOf({
      tree: { cid: record.assetTreeCid, bytes: tree },
      commitData: commitDataOf(record),
      ledger: block?.place ?? ledger,
      inclusion: block && { inclusion: block.inclusion }
    })
  )
}

/** Another headline in the tree, which stays JSON. */
export const tampered = (proof: string): string => {
  const file = JSON.parse(proof)
  const tree = Buffer.from(file.tree.bytes, "base64").toString("utf8").replace("a photo", "a fake!")
  return JSON.stringify({ ...file, tree: { ...file.tree, bytes: Buffer.from(tree).toString("base64") } })
}

/** Writes a file into `folder` and answers its path. */
export const written = (folder: string, name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
