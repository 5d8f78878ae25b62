/**
 * The rows of the index of the ledger's commits (0013_LedgerIndex). Whoever moves an index on says from where: when somebody else moved it
 * meanwhile, another replica or another command, nothing is changed.
 */
import { type HistoryRange, type LedgerCommit, type WalletAddress, walletAddress } from "@treemark/core"
import { Array as Arr, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { bytesToString } from "viem"
import type { CommitLog } from "../evm/CommitLogs.ts"
import type { LedgerNetwork } from "../evm/Networks.ts"
import { commitTable } from "./CommitTable.ts"

/** What of a contract is indexed: every commit in the blocks `low` to `high`; none yet while `high` is `low` - 1. */
export interface Indexed {
  readonly id: number
  readonly low: number
  readonly high: number
  /** Hash of the block `high`; empty while there is none. */
  readonly highHash: string
}

/** The index was moved on by somebody else. */
export class MovedOn extends Error {
  readonly _tag = "MovedOn"
}

interface IndexRow {
  readonly id: number
  readonly low: number | bigint
  readonly high: number | bigint
  readonly high_hash: string
}

interface CommitRow {
  readonly asset_topic: Uint8Array
  readonly block_number: number | bigint
  readonly log_index: number
  readonly block_hash: Uint8Array
  readonly tx_hash: Uint8Array
  readonly recorder: Uint8Array
  readonly text: Uint8Array | null
}

/** Rows written by one statement: each has eight parameters, and databases bound their number. */
const AT_ONCE = 200

const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex")
const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString("hex")}`

/** A commit of whichever asset, known by its topic only. */
export interface IndexedCommit extends LedgerCommit {
  readonly assetTopic: string
}

/** An address stands in the last 20 of a topic's 32 bytes. */
const addressIn = (topic: string): Buffer => bytesOf(topic).subarray(-20)

export const makeIndexRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const made = commitTable(sql)
  const columns = sql.literal("asset_topic, block_number, log_index, block_hash, tx_hash, recorder, text")

  const indexOf = Effect.fnUntraced(function* ({ chainId, contract }: LedgerNetwork) {
    const [row] = yield* sql<IndexRow>`SELECT id, low, high, high_hash FROM ledger_index
      WHERE chain_id = ${chainId} AND contract = ${contract}`
    if (row === undefined) return undefined
    const { high, high_hash, id, low } = row
    return { id, low: Number(low), high: Number(high), highHash: high_hash } satisfies Indexed
  })

  /** Begins the index of a contract at the block `low`, unless it was begun. */
  const begin = ({ chainId, contract }: LedgerNetwork, low: number) => sql`
    INSERT INTO ledger_index (id, chain_id, contract, low, high, high_hash)
    VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM ledger_index), ${chainId}, ${contract}, ${low}, ${low - 1}, '')
    ON CONFLICT (chain_id, contract) DO NOTHING`

  const move = Effect.fnUntraced(function* (from: Indexed, to: Omit<Indexed, "id">) {
    const moved = yield* sql`UPDATE ledger_index SET low = ${to.low}, high = ${to.high}, high_hash = ${to.highHash}
      WHERE id = ${from.id} AND low = ${from.low} AND high = ${from.high} AND high_hash = ${from.highHash} RETURNING id`
    if (moved.length === 0) return yield* Effect.fail(new MovedOn())
  })

  /** The texts that jobs have are not written twice. */
  const known = (logs: ReadonlyArray<CommitLog>) => made.textsIn(logs.map(({ txHash }) => txHash))

  const insert = Effect.fnUntraced(function* (id: number, logs: ReadonlyArray<CommitLog>) {
    for (let from = 0; from < logs.length; from += AT_ONCE) {
      const some = logs.slice(from, from + AT_ONCE)
      const texts = yield* known(some)
      const rows: ReadonlyArray<Record<string, unknown>> = some.map((log) => ({
        ledger: id,
        asset_topic: bytesOf(log.assetTopic),
        block_number: log.blockNumber,
        log_index: log.logIndex,
        block_hash: bytesOf(log.blockHash),
        tx_hash: bytesOf(log.txHash),
        recorder: addressIn(log.recorderTopic),
        text: texts.get(log.txHash) === bytesToString(log.text) ? null : Buffer.from(log.text)
      }))
      if (Arr.isReadonlyArrayNonEmpty(rows)) {
        yield* sql`INSERT INTO ledger_commit ${sql.insert(rows)} ON CONFLICT DO NOTHING`
      }
    }
  })

  /** Moves `from` on to the block `high` with the commits in between. */
  const advance = (from: Indexed, logs: ReadonlyArray<CommitLog>, high: number, highHash: string) =>
    sql.withTransaction(Effect.andThen(move(from, { low: from.low, high, highHash }), insert(from.id, logs)))

  /** Whoever watches authors looks through the blocks after `high` again, and what was being looked through is no more. */
  const watchAgain = (from: Indexed, high: number) => sql`UPDATE author_watch_place
    SET block = CASE WHEN block > ${high} THEN ${high} ELSE block END, forks = forks + 1
    WHERE (chain_id, contract) IN (SELECT chain_id, contract FROM ledger_index WHERE id = ${from.id})`

  /** Forgets every commit after the block `high`: the chain took another way from there. */
  const takeBack = (from: Indexed, to: Omit<Indexed, "id">) =>
    sql.withTransaction(
      move(from, to).pipe(
        Effect.andThen(sql`DELETE FROM ledger_commit WHERE ledger = ${from.id} AND block_number > ${to.high}`),
        Effect.andThen(watchAgain(from, to.high))
      )
    )

  /** As {@link takeBack}, of everything that is known. */
  const forget = (from: Indexed, low: number) =>
    sql.withTransaction(
      move(from, { low, high: low - 1, highHash: "" }).pipe(
        Effect.andThen(sql`DELETE FROM ledger_commit WHERE ledger = ${from.id}`),
        Effect.andThen(sql`DELETE FROM ledger_asset WHERE ledger = ${from.id}`),
        Effect.andThen(watchAgain(from, low - 1))
      )
    )

  /** The newest block at or before `block` that is known to hold a commit, with its hash. */
  const blockBefore = Effect.fnUntraced(function* ({ id }: Indexed, block: number) {
    const [row] = yield* sql<CommitRow>`SELECT block_number, block_hash FROM ledger_commit
      WHERE ledger = ${id} AND block_number <= ${block} ORDER BY block_number DESC LIMIT 1`
    return row === undefined ? undefined : { block: Number(row.block_number), hash: hexOf(row.block_hash) }
  })

  /** Whether the commits of an asset before the index's first block are in it. */
  const isWhole = Effect.fnUntraced(function* ({ id }: Indexed, assetTopic: string) {
    const found = yield* sql`SELECT 1 AS one FROM ledger_asset
      WHERE ledger = ${id} AND asset_topic = ${bytesOf(assetTopic)}`
    return found.length > 0
  })

  /** Adds the commits of an asset before the index's first block, all of them. */
  const complete = (index: Indexed, assetTopic: string, commits: ReadonlyArray<CommitLog>) =>
    sql.withTransaction(
      move(index, index).pipe(
        Effect.andThen(insert(index.id, commits)),
        Effect.andThen(
          sql`INSERT INTO ledger_asset ${sql.insert({ ledger: index.id, asset_topic: bytesOf(assetTopic) })} ON CONFLICT DO NOTHING`
        )
      )
    )

  /** The commits of an asset within `range`, oldest first; undefined when a text is nowhere in the store. */
  const commitsOf = Effect.fnUntraced(function* (index: Indexed, assetTopic: string, range: HistoryRange) {
    const { after, before, from, limit } = range
    const conditions = [
      sql`ledger = ${index.id}`,
      sql`asset_topic = ${bytesOf(assetTopic)}`,
      ...(after === undefined ? [] : [sql`(block_number, log_index) > (${after.blockNumber}, ${after.logIndex})`]),
      ...(before === undefined ? [] : [sql`(block_number, log_index) < (${before.blockNumber}, ${before.logIndex})`])
    ]
    const order =
      from === "newest" ? sql`ORDER BY block_number DESC, log_index DESC` : sql`ORDER BY block_number, log_index`
    const rows = yield* sql<CommitRow>`SELECT ${columns}
      FROM ledger_commit WHERE ${sql.and(conditions)} ${order} ${limit === undefined ? sql`` : sql`LIMIT ${limit}`}`
    const commits: Array<LedgerCommit> = []
    for (const { assetTopic: _, commitData, ...commit } of yield* opened(rows)) {
      if (commitData === undefined) return undefined
      commits.push({ ...commit, commitData })
    }
    return from === "newest" ? commits.reverse() : commits
  })

  /** The commits of all assets in the blocks after `after`: some hundreds, always of whole blocks, and up to which block they are all. */
  const commitsAfter = Effect.fnUntraced(function* ({ high, id }: Indexed, after: number) {
    const [last] = yield* sql<Pick<CommitRow, "block_number">>`SELECT block_number FROM ledger_commit
      WHERE ledger = ${id} AND block_number > ${after} ORDER BY block_number LIMIT 1 OFFSET ${AT_ONCE}`
    const upTo = Math.min(high, last === undefined ? high : Number(last.block_number))
    const rows = yield* sql<CommitRow>`SELECT ${columns} FROM ledger_commit
      WHERE ledger = ${id} AND block_number > ${after} AND block_number <= ${upTo} ORDER BY block_number, log_index`
    const commits = (yield* opened(rows)).map(
      ({ commitData = "", ...commit }): IndexedCommit => ({ ...commit, commitData })
    )
    return { upTo, commits }
  })

  /** `commitData` is undefined where the text is nowhere in the store. */
  const opened = Effect.fnUntraced(function* (rows: ReadonlyArray<CommitRow>) {
    const texts = yield* textsOf(rows)
    const recorders = new Map<string, WalletAddress>()
    return rows.map((row) => {
      const txHash = hexOf(row.tx_hash)
      const address = hexOf(row.recorder)
      const recorder = recorders.get(address) ?? walletAddress(address)
      recorders.set(address, recorder)
      return {
        assetTopic: hexOf(row.asset_topic),
        txHash,
        blockNumber: Number(row.block_number),
        blockHash: hexOf(row.block_hash),
        logIndex: Number(row.log_index),
        recorder,
        commitData: row.text === null ? texts.get(txHash) : bytesToString(row.text)
      }
    })
  })

  const textsOf = Effect.fnUntraced(function* (rows: ReadonlyArray<CommitRow>) {
    const hashes = rows.flatMap(({ text, tx_hash }) => (text === null ? [hexOf(tx_hash)] : []))
    const texts = new Map<string, string>()
    for (let from = 0; from < hashes.length; from += AT_ONCE) {
      for (const [hash, text] of yield* made.textsIn(hashes.slice(from, from + AT_ONCE))) texts.set(hash, text)
    }
    return texts
  })

  return { indexOf, begin, advance, takeBack, forget, blockBefore, isWhole, complete, commitsOf, commitsAfter }
})

export type IndexRows = Effect.Success<typeof makeIndexRows>
