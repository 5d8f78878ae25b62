/** The history of an asset for the commands: every commit on the ledger with a letter for what verification says of it. */
import {
  type CommitInHistory,
  type HistoryRange,
  Ledger,
  type LedgerPlace,
  LedgerUnavailable,
  type NetworkRole,
  parseAction,
  parseCid,
  signedActOf,
  statusOf
} from "@treemark/core"
import { type Report, textMember, verify } from "@treemark/core/verify"
import { DateTime, Effect } from "effect"
import { type OpenedCommit, openCommit, positionOf, proofOfCommit } from "../commits/CommitOnLedger.ts"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import { ask, ledgerUnavailable } from "../evm/RpcFailure.ts"
import { makeCommitters } from "../wallets/Committers.ts"
import { actsBefore } from "./ActsBefore.ts"
import { AdminRefused } from "./AdminRefused.ts"
import type { LogEntry } from "./HistoryApi.ts"

/** So many blocks or trees are asked for at once. */
const CONCURRENCY = 8

export const networkView = ({ chainId, contract, name, role }: LedgerNetwork) => ({ role, name, chainId, contract })

/**
 * Commits of `assetCid`, oldest first, each verified with what is here of it. The word of our own committers is taken for what was done, and
 * that of `recorders`, whom the reader names.
 */
export const logOf = Effect.fn("AssetHistory.logOf")(function* (
  role: NetworkRole,
  assetCid: string,
  range: HistoryRange,
  recorders: ReadonlyArray<string>
) {
  yield* checkCid(assetCid)
  const network = (yield* Networks).role(role)
  const found = yield* (yield* Ledger).history(role, assetCid, range)
  const times = yield* timesOf(
    network,
    found.map(({ blockNumber }) => blockNumber)
  )
  const opened = yield* Effect.forEach(found, openCommit, { concurrency: CONCURRENCY })
  const trusted = new Set([...(yield* makeCommitters).all.map(({ address }) => String(address)), ...recorders])
  const reportOf = reportOn(network)
  const verified = yield* Effect.forEach(opened, (one) =>
    // A signature takes a millisecond or two: others get their turn in between.
    Effect.map(Effect.yieldNow, () => ({ opened: one, report: reportOf(one), time: times.get(one.commit.blockNumber) }))
  )
  const acts = new Set(
    verified.flatMap(({ opened, report }) => (trusted.has(opened.commit.recorder) ? [] : (signedActOf(report) ?? [])))
  )
  const [first] = found
  const seen =
    first === undefined ? new Set<string>() : yield* actsBefore({ role, assetCid, before: first, acts, reportOf })
  const commits = verified.map((one) => {
    const entry = entryOf(one, { assetCid, trustedRecorders: trusted, actsBefore: seen })
    const act = signedActOf(one.report)
    if (act !== undefined) seen.add(act)
    return entry
  })
  return { network: networkView(network), commits }
})

/** The proof of the commit at `place`. */
export const proofAt = Effect.fn("AssetHistory.proofAt")(function* (
  role: NetworkRole,
  assetCid: string,
  { blockNumber, logIndex }: LedgerPlace
) {
  yield* checkCid(assetCid)
  const after = { blockNumber, logIndex: logIndex - 1 }
  const before = { blockNumber, logIndex: logIndex + 1 }
  const [found] = yield* (yield* Ledger).history(role, assetCid, { after, before })
  if (found === undefined) {
    return yield* new AdminRefused({
      code: "commit_not_found",
      message: `The ledger has no commit of ${assetCid} in block ${blockNumber} at index ${logIndex}.`
    })
  }
  return yield* proofOfCommit((yield* Networks).role(role), assetCid, yield* openCommit(found))
})

/** Refuses what is no CID before the ledger is asked: an asset nobody can have committed has no history. */
export const checkCid = (assetCid: string): Effect.Effect<void, AdminRefused> =>
  parseCid(assetCid) === undefined
    ? Effect.fail(
        new AdminRefused({ code: "not_a_cid", message: "The asset must be named by its CID, version 0 or 1." })
      )
    : Effect.void

const timesOf = Effect.fnUntraced(
  function* (network: LedgerNetwork, blocks: ReadonlyArray<number>) {
    const times = yield* Effect.forEach(
      new Set(blocks),
      (block) =>
        Effect.map(
          ask(network, () => network.client.getBlock({ blockNumber: BigInt(block) })),
          ({ timestamp }) => [block, isoTime(timestamp)] as const
        ),
      { concurrency: CONCURRENCY }
    )
    return new Map(times)
  },
  Effect.mapError((failure) => (failure instanceof LedgerUnavailable ? failure : ledgerUnavailable(failure)))
)

/** Seconds; a chain of somebody's own may say anything. */
const isoTime = (seconds: bigint): string =>
  seconds <= 253_402_300_799n ? DateTime.formatIso(DateTime.makeUnsafe(Number(seconds) * 1_000)) : ""

/** What verification says of a commit that we read off the contract's own events ourselves. */
const reportOn =
  (network: LedgerNetwork) =>
  ({ assetTreeCid, commit, record, tree }: OpenedCommit): Report =>
    verify({
      ...("bytes" in tree ? { tree: tree.bytes, treeCid: assetTreeCid } : {}),
      record,
      commitData: commit.commitData,
      ledger: positionOf(network, commit),
      contracts: [{ chainId: network.chainId, contract: network.contract }]
    })

interface Verified {
  readonly opened: OpenedCommit
  readonly report: Report
  readonly time: string | undefined
}

const entryOf = ({ opened, report, time = "" }: Verified, asked: Omit<CommitInHistory, "isTreeHere">): LogEntry => {
  const { assetTreeCid, commit, record, tree } = opened
  const { codes, letter } = statusOf(report, { ...asked, isTreeHere: "bytes" in tree })
  const isOwn = signedActOf(report) !== undefined && asked.actsBefore?.has(signedActOf(report) ?? "") !== true
  return {
    txHash: commit.txHash,
    blockNumber: commit.blockNumber,
    blockHash: commit.blockHash,
    logIndex: commit.logIndex,
    recorder: commit.recorder,
    time,
    status: letter,
    codes,
    word: letter === "G" || letter === "R" ? (isOwn ? "author" : "recorder") : null,
    reason: "missing" in tree ? tree.missing : null,
    author: report.author,
    signer: report.signer,
    action: actionOf(record),
    abstract: textMember(record, "abstract") ?? null,
    assetTreeCid: assetTreeCid ?? null,
    commitData: commit.commitData
  }
}

/** By its name where the record gives one or its Nid is known, else its Nid. */
const actionOf = (record: OpenedCommit["record"]): string | null => {
  const nid = textMember(record, "action")
  const known = nid === undefined ? undefined : parseAction(nid)
  const isPredefined = known !== undefined && (known.name !== "action-commit" || parseAction(known.name)?.nid === nid)
  return textMember(record, "actionName") ?? (isPredefined ? known.name : (nid ?? null))
}
