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
  statusOf
} from "@treemark/core"
import { textMember, verify } from "@treemark/core/verify"
import { DateTime, Effect } from "effect"
import { type LedgerNetwork, Networks } from "../ledger/Networks.ts"
import { ask, ledgerUnavailable } from "../ledger/RpcFailure.ts"
import { makeCommitters } from "../wallets/Committers.ts"
import { AdminRefused } from "./AdminRefused.ts"
import { type OpenedCommit, openCommit, positionOf, proofOfCommit } from "./CommitOnLedger.ts"
import type { LogEntry } from "./HistoryApi.ts"

/** So many blocks or trees are asked for at once. */
const CONCURRENCY = 8

export const networkView = ({ chainId, contract, name, role }: LedgerNetwork) => ({ role, name, chainId, contract })

/** Commits of `assetCid`, oldest first, each verified with what is here of it. */
export const logOf = Effect.fn("AssetHistory.logOf")(function* (
  role: NetworkRole,
  assetCid: string,
  range: HistoryRange
) {
  yield* checkCid(assetCid)
  const network = (yield* Networks).role(role)
  const found = yield* (yield* Ledger).history(role, assetCid, range)
  const times = yield* timesOf(
    network,
    found.map(({ blockNumber }) => blockNumber)
  )
  const opened = yield* Effect.forEach(found, openCommit, { concurrency: CONCURRENCY })
  const trustedRecorders = new Set((yield* makeCommitters).all.map(({ address }) => String(address)))
  const commits = yield* Effect.forEach(opened, (one) =>
    // A signature takes a millisecond or two: others get their turn in between.
    Effect.map(Effect.yieldNow, () =>
      entryOf(network, { assetCid, trustedRecorders }, one, times.get(one.commit.blockNumber) ?? "")
    )
  )
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

const entryOf = (
  network: LedgerNetwork,
  asked: Pick<CommitInHistory, "assetCid" | "trustedRecorders">,
  opened: OpenedCommit,
  time: string
): LogEntry => {
  const { assetTreeCid, commit, record, tree } = opened
  const isTreeHere = "bytes" in tree
  const report = verify({
    ...(isTreeHere ? { tree: tree.bytes, treeCid: assetTreeCid } : {}),
    record,
    commitData: commit.commitData,
    ledger: positionOf(network, commit)
  })
  const { codes, letter } = statusOf(report, { ...asked, isTreeHere })
  return {
    txHash: commit.txHash,
    blockNumber: commit.blockNumber,
    blockHash: commit.blockHash,
    logIndex: commit.logIndex,
    recorder: commit.recorder,
    time,
    status: letter,
    codes,
    reason: isTreeHere ? null : tree.missing,
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
