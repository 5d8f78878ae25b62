/** Commits made here that the ledger has: the record as it was written and where it stands. */
import type { LedgerEntry, NetworkRole } from "@treemark/core"
import { StorageUnavailable } from "@treemark/core"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import { eachPage, readingOrder } from "../store/Snapshot.ts"
import { type CommitRow, entryOfRow } from "./CommitRow.ts"

export interface FinishedCommit {
  readonly assetCid: string
  /** The exact text on the ledger. */
  readonly commitData: string
  readonly entry: LedgerEntry
  readonly role: NetworkRole
}

export class FinishedCommits extends Context.Service<
  FinishedCommits,
  {
    /** The newest mined commit of this asset tree. */
    readonly newestOfTree: (assetTreeCid: string) => Effect.Effect<Option.Option<FinishedCommit>, StorageUnavailable>
    /** Numbers of the blocks of the network that hold commits made here, each once. */
    readonly blocks: (role: NetworkRole) => Effect.Effect<ReadonlyArray<number>, StorageUnavailable>
  }
>()("@treemark/daemon/commits/FinishedCommits") {
  static readonly layer = Layer.effect(
    FinishedCommits,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const networks = yield* Networks
      const newestOfTree = Effect.fn("FinishedCommits.newestOfTree")(
        function* (assetTreeCid: string) {
          const rows = yield* sql<CommitRow & { readonly commit_json: string }>`
            SELECT * FROM commit_job WHERE asset_tree_cid = ${assetTreeCid} AND state = 'mined'
            ORDER BY created_at DESC, id DESC LIMIT 1`
          return Option.map(Option.fromUndefinedOr(rows[0]), (row) => ({
            assetCid: row.asset_cid,
            commitData: row.commit_json,
            entry: entryOfRow(networks.role(row.network), row),
            role: row.network
          }))
        },
        Effect.mapError((cause) => new StorageUnavailable({ doing: "looking up a finished commit", cause }))
      )
      const blocks = Effect.fn("FinishedCommits.blocks")(
        function* (role: NetworkRole) {
          return (yield* finishedBlocks(sql, networks.role(role))).blocks
        },
        Effect.mapError((cause) => new StorageUnavailable({ doing: "looking up the blocks of commits", cause }))
      )
      return FinishedCommits.of({ newestOfTree, blocks })
    })
  )
}

interface BlockRow {
  readonly place: number | bigint | string
  readonly network: NetworkRole
  readonly chain_id: number | bigint
  readonly committer: string | null
  readonly state: string
  readonly block_number: number | bigint | null
}

/** Rows looked at in one go. */
const PAGE = 500

/**
 * The blocks of a network that hold commits made here, in order, and the wallets that were to send commits there. Read page by page, as
 * there may be very many, and chosen from here: a condition would have each page look through all of them by another index.
 */
export const finishedBlocks = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { chainId, role }: Pick<LedgerNetwork, "chainId" | "role">
) {
  const blocks = new Set<number>()
  const committers = new Set<string>()
  const { column, first } = readingOrder(sql, "commit_job", "id")
  yield* eachPage(
    (last: BlockRow | undefined) => sql<BlockRow>`
      SELECT ${column} AS place, network, chain_id, committer, state, block_number FROM commit_job
      WHERE ${column} > ${last?.place ?? first} ORDER BY ${column} LIMIT ${PAGE}`,
    (rows) => {
      for (const { block_number, chain_id, committer, network, state } of rows) {
        if (network !== role || Number(chain_id) !== chainId) continue
        if (state === "mined") blocks.add(Number(block_number))
        if (committer !== null) committers.add(committer)
      }
    }
  )
  return { blocks: [...blocks].sort((a, b) => a - b), committers }
})
