/**
 * What others than those who carry commits ask of the table `commit_job`: lists, the audit, the index of the ledger, figures. The table is
 * known here, to those who find and finish commits (CommitRows, FinishedCommits), to those who write them (BeginCommit,
 * CommitTransitions), and to the holds.
 */
import type { AccountId } from "@treemark/core"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { readingOrder } from "../store/Snapshot.ts"

const OPEN = "('queued', 'signed', 'sent')"

interface TreeOfAsset {
  readonly asset_cid: string
  readonly asset_tree_cid: string
}

export const commitTable = (sql: SqlClient.SqlClient) => {
  const open = sql.literal(OPEN)

  /** The commit whose id is the column `id`, as `j` beside other rows; only rows that have one, where `kind` is JOIN. */
  const beside = (id: string, kind: "JOIN" | "LEFT JOIN" = "LEFT JOIN") =>
    sql.literal(`${kind} commit_job j ON j.id = ${id}`)

  /** The commit of the hold whose id is the column `id`, as `j` beside other rows. */
  const besideHold = (id: string) => sql.literal(`LEFT JOIN commit_job j ON j.hold_id = ${id}`)

  /** Condition: the commit whose id is the column `id` is in one of `states`. */
  const isIn = (id: string, states: Statement.Fragment) =>
    sql`EXISTS (SELECT 1 FROM commit_job j WHERE j.id = ${sql.literal(id)} AND j.state IN ${states})`

  /** SELECT of the commits under way: kind, state, how many, since when the oldest. */
  const underWay = sql`SELECT 'commit' AS kind, state, COUNT(*) AS many, MIN(created_at) AS since FROM commit_job
    WHERE state IN ${open} GROUP BY state`

  /** Chain, wallet and state of each commit under way. */
  const lanes = sql`SELECT chain_id, committer, state FROM commit_job WHERE state IN ${open}`

  const hasOpen = (account: AccountId) =>
    Effect.map(
      sql`SELECT id FROM commit_job WHERE account_id = ${account} AND state IN ${open} LIMIT 1`,
      (rows) => rows.length > 0
    )

  /** The records of those of the transactions that commits of ours are in, by hash. */
  const textsIn = Effect.fnUntraced(function* (hashes: ReadonlyArray<string>) {
    const rows = yield* sql<{ readonly tx_hash: string; readonly commit_json: string }>`
      SELECT tx_hash, commit_json FROM commit_job WHERE ${sql.in("tx_hash", hashes)}`
    return new Map(rows.map(({ commit_json, tx_hash }) => [tx_hash, commit_json]))
  })

  /** Whose commits are in those of the transactions, by hash. */
  const accountsIn = Effect.fnUntraced(function* (hashes: ReadonlyArray<string>) {
    const rows = yield* sql<{ readonly tx_hash: string; readonly account_id: string }>`
      SELECT tx_hash, account_id FROM commit_job WHERE ${sql.in("tx_hash", hashes)}`
    return new Map(rows.map(({ account_id, tx_hash }) => [tx_hash, account_id]))
  })

  /** The commit that is recorded in a transaction. */
  const recordedIn = (txHash: string) =>
    Effect.map(
      sql<TreeOfAsset>`SELECT asset_cid, asset_tree_cid FROM commit_job WHERE tx_hash = ${txHash} AND state = 'mined'`,
      (rows) => rows[0]
    )

  /** The newest commit of an asset that is recorded, found by whoever has the asset. */
  const newestOf = (assetCid: string) =>
    Effect.map(
      sql<TreeOfAsset>`SELECT j.asset_cid, j.asset_tree_cid FROM holding h JOIN commit_job j ON j.id = h.last_commit
        WHERE h.asset_cid = ${assetCid} AND j.state = 'mined' ORDER BY j.created_at DESC, j.id DESC LIMIT 1`,
      (rows) => rows[0]
    )

  /** When a commit was made and with which transaction, while it is signed and nobody knows more of it. */
  const signed = (id: string) =>
    sql<{ readonly created_at: number | bigint; readonly tx_hash: string | null }>`SELECT created_at, tx_hash
      FROM commit_job WHERE id = ${id} AND state = 'signed'`

  /** The wallets that sent commits on a chain: each is looked for after the one before, for very many commits are by very few. */
  const committersOn = (chainId: number) =>
    Effect.map(
      sql<{ readonly committer: string }>`WITH RECURSIVE known (committer) AS (
          SELECT MIN(committer) FROM commit_job WHERE chain_id = ${chainId}
          UNION ALL SELECT (SELECT MIN(committer) FROM commit_job WHERE chain_id = ${chainId} AND committer > known.committer)
            FROM known WHERE known.committer IS NOT NULL
        ) SELECT committer FROM known WHERE committer IS NOT NULL`,
      (rows) => rows.map(({ committer }) => committer)
    )

  /** So many commits, after the `place` of the last one, in the order in which they are read fastest. */
  const page = <Row extends { readonly place: number | bigint | string }>(
    columns: string,
    last: Row | undefined,
    limit: number
  ) => {
    const { column, first } = readingOrder(sql, "commit_job", "id")
    return sql<Row>`SELECT ${column} AS place, ${sql.literal(columns)} FROM commit_job
      WHERE ${column} > ${last?.place ?? first} ORDER BY ${column} LIMIT ${limit}`
  }

  /** So many asset trees after the CID `after`, each once, with what the store has of them. */
  const trees = (after: string, limit: number) =>
    sql<{ readonly cid: string; readonly document: string | null }>`SELECT j.cid, t.document
      FROM (SELECT DISTINCT asset_tree_cid AS cid FROM commit_job WHERE asset_tree_cid > ${after}
        ORDER BY asset_tree_cid LIMIT ${limit}) j LEFT JOIN asset_tree t ON t.cid = j.cid ORDER BY j.cid`

  const withoutHold = Effect.map(
    Effect.suspend(() => sql<{ readonly id: string }>`SELECT id FROM commit_job WHERE hold_id IS NULL`),
    (rows) => rows.map(({ id }) => id)
  )

  /** Nothing of any job is written until the transaction at hand ends: on PostgreSQL only. */
  const standStill = sql`LOCK TABLE commit_job, transfer_job IN SHARE MODE`

  return {
    standStill,
    beside,
    besideHold,
    isIn,
    underWay,
    open: lanes,
    hasOpen,
    textsIn,
    accountsIn,
    recordedIn,
    newestOf,
    signed,
    committersOn,
    page,
    trees,
    withoutHold
  }
}
