/**
 * One commit as the ledger has it, opened: its record read and its tree fetched from our store, so that it can be verified, compared or
 * proven. Anybody may have written it: the record can be any text, and the tree can be one that is not here.
 */
import {
  ContentStore,
  type InclusionOrReason,
  type LedgerCommit,
  type LedgerPosition,
  parseCid,
  proofOf,
  proofText,
  readJsonObjectText
} from "@treemark/core"
import { type JsonObject, RECORD_LIMIT, textMember } from "@treemark/core/verify"
import { Effect, Option } from "effect"
import { BlockDamaged } from "../content/BlockErrors.ts"
import { inclusionOf } from "../evm/Inclusion.ts"
import type { LedgerNetwork } from "../evm/Networks.ts"

export interface OpenedCommit {
  readonly commit: LedgerCommit
  /** Undefined when the text on the ledger is not one JSON object. */
  readonly record: JsonObject | undefined
  readonly assetTreeCid: string | undefined
  /** The tree's exact bytes, or why they are not here, as a sentence. */
  readonly tree: { readonly bytes: Uint8Array } | { readonly missing: string }
}

/** Opens a commit. Fails only when the store itself cannot be used. */
export const openCommit = Effect.fn("CommitOnLedger.openCommit")(function* (commit: LedgerCommit) {
  const reading =
    Buffer.byteLength(commit.commitData) > RECORD_LIMIT
      ? ({ ok: false, message: "it is over 1 MiB." } as const)
      : readJsonObjectText(commit.commitData)
  if (!reading.ok) {
    // The parser's message quotes the text, and may cut a surrogate pair in two.
    const missing = `Its text on the ledger is no commit record: ${reading.message}`.toWellFormed()
    return { commit, record: undefined, assetTreeCid: undefined, tree: { missing } } satisfies OpenedCommit
  }
  const assetTreeCid = textMember(reading.value, "assetTreeCid")
  return { commit, record: reading.value, assetTreeCid, tree: yield* treeOf(assetTreeCid) } satisfies OpenedCommit
})

const treeOf = Effect.fnUntraced(
  function* (cid: string | undefined) {
    if (cid === undefined) return { missing: "Its record names no asset tree." }
    if (parseCid(cid) === undefined) return { missing: "What its record names as its asset tree is no CID." }
    const bytes = yield* (yield* ContentStore).get(cid)
    return Option.isSome(bytes) ? { bytes: bytes.value } : { missing: `Its asset tree ${cid} is not in this store.` }
  },
  Effect.catchTag("StorageUnavailable", (error) =>
    error.cause instanceof BlockDamaged
      ? Effect.succeed({ missing: "The block of its asset tree in this store is damaged." })
      : Effect.fail(error)
  )
)

/** Where the commit stands, as a proof says it. */
export const positionOf = (network: LedgerNetwork, commit: LedgerCommit): LedgerPosition => ({
  network: network.name,
  chainId: network.chainId,
  contract: network.contract,
  txHash: commit.txHash,
  blockNumber: commit.blockNumber,
  blockHash: commit.blockHash,
  logIndex: commit.logIndex,
  recorder: commit.recorder
})

/** The text of the commit's proof, or why there can be none, as a sentence. */
export const proofOfCommit = Effect.fn("CommitOnLedger.proofOfCommit")(function* (
  network: LedgerNetwork,
  assetCid: string,
  { assetTreeCid, commit, tree }: OpenedCommit
) {
  if ("missing" in tree || assetTreeCid === undefined) {
    return { proof: null, reason: "missing" in tree ? tree.missing : "Its record names no asset tree." }
  }
  const ledger = positionOf(network, commit)
  const { commitData } = commit
  const inclusion: InclusionOrReason = yield* inclusionOf(network, ledger, { assetCid, commitData })
  const made = proofOf({ tree: { cid: assetTreeCid, bytes: tree.bytes }, commitData, ledger, inclusion })
  return { proof: proofText(made), reason: null }
})
