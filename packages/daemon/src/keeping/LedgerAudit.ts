/**
 * The commit jobs against the ledger. Its events are read first and the jobs after, so that every event already has its job. A node
 * elsewhere is asked only for stretches that hold commits of ours.
 */
import { createHash } from "node:crypto"
import type { NetworkRole } from "@treemark/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { commitTable } from "../commits/CommitTable.ts"
import { assetTopicOf, type CommitLog, commitLogs } from "../evm/CommitLogs.ts"
import { clustersOf, eachWindow, FIRST_WINDOW, type Span } from "../evm/LogWindows.ts"
import type { LedgerNetwork } from "../evm/Networks.ts"
import { ask } from "../evm/RpcFailure.ts"
import { eachInTurns, eachPage } from "../store/Snapshot.ts"
import type { Note } from "./AuditReport.ts"

const PAGE = 500

/** Commits in one answer that are enough: more of them would keep the daemon's event loop for too long at a time. */
const ENOUGH = 1_000

interface LedgerEvent {
  readonly block: number
  readonly logIndex: number
  /** keccak-256 of the asset's CID. */
  readonly asset: string
  /** sha256 of the text. */
  readonly text: string
}

/** What was read of one role's ledger. */
export interface LedgerEvents {
  readonly role: NetworkRole
  readonly network: LedgerNetwork
  readonly head: number
  readonly byTransaction: ReadonlyMap<string, LedgerEvent>
}

/** The commits by `recorders` on the network of `role`; of a node elsewhere only the stretches around `blocks`, which are in order. */
export const readEvents = Effect.fn("Audit.readEvents")(function* (
  role: NetworkRole,
  network: LedgerNetwork,
  recorders: ReadonlyArray<string>,
  blocks: ReadonlyArray<number>
) {
  const head = yield* ask(network, () => network.client.getBlockNumber())
  const spans: ReadonlyArray<Span> = network.embedded
    ? [{ low: 0n, high: head }]
    : clustersOf(blocks.map(BigInt).filter((block) => block <= head))
  const byTransaction = new Map<string, LedgerEvent>()
  const read = (window: Span) =>
    Effect.map(commitLogs(network, window, { recorders }), (logs) => {
      for (const log of logs) byTransaction.set(log.txHash, eventOf(log))
      return logs.length
    })
  for (const span of spans) {
    yield* eachWindow(span, read, { first: FIRST_WINDOW, newestFirst: false, enough: ENOUGH })
  }
  return { role, network, head: Number(head), byTransaction } satisfies LedgerEvents
})

const digestOf = (text: Uint8Array | string): string => createHash("sha256").update(text).digest("base64")

const eventOf = ({ assetTopic, blockNumber, logIndex, text }: CommitLog): LedgerEvent => ({
  block: blockNumber,
  logIndex,
  asset: assetTopic,
  text: digestOf(text)
})

/** The columns of a job row. */
const COLUMNS = "id, network, chain_id, asset_cid, commit_json, tx_hash, state, block_number, log_index"

interface JobRow {
  readonly place: number | string
  readonly id: string
  readonly network: NetworkRole
  readonly chain_id: number | bigint
  readonly asset_cid: string
  readonly commit_json: string
  readonly tx_hash: string | null
  readonly state: string
  readonly block_number: number | bigint | null
  readonly log_index: number | bigint | null
}

/** A finished commit in a block that came after the events were read, or that the ledger has lost. */
interface LaterCommit {
  readonly ledger: LedgerEvents
  readonly id: string
  readonly hash: string
  readonly block: number
}

/** Compares every job with the ledger of its role; answers how many are finished, and which of them the events cannot know. */
export const auditCommits = Effect.fn("Audit.commits")(function* (
  sql: SqlClient.SqlClient,
  note: Note,
  ledgers: ReadonlyArray<LedgerEvents>
) {
  const known = new Map(ledgers.map((ledger) => [ledger, new Set<string>()]))
  const topics = new Map<string, string>()
  const later: Array<LaterCommit> = []
  let finished = 0
  const topicOf = (assetCid: string): string => {
    const known = topics.get(assetCid)
    if (known !== undefined) return known
    const topic = assetTopicOf(assetCid)
    topics.set(assetCid, topic)
    return topic
  }
  const audit = (job: JobRow) => {
    const ledger = ledgers.find(({ network, role }) => job.network === role && Number(job.chain_id) === network.chainId)
    if (ledger === undefined) return
    const hash = job.tx_hash ?? ""
    known.get(ledger)?.add(hash)
    if (job.state !== "mined") return
    finished++
    const block = Number(job.block_number)
    if (block > ledger.head) return void later.push({ ledger, id: job.id, hash, block })
    const event = ledger.byTransaction.get(hash)
    if (event === undefined) {
      return note("event_missing", job.id, `Transaction ${hash}, block ${job.block_number} of ${ledger.role}.`)
    }
    const differences = [
      ...(event.text === digestOf(job.commit_json) ? [] : ["the text"]),
      ...(event.asset === topicOf(job.asset_cid) ? [] : ["the asset"]),
      ...(event.block === block && event.logIndex === Number(job.log_index) ? [] : ["the place"])
    ]
    if (differences.length === 0) return
    note("event_differs", job.id, `Transaction ${hash} of ${ledger.role} differs in ${differences.join(", ")}.`)
  }
  yield* eachPage(
    (last: JobRow | undefined) => commitTable(sql).page(COLUMNS, last, PAGE),
    (rows) => rows.forEach(audit)
  )
  for (const [{ byTransaction, role }, hashes] of known) {
    yield* eachInTurns(byTransaction, ([hash, { block }]) => {
      if (!hashes.has(hash)) note("event_unknown", hash, `Block ${block} of ${role} has it.`)
    })
  }
  return { finished, later }
})

/** Looks whether the ledgers have come to the blocks of `later` meanwhile: one that ends before them has lost them. */
export const auditLater = Effect.fnUntraced(function* (
  { network, role }: LedgerEvents,
  note: Note,
  later: ReadonlyArray<LaterCommit>
) {
  const mine = later.filter(({ ledger }) => ledger.role === role)
  if (mine.length === 0) return
  const head = Number(yield* ask(network, () => network.client.getBlockNumber()))
  for (const { block, hash, id } of mine) {
    if (block <= head) continue
    note("event_missing", id, `Transaction ${hash}, block ${block} of ${role}, whose newest block is ${head}.`)
  }
})
