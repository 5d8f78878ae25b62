/** Assets by what people have at hand: the file's sha256, a transaction of ours, or the asset's own CID. */
import type { StorageUnavailable } from "@treemark/core"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { storing } from "../store/StorageFailure.ts"
import { commitTable } from "./CommitTable.ts"

interface Asked {
  readonly sha256?: string
  readonly txHash?: string
  readonly assetCid?: string
}

interface Found {
  readonly assetCid: string
  /** Of its newest commit that was made here. */
  readonly assetTreeCid: string | null
}

interface AssetRow {
  readonly asset_cid: string
}

export class NamedAssets extends Context.Service<
  NamedAssets,
  { readonly find: (asked: Asked) => Effect.Effect<Found | null, StorageUnavailable> }
>()("@treemark/daemon/commits/NamedAssets") {
  static readonly layer = Layer.effect(
    NamedAssets,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      find: Effect.fn("NamedAssets.find")(function* ({ assetCid, sha256, txHash }) {
        if (txHash !== undefined) {
          const row = yield* commitTable(sql).recordedIn(txHash)
          return row === undefined ? null : { assetCid: row.asset_cid, assetTreeCid: row.asset_tree_cid }
        }
        const [asset] =
          sha256 === undefined
            ? yield* sql<AssetRow>`SELECT asset_cid FROM asset WHERE asset_cid = ${assetCid ?? ""}`
            : yield* sql<AssetRow>`SELECT asset_cid FROM asset WHERE asset_sha256 = ${sha256}
                ORDER BY stored DESC, created_at, asset_cid LIMIT 1`
        if (asset === undefined) return null
        const tree = yield* commitTable(sql).newestOf(asset.asset_cid)
        return { assetCid: asset.asset_cid, assetTreeCid: tree?.asset_tree_cid ?? null }
      }, storing("an asset was looked up by what names it"))
    }))
  )
}
