/**
 * Proofs for the figures on bulk verification: NDJSON, one real proof of about 2.5 kB a line, all different, by 8 signers. Made anew for each run and signed
 * with tiny-secp256k1 (RFC 6979, as noble signs, four times as fast).
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { signRecoverable } from "tiny-secp256k1"
import { checksumOf } from "../packages/core/src/asset-tree/Checksum.ts"
import { treeCidOf } from "../packages/core/src/asset-tree/Cid.ts"
import { encodeDagJson } from "../packages/core/src/asset-tree/DagJson.ts"
import { addressOfPrivateKey, personalMessageHash } from "../packages/core/src/asset-tree/Signature.ts"
import { commitDataOf, commitRecordOf } from "../packages/core/src/proof/CommitRecord.ts"
import { type ProofDocument, proofOf } from "../packages/core/src/proof/Proof.ts"
import { committer, ledger, treeMembers } from "../test/core/verification/Fixtures.ts"

const SIGNERS = Array.from({ length: 8 }, (_, index) => {
  const key = new Uint8Array(32).fill(index + 11)
  return { key, address: addressOfPrivateKey(key) }
})

/** Proof number `index`, valid. */
export const bulkProof = (index: number): ProofDocument => {
  const { key, address } = SIGNERS[index % SIGNERS.length]!
  const bytes = encodeDagJson({ ...treeMembers, creatorWallet: address, headline: `photo ${index}` })
  const tree = { cid: treeCidOf(bytes), sha256: checksumOf(bytes) }
  const { signature, recoveryId } = signRecoverable(personalMessageHash(tree.sha256), key)
  const record = commitRecordOf({
    tree,
    signature: `0x${Buffer.from(signature).toString("hex")}${(27 + recoveryId).toString(16)}`,
    author: address,
    committer,
    action: { name: "action-commit", nid: "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m" },
    actionResult: `https://example.org/ipfs/${tree.cid}`,
    provider: "treemark",
    commitMessage: undefined,
    timestampCreated: 1700000001 + index
  })
  return proofOf({
    tree: { cid: tree.cid, bytes },
    commitData: commitDataOf(record),
    ledger: { ...ledger, blockNumber: 12 + index }
  })
}

/** Writes `count` proofs to `path`, one a line. */
export const writeProofs = (path: string, count: number): void => {
  const file = openSync(path, "w")
  try {
    for (let from = 0; from < count; from += 256) {
      const lines = Array.from({ length: Math.min(256, count - from) }, (_, at) => JSON.stringify(bulkProof(from + at)))
      writeSync(file, `${lines.join("\n")}\n`)
    }
  } finally {
    closeSync(file)
  }
}
