/** Whether a commit on the ledger concerns a watched author, and why: read off its record, its signature, and the tree where that is here. */
import { isAddressText, toEip55 } from "@treemark/core"
import { textMember, verify } from "@treemark/core/verify"
import { Clock, Effect } from "effect"
import { assetTopicOf } from "../../evm/CommitLogs.ts"
import type { LedgerNetwork } from "../../evm/Networks.ts"
import { type OpenedCommit, openCommit, positionOf } from "../CommitOnLedger.ts"
import type { IndexedCommit } from "../LedgerIndexRows.ts"
import type { Finding, Why } from "./Alert.ts"
import type { KnownHere, Watch } from "./WatchRows.ts"

/** Text of a record that is handed on whole, in bytes. */
const MOST_TEXT = 16_384

export interface Found {
  readonly watch: Watch
  readonly commit: IndexedCommit
  readonly finding: Finding
}

/** Those of `commits` that concern one of `watches`, in their order. */
export const judge = Effect.fn("AuthorWatch.judge")(function* (
  network: LedgerNetwork,
  watches: ReadonlyArray<Watch>,
  commits: ReadonlyArray<IndexedCommit>,
  known: KnownHere
) {
  const authors = new Set(watches.map(({ author }) => author.toLowerCase()))
  const found: Array<Found> = []
  for (const commit of commits) {
    // Most commits concern nobody, and are seen to by a look at their text.
    const text = commit.commitData.toLowerCase()
    const mayName = [...authors].some((author) => text.includes(author.slice(2)))
    if (!mayName && !authors.has(commit.recorder.toLowerCase()) && !known.assets.has(commit.assetTopic)) continue
    const opened = yield* openCommit(commit)
    for (const watch of watches) {
      const why = whyOf(network, watch, commit, opened, known)
      if (why === undefined) continue
      const foundAt = new Date(yield* Clock.currentTimeMillis).toISOString()
      found.push({ watch, commit, finding: findingOf(network, watch, opened, { ...why, known, commit, foundAt }) })
    }
    yield* Effect.yieldNow
  }
  return found
})

interface Reason {
  readonly why: Why
  readonly actBy: "author" | "recorder"
}

const whyOf = (
  network: LedgerNetwork,
  { accountId, author }: Watch,
  commit: IndexedCommit,
  opened: OpenedCommit,
  known: KnownHere
): Reason | undefined => {
  const madeBy = known.madeBy.get(commit.txHash)
  // What the account did itself it knows: its events tell it as committed.
  if (madeBy !== undefined && madeBy === accountId) return undefined
  const named = textMember(opened.record, "author")
  const isNamed = named !== undefined && isAddressText(named) && toEip55(named) === author
  const byOwnWallet = commit.recorder === author
  const signed = signedBy(network, author, commit, opened)
  if (signed !== undefined) return { why: "signed", actBy: signed }
  if (byOwnWallet) return { why: "recorded", actBy: "recorder" }
  if (isNamed) return { why: "claimed", actBy: "recorder" }
  const assetCid = known.assets.get(commit.assetTopic)
  if (assetCid === undefined) return undefined
  const isOthers = madeBy !== undefined && (accountId === null || !known.holdings.has(`${accountId} ${assetCid}`))
  return isOthers ? undefined : { why: "asset", actBy: "recorder" }
}

/** Undefined unless the author's key signed the tree of this very asset, as far as can be seen; else whose word the act is. */
const signedBy = (network: LedgerNetwork, author: string, commit: IndexedCommit, opened: OpenedCommit) => {
  const { assetTreeCid, record, tree } = opened
  if (record === undefined || textMember(record, "assetTreeSignature") === undefined) return undefined
  const report = verify({
    ...("bytes" in tree ? { tree: tree.bytes, treeCid: assetTreeCid } : {}),
    record,
    commitData: commit.commitData,
    ledger: positionOf(network, commit),
    contracts: [{ chainId: network.chainId, contract: network.contract }]
  })
  if (report.signer !== author || report.verdict === "invalid") return undefined
  if (report.assetCid !== null && assetTopicOf(report.assetCid) !== commit.assetTopic) return undefined
  return report.act?.by ?? "recorder"
}

const findingOf = (
  network: LedgerNetwork,
  { author }: Watch,
  { record, tree }: OpenedCommit,
  facts: Reason & { readonly known: KnownHere; readonly commit: IndexedCommit; readonly foundAt: string }
): Finding => {
  const { actBy, commit, foundAt, known, why } = facts
  return {
    author,
    why,
    actBy,
    isTreeHere: "bytes" in tree,
    network: network.name,
    chainId: network.chainId,
    contract: network.contract,
    txHash: commit.txHash,
    blockNumber: commit.blockNumber,
    recorder: commit.recorder,
    assetCid: known.assets.get(commit.assetTopic) ?? null,
    assetTopic: commit.assetTopic,
    commit: record === undefined || Buffer.byteLength(commit.commitData) > MOST_TEXT ? null : record,
    foundAt
  }
}
