/** The rows of the watch over authors (0021_AuthorWatch): what is watched, how far, what was found, and what is to be told. */
import { Array as Arr, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { assetTopicOf } from "../../evm/CommitLogs.ts"
import type { LedgerNetwork } from "../../evm/Networks.ts"
import { commitTable } from "../CommitTable.ts"

export interface Watch {
  readonly id: string
  /** EIP-55. */
  readonly author: string
  /** The account whose events tell of it. */
  readonly accountId: string | null
  readonly webhook: string | null
  readonly createdAt: number
  /** Tries of the webhook that failed in a row. */
  readonly failures: number
  readonly problem: string | null
}

/** How far a ledger was looked through; `forks` counts how often its newest blocks were taken back. */
export interface WatchPlace {
  readonly block: number
  readonly forks: number
}

export interface AlertRow {
  readonly id: string
  readonly watchId: string
  readonly accountId: string | null
  readonly txHash: string
  readonly content: string
  readonly state: "standing" | "fallen" | "withdrawn"
  readonly blockNumber: number
  readonly body: string
}

/** What the store knows of some commits. */
export interface KnownHere {
  /** Registered assets by the topic that stands for them in logs. */
  readonly assets: ReadonlyMap<string, string>
  /** By transaction, the account for which it was made here. */
  readonly madeBy: ReadonlyMap<string, string>
  /** Accounts and assets they have, as "ACCOUNT CID". */
  readonly holdings: ReadonlySet<string>
}

/** Assets that get their topic in one go. */
const AT_ONCE = 500

type Raw<A> = { readonly [K in keyof A]: A[K] extends number ? number | bigint : A[K] }

export const makeWatchRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const watchColumns = sql.literal(
    `id, author, account_id AS "accountId", webhook, created_at AS "createdAt", failures, problem`
  )
  const alertColumns = sql.literal(
    `a.id, a.watch_id AS "watchId", w.account_id AS "accountId", a.tx_hash AS "txHash", a.content, a.state,
      a.block_number AS "blockNumber", a.body`
  )
  const alertOfRow = (row: Raw<AlertRow>): AlertRow => ({ ...row, blockNumber: Number(row.blockNumber) })

  const watches = sql<Raw<Watch>>`SELECT ${watchColumns} FROM author_watch ORDER BY created_at, id`.pipe(
    Effect.map(
      (rows): ReadonlyArray<Watch> =>
        rows.map((row) => ({ ...row, createdAt: Number(row.createdAt), failures: Number(row.failures) }))
    )
  )

  const placeOf = Effect.fnUntraced(function* ({ chainId, contract }: LedgerNetwork) {
    const [row] = yield* sql<Raw<WatchPlace>>`SELECT block, forks FROM author_watch_place
      WHERE chain_id = ${chainId} AND contract = ${contract}`
    return row === undefined ? undefined : ({ block: Number(row.block), forks: Number(row.forks) } satisfies WatchPlace)
  })

  /** Begins to watch a ledger after the block, unless it is watched. */
  const begin = ({ chainId, contract }: LedgerNetwork, block: number) => sql`
    INSERT INTO author_watch_place (chain_id, contract, block) VALUES (${chainId}, ${contract}, ${block})
    ON CONFLICT (chain_id, contract) DO NOTHING`

  /** Answers false when somebody else went on, or blocks were taken back meanwhile: then nothing was changed. */
  const goOn = ({ chainId, contract }: LedgerNetwork, from: WatchPlace, block: number) =>
    Effect.map(
      sql`UPDATE author_watch_place SET block = ${block}
        WHERE chain_id = ${chainId} AND contract = ${contract} AND block = ${from.block} AND forks = ${from.forks}
        RETURNING block`,
      (rows) => rows.length > 0
    )

  const withTopics = Effect.gen(function* () {
    for (;;) {
      const rows = yield* sql<{
        readonly asset_cid: string
      }>`SELECT asset_cid FROM asset WHERE topic IS NULL LIMIT ${AT_ONCE}`
      if (rows.length === 0) return
      yield* sql.withTransaction(
        Effect.forEach(
          rows,
          ({ asset_cid }) => sql`UPDATE asset SET topic = ${assetTopicOf(asset_cid)} WHERE asset_cid = ${asset_cid}`,
          { discard: true }
        )
      )
    }
  })

  const knownOf = Effect.fnUntraced(function* (
    commits: ReadonlyArray<{ readonly assetTopic: string; readonly txHash: string }>
  ) {
    if (commits.length === 0) return { assets: new Map(), madeBy: new Map(), holdings: new Set() } as KnownHere
    const topics = [...new Set(commits.map(({ assetTopic }) => assetTopic))]
    const assets = yield* sql<{ readonly topic: string; readonly asset_cid: string }>`
      SELECT topic, asset_cid FROM asset WHERE ${sql.in("topic", topics)}`
    const madeBy = yield* commitTable(sql).accountsIn(commits.map(({ txHash }) => txHash))
    const cids = assets.map(({ asset_cid }) => asset_cid)
    const held = Arr.isReadonlyArrayNonEmpty(cids)
      ? yield* sql<{ readonly account_id: string; readonly asset_cid: string }>`
          SELECT account_id, asset_cid FROM holding WHERE ${sql.in("asset_cid", cids)}`
      : []
    return {
      assets: new Map(assets.map(({ asset_cid, topic }) => [topic, asset_cid])),
      madeBy,
      holdings: new Set(held.map(({ account_id, asset_cid }) => `${account_id} ${asset_cid}`))
    } satisfies KnownHere
  })

  /** Alerts that stood in blocks after `block`, which were taken back, and those with one of `contents` that stand no more. */
  const doubtful = Effect.fnUntraced(function* (
    { chainId, contract }: LedgerNetwork,
    block: number,
    contents: ReadonlyArray<string>
  ) {
    const again = contents.length === 0 ? sql`1 = 0` : sql.in("a.content", contents)
    const rows = yield* sql<Raw<AlertRow>>`SELECT ${alertColumns} FROM author_alert a
      JOIN author_watch w ON w.id = a.watch_id
      WHERE a.chain_id = ${chainId} AND a.contract = ${contract}
        AND ((a.state = 'standing' AND a.block_number > ${block}) OR (a.state <> 'standing' AND ${again}))
      ORDER BY a.block_number, a.id`
    return rows.map(alertOfRow)
  })

  /** Those that fell out of the chain, and stood in a block at or before `block`. */
  const fallen = Effect.fnUntraced(function* ({ chainId, contract }: LedgerNetwork, block: number) {
    const rows = yield* sql<Raw<AlertRow>>`SELECT ${alertColumns} FROM author_alert a
      JOIN author_watch w ON w.id = a.watch_id
      WHERE a.chain_id = ${chainId} AND a.contract = ${contract} AND a.state = 'fallen' AND a.block_number <= ${block}
      ORDER BY a.block_number, a.id`
    return rows.map(alertOfRow)
  })

  const mark = (id: string, state: AlertRow["state"]) => sql`UPDATE author_alert SET state = ${state} WHERE id = ${id}`

  const stand = (
    id: string,
    place: { readonly blockNumber: number; readonly logIndex: number; readonly txHash: string }
  ) =>
    sql`UPDATE author_alert SET ${sql.update({
      state: "standing",
      block_number: place.blockNumber,
      log_index: place.logIndex,
      tx_hash: place.txHash
    })} WHERE id = ${id}`

  return { watches, placeOf, begin, goOn, withTopics, knownOf, doubtful, fallen, mark, stand }
})

export type WatchRows = Effect.Success<typeof makeWatchRows>
