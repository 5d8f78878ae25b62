/** Which account has which asset, and how many bytes it has stored: written beside the registration, in its transaction. */
import type { AccountId } from "@treemark/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { COUNTED, type Quota, StorageQuotaReached } from "./StorageQuota.ts"

export interface Held {
  readonly assetCid: string
  /** What the file was called. */
  readonly name: string | undefined
  /** Bytes that came here, null when the content lives elsewhere. */
  readonly bytes: number | null
  /** For whom the bytes count. */
  readonly quotas: ReadonlyArray<Quota>
}

/** Takes down that the account has the asset, once, its bytes, once, and the name its file came with last; fails when the quota is passed. */
export const holdIn = (sql: SqlClient.SqlClient) => {
  const note = Effect.fnUntraced(function* (accountId: AccountId, { assetCid, name }: Held, at: number) {
    const held = yield* sql`UPDATE holding SET name = COALESCE(${name ?? null}, name)
      WHERE account_id = ${accountId} AND asset_cid = ${assetCid} RETURNING asset_cid`
    if (held.length > 0) return
    const added = yield* sql`INSERT INTO holding (account_id, asset_cid, name, registered_at, commits)
      VALUES (${accountId}, ${assetCid}, ${name ?? null}, ${at}, 0) ON CONFLICT DO NOTHING RETURNING asset_cid`
    if (added.length === 0) return
    yield* sql`INSERT INTO account_event (account_id, kind, asset_cid, at)
      VALUES (${accountId}, 'registered', ${assetCid}, ${at})`
  })

  const count = Effect.fnUntraced(function* (accountId: AccountId, { assetCid, bytes, quotas }: Held) {
    if (bytes === null || bytes === 0) return
    const counted = yield* sql`UPDATE holding SET bytes = ${bytes}
      WHERE account_id = ${accountId} AND asset_cid = ${assetCid} AND bytes = 0 RETURNING asset_cid`
    if (counted.length === 0) return
    for (const { id, limit, of } of quotas) {
      const table = sql(COUNTED[of])
      const fitted = yield* sql`UPDATE ${table} SET stored_bytes = stored_bytes + ${bytes}
        WHERE id = ${id} AND (${limit} = 0 OR stored_bytes + ${bytes} <= ${limit}) RETURNING id`
      if (fitted.length > 0 || limit === 0) continue
      const [row] = yield* sql<{ readonly used: number }>`SELECT stored_bytes AS used FROM ${table} WHERE id = ${id}`
      return yield* new StorageQuotaReached({ of, limit, used: Number(row?.used ?? 0), reserved: 0 })
    }
  })

  return Effect.fnUntraced(function* (accountId: AccountId, held: Held, at: number) {
    yield* note(accountId, held, at)
    yield* count(accountId, held)
  })
}
