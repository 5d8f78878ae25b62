/** Commits made here that the ledger has: the record as it was written and where it stands. */
import type { LedgerEntry, NetworkRole } from "@treemark/core"
import { StorageUnavailable } from "@treemark/core"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Networks } from "../evm/Networks.ts"
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
          const rows = yield* sql<{ readonly block_number: number | bigint }>`
            SELECT DISTINCT block_number FROM commit_job
            WHERE network = ${role} AND chain_id = ${networks.role(role).chainId} AND state = 'mined'
            ORDER BY block_number`
          return rows.map(({ block_number }) => Number(block_number))
        },
        Effect.mapError((cause) => new StorageUnavailable({ doing: "looking up the blocks of commits", cause }))
      )
      return FinishedCommits.of({ newestOfTree, blocks })
    })
  )
}
