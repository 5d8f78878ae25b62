/** Lines for the tests of bulk verification: good proofs by several signers, and everything that people put between them. */

import { encodeDagJson } from "../../packages/core/src/asset-tree/DagJson.ts"
import { addressOfPrivateKey } from "../../packages/core/src/asset-tree/Signature.ts"
import { commitDataOf } from "../../packages/core/src/proof/CommitRecord.ts"
import { type ProofDocument, proofOf } from "../../packages/core/src/proof/Proof.ts"
import { ledger, sign, strangerKey, treeMembers } from "../core/verification/Fixtures.ts"

const keys = [3, 4, 5].map((byte) => new Uint8Array(32).fill(byte))

export const proofNumber = (index: number, options: { readonly key?: Uint8Array } = {}): ProofDocument => {
  const own = keys[index % keys.length]!
  const author = addressOfPrivateKey(own)
  const tree = encodeDagJson({ ...treeMembers, creatorWallet: author, headline: `photo ${index} „é“` })
  const { record } = sign(tree, { key: options.key ?? own, author })
  return proofOf({ tree: { cid: record.assetTreeCid, bytes: tree }, commitData: commitDataOf(record), ledger })
}

export const validLine = (index: number): string => JSON.stringify(proofNumber(index))
/** The signer is not the author. */
export const unconfirmedLine = (index: number): string => JSON.stringify(proofNumber(index, { key: strangerKey }))
/** One character of the signed tree is another. */
export const invalidLine = (index: number): string => {
  const proof = proofNumber(index)
  return JSON.stringify({ ...proof, tree: { ...proof.tree, bytes: proof.tree.bytes.replace(/^./, "f") } })
}

/** A pseudo-random number below `limit`, the same in every run. */
export const dice = (seed: number) => {
  let state = seed
  return (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}
