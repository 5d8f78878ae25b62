/**
 * The proof of a commit: the tree's bytes from the content store, the record and its place from the job that made it here or, for a commit
 * that somebody else made, from the ledger; and the proof of inclusion, or the reason why there is none.
 */
import {
  ContentStore,
  Ledger,
  type LedgerCommit,
  type NetworkRole,
  readJsonObject,
  StorageUnavailable
} from "@treemark/core"
import { TREE_LIMIT, textMember } from "@treemark/core/verify"
import { Effect, Option, Schema } from "effect"
import { Networks } from "../evm/Networks.ts"
import { openCommit, proofOfCommit } from "./CommitOnLedger.ts"
import { FinishedCommits } from "./FinishedCommits.ts"

export class CommitNotFound extends Schema.TaggedError<CommitNotFound>()("CommitNotFound", {
  assetTreeCid: Schema.String
}) {
  override get message() {
    return `No finished commit of the asset tree ${this.assetTreeCid} is known here, and the ledger has none of a tree in this store. Give the assetTreeCid of a commit's answer; a commit that is still pending has no proof yet.`
  }
}

interface Found {
  readonly role: NetworkRole
  readonly assetCid: string
  readonly commit: LedgerCommit
}

/** The proof file's text for the newest commit of this tree. */
export const proofOfTree = Effect.fn("ProofOfTree")(function* (assetTreeCid: string) {
  const made = yield* (yield* FinishedCommits).newestOfTree(assetTreeCid)
  const found = Option.isSome(made)
    ? { role: made.value.role, assetCid: made.value.assetCid, commit: { ...made.value.entry, ...made.value } }
    : yield* madeElsewhere(assetTreeCid)
  if (found === undefined) return yield* new CommitNotFound({ assetTreeCid })
  const network = (yield* Networks).role(found.role)
  const { proof, reason } = yield* proofOfCommit(network, found.assetCid, yield* openCommit(found.commit))
  if (proof !== null) return proof
  return yield* new StorageUnavailable({ doing: `reading the asset tree ${assetTreeCid}`, cause: new Error(reason) })
})

/** A commit of this tree by somebody else: the tree is in the store and names its asset, whose history is on the ledger. */
const madeElsewhere = Effect.fnUntraced(function* (assetTreeCid: string) {
  const bytes = yield* (yield* ContentStore).get(assetTreeCid)
  if (Option.isNone(bytes) || bytes.value.length > TREE_LIMIT) return undefined
  const tree = readJsonObject(bytes.value)
  const assetCid = tree.ok ? textMember(tree.value, "assetCid") : undefined
  if (assetCid === undefined) return undefined
  for (const role of ["mainnet", "testnet"] as const) {
    const commits = yield* (yield* Ledger).history(role, assetCid)
    const opened = yield* Effect.forEach(commits, openCommit)
    const newest = opened.findLast((one) => one.assetTreeCid === assetTreeCid)
    if (newest !== undefined) return { role, assetCid, commit: newest.commit } satisfies Found
  }
  return undefined
})
