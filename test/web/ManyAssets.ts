/** Assets by the hundred thousand in the store of a daemon, straight by SQL: rows as registering makes them, without bytes behind them. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { cidOf, RAW_CODE } from "../../packages/core/src/asset-tree/Cid.ts"

const KINDS = ["image/jpeg", "image/png", "video/mp4", "application/pdf"] as const

/** Gives the account `count` assets, one a minute up to `newest` (milliseconds since 1970). The daemon may run. */
export const giveAssets = (home: string, account: string, count: number, newest: number): void => {
  const store = new DatabaseSync(join(home, "treemark.db"), { timeout: 30_000 })
  try {
    const asset = store.prepare(
      `INSERT INTO asset (asset_cid, asset_sha256, encoding_format, size, stored, registered_by, created_at, name)
       VALUES (?, ?, ?, NULL, 0, ?, ?, ?)`
    )
    const holding = store.prepare(
      "INSERT INTO holding (account_id, asset_cid, name, registered_at, commits) VALUES (?, ?, ?, ?, 0)"
    )
    store.exec("BEGIN IMMEDIATE")
    for (let n = 0; n < count; n++) {
      const bytes = new TextEncoder().encode(`asset ${n}`)
      const cid = cidOf(RAW_CODE, bytes)
      const name = `IMG_${String(n).padStart(6, "0")}.${["jpg", "png", "mp4", "pdf"][n % 4]}`
      const at = newest - (count - n) * 60_000
      asset.run(cid, createHash("sha256").update(bytes).digest("hex"), KINDS[n % 4]!, account, at, name)
      holding.run(account, cid, name, at)
    }
    store.exec("COMMIT")
  } finally {
    store.close()
  }
}
