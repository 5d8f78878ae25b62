/**
 * What an account has, newest first and page by page: its assets and its commits; and what happened to it, in order, for whoever follows. A
 * page is named by the place it begins after, so what comes meanwhile never moves it.
 */
import type { AccountId, NetworkRole, StorageUnavailable } from "@treemark/core"
import { Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { commitTable } from "../commits/CommitTable.ts"
import { storing } from "../store/StorageFailure.ts"

export interface CommitMade {
  readonly commitId: string
  readonly txHash: string
  readonly assetCid: string
  readonly assetTreeCid: string
  readonly network: NetworkRole
  readonly blockNumber: number
  /** ISO 8601. */
  readonly at: string
}

export interface OwnAsset {
  readonly assetCid: string
  readonly assetSha256: string
  /** What its file was called; null when nobody said. */
  readonly name: string | null
  readonly encodingFormat: string
  readonly size: number | null
  readonly registeredAt: string
  /** How many commits the account made of it. */
  readonly commits: number
  readonly lastCommit: Omit<CommitMade, "assetCid"> | null
}

export interface OwnEvent {
  readonly id: string
  readonly kind: "registered" | "committed" | "reorganised" | "alert"
  /** Null in an alert about an asset that is not registered here. */
  readonly assetCid: string | null
  readonly name: string | null
  readonly at: string
  readonly commit: Omit<CommitMade, "assetCid" | "at"> | null
  /** Of an alert, what the watch over the author found (commits/watch/Alert). */
  readonly alert?: Schema.Json
}

/** `next` is the cursor of the page after this one; null when it is the last. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

export interface PageAsked {
  readonly limit: number
  readonly cursor?: string | undefined
}

export class OwnLists extends Context.Service<
  OwnLists,
  {
    /** `search`: only those whose name or CID holds this text, in any letter case. */
    readonly assets: (
      account: AccountId,
      page: PageAsked & { readonly search?: string | undefined }
    ) => Effect.Effect<Page<OwnAsset>, StorageUnavailable>
    readonly commits: (
      account: AccountId,
      page: PageAsked
    ) => Effect.Effect<Page<CommitMade & { readonly name: string | null }>, StorageUnavailable>
    /** What happened after the event `after`, oldest first, at most `limit`. */
    readonly events: (
      account: AccountId,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<OwnEvent>, StorageUnavailable>
    /** Bytes of the account's files, and of those that were sent with the token. */
    readonly stored: (
      account: AccountId,
      tokenId: string | undefined
    ) => Effect.Effect<{ readonly account: number; readonly token: number }, StorageUnavailable>
    /** The id of the newest event, "0" when there is none. */
    readonly newestEvent: (account: AccountId) => Effect.Effect<string, StorageUnavailable>
  }
>()("@treemark/daemon/accounts/OwnLists") {
  static readonly layer: Layer.Layer<OwnLists, never, SqlClient.SqlClient> = Layer.effect(
    OwnLists,
    Effect.map(SqlClient.SqlClient, (sql) => make(sql))
  )
}

interface JobColumns {
  readonly commit_id: string | null
  readonly tx_hash: string | null
  readonly asset_tree_cid: string | null
  readonly network: NetworkRole | null
  readonly block_number: number | bigint | null
}

interface AssetRow extends JobColumns {
  readonly asset_cid: string
  readonly asset_sha256: string
  readonly name: string | null
  readonly encoding_format: string
  readonly size: string | null
  readonly registered_at: number | bigint
  readonly commits: number
  readonly committed_at: number | bigint | null
}

interface EventRow extends JobColumns {
  readonly id: number | bigint
  readonly kind: OwnEvent["kind"]
  readonly asset_cid: string | null
  readonly detail?: string | null
  readonly name: string | null
  readonly at: number | bigint
}

const isoOf = (millis: number | bigint): string => new Date(Number(millis)).toISOString()

const jobOf = ({ asset_tree_cid, block_number, commit_id, network, tx_hash }: JobColumns) =>
  commit_id === null || tx_hash === null || block_number === null
    ? null
    : {
        commitId: commit_id,
        txHash: tx_hash,
        assetTreeCid: asset_tree_cid ?? "",
        network: network ?? "mainnet",
        blockNumber: Number(block_number)
      }

/** One row more than the page holds tells whether there is another page. */
const pageOf = <Row, A>(
  rows: ReadonlyArray<Row>,
  limit: number,
  use: { readonly item: (row: Row) => A; readonly cursor: (row: Row) => string }
): Page<A> => {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { items: shown.map(use.item), next: rows.length > limit && last !== undefined ? use.cursor(last) : null }
}

const make = (sql: SqlClient.SqlClient): OwnLists["Service"] => {
  const commits = commitTable(sql)
  /** Events whose transaction may still have one with a lower id beside it are not read yet. */
  const isSettled = sql.onDialectOrElse({
    pg: () => sql`e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())`,
    orElse: () => sql`1 = 1`
  })
  const job = sql.literal("j.id AS commit_id, j.tx_hash, j.asset_tree_cid, j.network, j.block_number")

  return OwnLists.of({
    assets: Effect.fn("OwnLists.assets")(function* (account, { cursor, limit, search = "" }) {
      const [at = "", cid = ""] = cursor?.split(".") ?? []
      const wanted = `%${search.toLowerCase().replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`
      const conditions = [
        sql`h.account_id = ${account}`,
        ...(cursor === undefined ? [] : [sql`(h.registered_at, h.asset_cid) < (${Number(at)}, ${cid})`]),
        ...(search === ""
          ? []
          : [
              sql`(lower(COALESCE(h.name, a.name, '')) LIKE ${wanted} ESCAPE '\\' OR lower(h.asset_cid) LIKE ${wanted} ESCAPE '\\')`
            ])
      ]
      const rows =
        yield* sql<AssetRow>`SELECT h.asset_cid, a.asset_sha256, COALESCE(h.name, a.name) AS name, a.encoding_format,
            a.size, h.registered_at, h.commits, ${job}, j.updated_at AS committed_at
          FROM holding h JOIN asset a ON a.asset_cid = h.asset_cid ${commits.beside("h.last_commit")}
          WHERE ${sql.and(conditions)} ORDER BY h.registered_at DESC, h.asset_cid DESC LIMIT ${limit + 1}`
      return pageOf(rows, limit, {
        cursor: (row) => `${row.registered_at}.${row.asset_cid}`,
        item: (row): OwnAsset => {
          const made = jobOf(row)
          return {
            assetCid: row.asset_cid,
            assetSha256: row.asset_sha256,
            name: row.name,
            encodingFormat: row.encoding_format,
            size: row.size === null ? null : Number(row.size),
            registeredAt: isoOf(row.registered_at),
            commits: row.commits,
            lastCommit: made === null ? null : { ...made, at: isoOf(row.committed_at ?? 0) }
          }
        }
      })
    }, storing("the account's assets were listed")),

    commits: Effect.fn("OwnLists.commits")(function* (account, { cursor, limit }) {
      const rows = yield* sql<EventRow>`SELECT e.id, e.kind, e.asset_cid, COALESCE(h.name, a.name) AS name, e.at, ${job}
          FROM account_event e ${commits.beside("e.commit_id", "JOIN")}
            LEFT JOIN asset a ON a.asset_cid = e.asset_cid
            LEFT JOIN holding h ON h.account_id = e.account_id AND h.asset_cid = e.asset_cid
          WHERE e.account_id = ${account} AND e.kind = 'committed' ${cursor === undefined ? sql`` : sql`AND e.id < ${Number(cursor)}`}
          ORDER BY e.id DESC LIMIT ${limit + 1}`
      return pageOf(rows, limit, {
        cursor: ({ id }) => String(id),
        item: (row) => ({
          ...(jobOf(row) ?? {
            commitId: "",
            txHash: "",
            assetTreeCid: "",
            network: "mainnet" as const,
            blockNumber: 0
          }),
          assetCid: row.asset_cid ?? "",
          name: row.name,
          at: isoOf(row.at)
        })
      })
    }, storing("the account's commits were listed")),

    events: Effect.fn("OwnLists.events")(function* (account, after, limit) {
      const rows =
        yield* sql<EventRow>`SELECT e.id, e.kind, e.asset_cid, COALESCE(h.name, a.name) AS name, e.at, e.detail, ${job}
          FROM account_event e ${commits.beside("e.commit_id")}
            LEFT JOIN asset a ON a.asset_cid = e.asset_cid
            LEFT JOIN holding h ON h.account_id = e.account_id AND h.asset_cid = e.asset_cid
          WHERE e.account_id = ${account} AND e.id > ${Number(after)} AND e.kind <> 'withdrawn' AND ${isSettled}
          ORDER BY e.id LIMIT ${limit}`
      return rows.map((row) => ({
        id: String(row.id),
        kind: row.kind,
        assetCid: row.asset_cid,
        name: row.name,
        at: isoOf(row.at),
        commit: jobOf(row),
        ...(row.detail == null ? {} : { alert: JSON.parse(row.detail) as Schema.Json })
      }))
    }, storing("the account's events were read")),

    stored: Effect.fn("OwnLists.stored")(function* (account, tokenId) {
      const [row] = yield* sql<{ readonly account: number | bigint; readonly token: number | bigint | null }>`
        SELECT stored_bytes AS account, (SELECT stored_bytes FROM access_token WHERE id = ${tokenId ?? ""}) AS token
        FROM account WHERE id = ${account}`
      return { account: Number(row?.account ?? 0), token: Number(row?.token ?? 0) }
    }, storing("the account's storage was looked at")),

    newestEvent: Effect.fn("OwnLists.newestEvent")(function* (account) {
      const [row] = yield* sql<{ readonly id: number | bigint | null }>`
          SELECT MAX(e.id) AS id FROM account_event e WHERE e.account_id = ${account} AND ${isSettled}`
      return String(row?.id ?? 0)
    }, storing("the account's events were read"))
  })
}
