/**
 * Looks through the indexed commits of a ledger for watched authors, some hundreds at a time, and writes what is to be told of them together
 * with how far it has come: so nothing is told twice and nothing is passed over, wherever it is cut off. What falls out of the chain and
 * comes back is the same commit and is not told again; what stays away for as many blocks as commits are looked after is told as withdrawn.
 */
import { createHash } from "node:crypto"
import { toEip55 } from "@treemark/core"
import { Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { bytesToString } from "viem"
import { type CommitLog, commitLogs } from "../../evm/CommitLogs.ts"
import { eachWindow, FIRST_WINDOW } from "../../evm/LogWindows.ts"
import type { LedgerNetwork } from "../../evm/Networks.ts"
import { randomId } from "../../store/RandomId.ts"
import { authorAlerts, note } from "../../telemetry/Metrics.ts"
import { type IndexedCommit, makeIndexRows } from "../LedgerIndexRows.ts"
import { type AlertKind, alertOf, type Finding } from "./Alert.ts"
import { type Found, judge } from "./Judge.ts"
import { type AlertRow, makeWatchRows, type Watch, type WatchPlace } from "./WatchRows.ts"

/** Commits in one answer of a node. */
const ENOUGH = 500

export const makeLookThrough = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const rows = yield* makeWatchRows
  const index = yield* makeIndexRows

  /** Writes down what is to be told: to the webhook and the log, and among the account's events. */
  const tell = Effect.fnUntraced(function* (
    alert: Pick<AlertRow, "id" | "watchId" | "accountId">,
    finding: Finding,
    kind: AlertKind
  ) {
    const [before] = yield* sql<{ readonly many: number | bigint }>`SELECT COUNT(*) AS many FROM author_delivery
      WHERE alert_id = ${alert.id}`
    const id = `${alert.id}.${Number(before?.many ?? 0) + 1}`
    const at = yield* Clock.currentTimeMillis
    yield* sql`INSERT INTO author_delivery (id, alert_id, watch_id, kind, made_at)
      VALUES (${id}, ${alert.id}, ${alert.watchId}, ${kind}, ${at})`
    if (alert.accountId === null) return
    yield* sql`INSERT INTO account_event (account_id, kind, asset_cid, at, detail)
      VALUES (${alert.accountId}, 'alert', ${finding.assetCid}, ${at}, ${JSON.stringify(alertOf(finding, id, kind))})`
  })

  const insert = Effect.fnUntraced(function* (network: LedgerNetwork, { commit, finding, watch }: Found) {
    const id = yield* randomId("alr", random)
    yield* sql`INSERT INTO author_alert ${sql.insert({
      id,
      watch_id: watch.id,
      chain_id: network.chainId,
      contract: network.contract,
      tx_hash: commit.txHash,
      block_number: commit.blockNumber,
      log_index: commit.logIndex,
      content: contentOf(commit),
      state: "standing",
      body: JSON.stringify(finding),
      found_at: yield* Clock.currentTimeMillis
    })}`
    yield* tell({ id, watchId: watch.id, accountId: watch.accountId }, finding, "commit")
  })

  /** What was found in the blocks after `place` up to `upTo`, against what was told of blocks that were taken back. Inside a transaction. */
  const write = Effect.fnUntraced(function* (
    network: LedgerNetwork,
    place: WatchPlace,
    upTo: number,
    found: ReadonlyArray<Found>
  ) {
    if (!(yield* rows.goOn(network, place, upTo))) return { isWritten: false, added: [] }
    const contents = [...new Set(found.map(({ commit }) => contentOf(commit)))]
    const left = new Set(yield* rows.doubtful(network, place.block, contents))
    const added: Array<Found> = []
    for (const one of found) {
      const known = sameIn(left, one)
      if (known === undefined) {
        yield* insert(network, one)
        added.push(one)
        continue
      }
      left.delete(known)
      yield* rows.stand(known.id, one.commit)
      if (known.state === "withdrawn") yield* tell(known, one.finding, "restored")
    }
    for (const alert of left) {
      if (alert.state === "standing" && alert.blockNumber <= upTo) yield* rows.mark(alert.id, "fallen")
    }
    return { isWritten: true, added }
  })

  const withdraw = Effect.fnUntraced(function* (network: LedgerNetwork, head: number) {
    for (const alert of yield* rows.fallen(network, head - network.watchBlocks)) {
      yield* sql.withTransaction(
        Effect.andThen(rows.mark(alert.id, "withdrawn"), tell(alert, JSON.parse(alert.body) as Finding, "withdrawn"))
      )
    }
  })

  const step = Effect.fnUntraced(function* (
    network: LedgerNetwork,
    watches: ReadonlyArray<Watch>,
    place: WatchPlace,
    { commits, upTo }: { readonly commits: ReadonlyArray<IndexedCommit>; readonly upTo: number }
  ) {
    const found = yield* judge(network, watches, commits, yield* rows.knownOf(commits))
    const { added, isWritten } = yield* sql.withTransaction(write(network, place, upTo, found))
    for (const { finding } of added) note(authorAlerts, 1, { why: finding.why })
    return isWritten ? { ...place, block: upTo } : undefined
  })

  /** Blocks before those that the index holds: it was begun anew while this daemon was elsewhere. */
  const beforeIndex = (network: LedgerNetwork, watches: ReadonlyArray<Watch>, from: WatchPlace, low: number) => {
    let place: WatchPlace | undefined = from
    const span = { low: BigInt(from.block + 1), high: BigInt(low - 1) }
    const read = Effect.fnUntraced(function* (window: { readonly low: bigint; readonly high: bigint }) {
      const logs = yield* commitLogs(network, window)
      if (place !== undefined) {
        place = yield* step(network, watches, place, { commits: logs.map(commitOf), upTo: Number(window.high) })
      }
      return logs.length
    })
    return eachWindow(span, read, { first: FIRST_WINDOW, newestFirst: false, enough: ENOUGH })
  }

  /** Looks through what is new on a ledger since the last look. What the ledger's index lacks still is left for the next one. */
  return Effect.fn("AuthorWatch.look")(function* (network: LedgerNetwork) {
    const watches = yield* rows.watches
    if (watches.length === 0) return
    const indexed = yield* index.indexOf(network)
    if (indexed === undefined || indexed.high < indexed.low) return
    const known = yield* rows.placeOf(network)
    if (known === undefined) return yield* Effect.asVoid(rows.begin(network, indexed.high))
    yield* rows.withTopics
    if (known.block + 1 < indexed.low) return yield* beforeIndex(network, watches, known, indexed.low)
    let place: WatchPlace | undefined = known
    while (place !== undefined && place.block < indexed.high) {
      place = yield* step(network, watches, place, yield* index.commitsAfter(indexed, place.block))
    }
    if (place !== undefined) yield* withdraw(network, indexed.high)
  })
})

/** Tells a commit by what it says, of which asset and by whose wallet: the same after it fell out of the chain and came back. */
const contentOf = ({ assetTopic, commitData, recorder }: IndexedCommit): string =>
  createHash("sha256").update(`${assetTopic} ${recorder} ${commitData}`).digest("hex")

/** The alert that was told of this commit; of several, the one with its transaction. */
const sameIn = (alerts: ReadonlySet<AlertRow>, { commit, watch }: Found): AlertRow | undefined => {
  const content = contentOf(commit)
  const same = [...alerts].filter((alert) => alert.watchId === watch.id && alert.content === content)
  return same.find(({ txHash }) => txHash === commit.txHash) ?? same[0]
}

const commitOf = ({ recorderTopic, text, ...log }: CommitLog): IndexedCommit => ({
  ...log,
  recorder: toEip55(`0x${recorderTopic.slice(-40)}`) as IndexedCommit["recorder"],
  commitData: bytesToString(text)
})
