/**
 * The proof of a commit made here: the tree's bytes from the content store, the record and its place from the job, and from the ledger the
 * proof of inclusion, or the reason why there is none.
 */
import { ContentStore, proofOf, proofText, StorageUnavailable } from "@treemark/core"
import { Effect, Option, Schema } from "effect"
import { FinishedCommits } from "../jobs/FinishedCommits.ts"
import { inclusionOf } from "../ledger/Inclusion.ts"
import { Networks } from "../ledger/Networks.ts"

export class CommitNotFound extends Schema.TaggedError<CommitNotFound>()("CommitNotFound", {
  assetTreeCid: Schema.String
}) {
  override get message() {
    return `No finished commit of the asset tree ${this.assetTreeCid} is known here. Give the assetTreeCid of a commit's answer; a commit that is still pending has no proof yet.`
  }
}

/** The proof file's text for the newest commit of this tree. */
export const proofOfTree = Effect.fn("ProofOfTree")(function* (assetTreeCid: string) {
  const commit = yield* (yield* FinishedCommits).newestOfTree(assetTreeCid)
  if (Option.isNone(commit)) return yield* new CommitNotFound({ assetTreeCid })
  const bytes = yield* (yield* ContentStore).get(assetTreeCid)
  if (Option.isNone(bytes)) {
    return yield* new StorageUnavailable({
      doing: `reading the asset tree ${assetTreeCid}`,
      cause: new Error("the content store does not hold it")
    })
  }
  const { assetCid, commitData, entry, role } = commit.value
  const inclusion = yield* inclusionOf((yield* Networks).role(role), entry, { assetCid, commitData })
  return proofText(proofOf({ tree: { cid: assetTreeCid, bytes: bytes.value }, commitData, ledger: entry, inclusion }))
})
