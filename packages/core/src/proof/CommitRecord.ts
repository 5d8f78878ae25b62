/**
 * The commit record: the JSON that goes on the ledger as `commitData`, with the members that other clients of these ledgers
 * read (decisions.md, section 5). The tree says what the asset is; the record says what was done and by whom.
 */
import type { Action } from "../asset-tree/Action.ts"

export interface CommitRecord {
  readonly assetTreeCid: string
  /** 64 lower-case hex digits. */
  readonly assetTreeSha256: string
  readonly assetTreeSignature: string
  readonly author: string
  readonly committer: string
  /** Nid of the action's profile. */
  readonly action: string
  readonly actionName: string
  /** Where the asset tree can be fetched. */
  readonly actionResult: string
  readonly provider: string
  /** The commit message. */
  readonly abstract: string
  /** Unix time in seconds. */
  readonly timestampCreated: number
  /** The author's own signature of the act (proof/Act), where the author signed it. */
  readonly actSignature?: string
}

/** The text that goes on the ledger: compact JSON, members in the order of {@link CommitRecord}. */
export const commitDataOf = (record: CommitRecord): string => JSON.stringify(record)

/** A record from its parts; without a commit message `abstract` names the action, as other clients write it. */
export const commitRecordOf = (parts: {
  readonly tree: { readonly cid: string; readonly sha256: string }
  readonly signature: string
  readonly author: string
  readonly committer: string
  readonly action: Action
  readonly actionResult: string
  readonly provider: string
  readonly commitMessage: string | undefined
  readonly timestampCreated: number
}): CommitRecord => ({
  assetTreeCid: parts.tree.cid,
  assetTreeSha256: parts.tree.sha256,
  assetTreeSignature: parts.signature,
  author: parts.author,
  committer: parts.committer,
  action: parts.action.nid,
  actionName: parts.action.name,
  actionResult: parts.actionResult,
  provider: parts.provider,
  abstract: parts.commitMessage ?? `Action ${parts.action.name}.`,
  timestampCreated: parts.timestampCreated
})
