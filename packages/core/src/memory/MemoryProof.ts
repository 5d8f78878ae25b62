/** The proof of a commit from the ports alone: the tree's bytes from the content store, the record and its place from the ledger. */
import { Effect, Option } from "effect"
import type { CommitReceipt } from "../commit/CommitReceipt.ts"
import { ContentStore, StorageUnavailable } from "../ledger/ContentStore.ts"
import { Ledger, LedgerUnavailable, type NetworkRole } from "../ledger/Ledger.ts"
import { proofOf } from "../proof/Proof.ts"

/** The proof of the commit that `receipt` answers; `proofText` writes it as a file. Nothing in it proves its place on the ledger. */
export const proofOfReceipt = Effect.fn("MemoryProof.proofOfReceipt")(function* (
  receipt: CommitReceipt,
  role: NetworkRole = "mainnet"
) {
  const ledger = yield* Ledger
  const network = ledger.networkOf(role)
  const { assetCid, assetTreeCid, txHash } = receipt
  const commit = (yield* ledger.history(role, assetCid)).find((one) => one.txHash === txHash)
  if (commit === undefined) {
    return yield* new LedgerUnavailable({ network: network.name, reason: `it has no commit ${txHash} of this asset.` })
  }
  const bytes = yield* (yield* ContentStore).get(assetTreeCid)
  if (Option.isNone(bytes)) {
    const cause = new Error(`The store has no block ${assetTreeCid}.`)
    return yield* new StorageUnavailable({ doing: "reading an asset tree", cause })
  }
  return proofOf({
    tree: { cid: assetTreeCid, bytes: bytes.value },
    commitData: commit.commitData,
    ledger: { ...commit, network: network.name, chainId: network.chainId, contract: network.contract },
    inclusion: { inclusionMissing: "the proof was made without asking the ledger for its block." }
  })
})
