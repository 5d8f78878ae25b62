/** Proofs for the page: a commit of a given asset, good, tampered with, or full of text that wants to be more than text. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { checksumOf } from "../../packages/core/src/asset-tree/Checksum.ts"
import { cidOf, RAW_CODE } from "../../packages/core/src/asset-tree/Cid.ts"
import { encodeDagJson, type JsonValue } from "../../packages/core/src/asset-tree/DagJson.ts"
import { commitDataOf } from "../../packages/core/src/proof/CommitRecord.ts"
import { proofOf, proofText } from "../../packages/core/src/proof/Proof.ts"
import { ledger, sign, treeMembers } from "../core/verification/Fixtures.ts"

/** The proof file's text for `asset`; `members` replace those of its tree. */
export const proofFor = (asset: Uint8Array, members: Readonly<Record<string, JsonValue>> = {}): string => {
  const tree = encodeDagJson({
    ...treeMembers,
    assetCid: cidOf(RAW_CODE, asset),
    assetSha256: checksumOf(asset),
    ...members
  })
  const { record } = sign(tree)
  return proofText(
    proofOf({ tree: { cid: record.assetTreeCid, bytes: tree }, commitData: commitDataOf(record), ledger })
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
