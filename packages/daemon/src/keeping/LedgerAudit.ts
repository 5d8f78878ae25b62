/**
 * The commit jobs against the ledger. Its events are read first and the jobs after, so that every event already has its job, in one pass
 * of eth_getLogs over as many blocks as the node allows. A node elsewhere is asked only for stretches that hold commits of ours.
 */
import { createHash } from "node:crypto"
import type { NetworkRole } from "@treemark/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type Hex, keccak256, pad, stringToHex } from "viem"
import { COMMIT_TOPIC } from "../evm/CommitContract.ts"
import type { LedgerNetwork } from "../evm/Networks.ts"
import { ask } from "../evm/RpcFailure.ts"
import { eachPage, readingOrder } from "../store/Snapshot.ts"
import type { Note } from "./AuditReport.ts"

const PAGE = 1_000

/** What every public node answers for at once; it grows until one is refused, or an answer is long enough. */
const FIRST_WINDOW = 2_048

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

export interface LedgerEvents {
  readonly head: number
  readonly byTransaction: ReadonlyMap<string, LedgerEvent>
}

interface RawLog {
  readonly blockNumber: Hex
  readonly logIndex: Hex
  readonly transactionHash: Hex
  readonly topics: ReadonlyArray<Hex>
  readonly data: Hex
}

/** The commits by `committers` on `network`; of a node elsewhere only the stretches around `blocks`, which are in order. */
export const readEvents = Effect.fn("Audit.readEvents")(function* (
  network: LedgerNetwork,
  committers: ReadonlyArray<string>,
  blocks: ReadonlyArray<number>
) {
  const head = Number(yield* ask(network, () => network.client.getBlockNumber()))
  const byTransaction = new Map<string, LedgerEvent>()
  let window = FIRST_WINDOW
  let isLimitKnown = false
  let next = 0
  for (let from = 0; from <= head; ) {
    if (!network.embedded) {
      while (next < blocks.length && blocks[next]! < from) next++
      if (next === blocks.length) break
      from = blocks[next]!
    }
    const to = Math.min(from + window - 1, head)
    const logs = yield* logsBetween(network, committers, from, to).pipe(
      Effect.catchTag("RpcFailure", (failure) =>
        failure.outcome === "refused" && window > 1 ? Effect.succeed(undefined) : Effect.fail(failure)
      )
    )
    if (logs === undefined) {
      isLimitKnown = true
      window = Math.ceil(window / 2)
      continue
    }
    for (const log of logs) byTransaction.set(log.transactionHash, eventOf(log))
    from = to + 1
    if (logs.length > ENOUGH) window = Math.max(1, Math.floor((window * ENOUGH) / logs.length))
    else if (!isLimitKnown && logs.length < ENOUGH / 2) window *= 2
    yield* Effect.yieldNow
  }
  return { head, byTransaction } satisfies LedgerEvents
})

const logsBetween = (network: LedgerNetwork, committers: ReadonlyArray<string>, from: number, to: number) => {
  const filter = {
    address: network.contract as Hex,
    topics: [COMMIT_TOPIC, committers.map((address) => pad(address as Hex))],
    fromBlock: `0x${from.toString(16)}`,
    toBlock: `0x${to.toString(16)}`
  } as const
  return ask(
    network,
    () => network.client.request({ method: "eth_getLogs", params: [filter] } as never) as Promise<ReadonlyArray<RawLog>>
  )
}

const digestOf = (text: Uint8Array | string): string => createHash("sha256").update(text).digest("base64")

/** The data of the event is one ABI-encoded string: an offset and a length of 32 bytes each, then the text. */
const eventOf = ({ blockNumber, data, logIndex, topics }: RawLog): LedgerEvent => {
  const bytes = Buffer.from(data.slice(2), "hex")
  const length = bytes.length < 64 ? 0 : bytes.readUInt32BE(60)
  return {
    block: Number(blockNumber),
    logIndex: Number(logIndex),
    asset: topics[2] ?? "",
    text: digestOf(bytes.subarray(64, 64 + length))
  }
}

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
  readonly id: string
  readonly hash: string
  readonly block: number
}

/** Compares every job of `role` with `events`; answers how many are finished, and which of them the events cannot know. */
export const auditCommits = Effect.fn("Audit.commits")(function* (
  sql: SqlClient.SqlClient,
  note: Note,
  role: NetworkRole,
  chainId: number,
  events: LedgerEvents
) {
  const unknown = new Set(events.byTransaction.keys())
  const topics = new Map<string, string>()
  const later: Array<LaterCommit> = []
  let finished = 0
  const topicOf = (assetCid: string): string => {
    const known = topics.get(assetCid)
    if (known !== undefined) return known
    const topic = keccak256(stringToHex(assetCid))
    topics.set(assetCid, topic)
    return topic
  }
  const audit = (job: JobRow) => {
    if (job.network !== role || Number(job.chain_id) !== chainId) return
    const hash = job.tx_hash ?? ""
    unknown.delete(hash)
    if (job.state !== "mined") return
    finished++
    const block = Number(job.block_number)
    if (block > events.head) return void later.push({ id: job.id, hash, block })
    const event = events.byTransaction.get(hash)
    if (event === undefined) {
      return note("event_missing", job.id, `Transaction ${hash}, block ${job.block_number} of ${role}.`)
    }
    const differences = [
      ...(event.text === digestOf(job.commit_json) ? [] : ["the text"]),
      ...(event.asset === topicOf(job.asset_cid) ? [] : ["the asset"]),
      ...(event.block === block && event.logIndex === Number(job.log_index) ? [] : ["the place"])
    ]
    if (differences.length === 0) return
    note("event_differs", job.id, `Transaction ${hash} of ${role} differs in ${differences.join(", ")}.`)
  }
  const { column, first } = readingOrder(sql, "j", "id")
  yield* eachPage(
    (last: JobRow | undefined) => sql<JobRow>`
      SELECT ${column} AS place, id, network, chain_id, asset_cid, commit_json, tx_hash, state, block_number, log_index
      FROM commit_job j WHERE ${column} > ${last?.place ?? first}
      ORDER BY ${column} LIMIT ${PAGE}`,
    (rows) => rows.forEach(audit)
  )
  for (const hash of unknown) {
    note("event_unknown", hash, `Block ${events.byTransaction.get(hash)?.block} of ${role} has it.`)
  }
  return { finished, later }
})

/** Looks whether the ledger has come to the blocks of `later` meanwhile: one that ends before them has lost them. */
export const auditLater = Effect.fnUntraced(function* (
  network: LedgerNetwork,
  note: Note,
  role: NetworkRole,
  later: ReadonlyArray<LaterCommit>
) {
  if (later.length === 0) return
  const head = Number(yield* ask(network, () => network.client.getBlockNumber()))
  for (const { block, hash, id } of later) {
    if (block <= head) continue
    note("event_missing", id, `Transaction ${hash}, block ${block} of ${role}, whose newest block is ${head}.`)
  }
})
