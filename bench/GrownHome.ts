/**
 * A data folder whose store holds many commits beside those that its daemon made itself: the daemon is started once, stopped, and the rows
 * are put in, in blocks that its chain has. Only the ledger knows nothing of them. One asset has nine commits of ten; the others, of which
 * half came after the last commit, have one or none.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { CID } from "multiformats/cid"
import { create } from "multiformats/hashes/digest"
import type { Hex } from "viem"
import { type BenchDaemon, openAccount, post, registerAsset, startDaemon } from "./BenchDaemon.ts"
import { fillFast, grow, sha256 } from "./Grown.ts"

export interface GrownHome {
  readonly home: string
  readonly token: string
  readonly hotAsset: string
  readonly body: Readonly<Record<string, unknown>>
}

const RAW = 0x55
const SHA2_256 = 0x12
const HOT = 10
const LATE = 2

/** The CID and the sha256 of an asset that is not stored here. */
const madeUp = (n: number) => {
  const digest = createHash("sha256").update(`asset ${n}`).digest()
  return { cid: CID.createV1(RAW, create(SHA2_256, digest)).toString(), sha: digest.toString("hex") }
}

export const commitOf = ({ url }: Pick<BenchDaemon, "url">, { body, token }: Pick<GrownHome, "body" | "token">) =>
  post({ url }, "/commit", body, { authorization: `token ${token}` })

/** Makes the folder `home` with `commits` commits of one account and `assets` assets besides. */
export const growHome = async (home: string, commits: number, assets: number): Promise<GrownHome> => {
  const daemon = await startDaemon(home)
  const { account, token } = await openAccount(daemon, "grown")
  const body = await registerAsset(daemon, token, Buffer.from("the asset of most commits"))
  const other = await openAccount(daemon, "other")
  await commitOf(daemon, { body, token: other.token })
  await new Promise((done) => setTimeout(done, 2_000))
  await daemon.stop()

  const hotAsset = String(body.assetCid)
  fillFast(join(home, "treemark.db"), (insert, database) => {
    const { high, high_hash, id } = database
      .prepare("SELECT id, high, high_hash FROM ledger_index WHERE chain_id = 7053001")
      .get() as { id: number; high: number; high_hash: Hex }
    const { address } = database.prepare("SELECT address FROM signer_nonce LIMIT 1").get() as { address: string }
    const now = Date.now()
    const made = Array.from({ length: assets }, (_, n) => madeUp(n))
    const early = Math.ceil(assets / LATE)
    const register = (n: number) => {
      const { cid, sha } = made[n]!
      const at = n < early ? now - 2 * commits + n : now - assets + n
      insert("asset", {
        asset_cid: cid,
        asset_sha256: sha,
        encoding_format: "image/png",
        size: "1000",
        stored: 0,
        registered_by: account.id,
        created_at: at,
        name: `photo ${n}.png`
      })
      const listed = { account_id: account.id, asset_cid: cid }
      insert("holding", { ...listed, name: `photo ${n}.png`, registered_at: at, commits: 0 })
      insert("account_event", { ...listed, kind: "registered", at })
    }
    for (let n = 0; n < early; n++) register(n)
    grow(
      insert,
      database,
      {
        account,
        service: address,
        committer: `0x${sha256("a committer of long ago").slice(0, 40)}`,
        chainId: 7053001,
        commits,
        assetOf: (n) => (n % HOT === 0 && n / HOT < early ? made[n / HOT]!.cid : hotAsset),
        placeOf: (n) => ({ block: high, hash: high_hash, logIndex: n + 1_000 }),
        signLast: () => `0x${"00".repeat(65)}`,
        at: (n) => now - 2 * commits + n
      },
      id
    )
    for (let n = early; n < assets; n++) register(n)
  })
  return { home, token, hotAsset, body }
}

if (import.meta.main) {
  const [home = "", commits = "100000", assets = "10000"] = process.argv.slice(2)
  const began = performance.now()
  console.log(JSON.stringify(await growHome(home, Number(commits), Number(assets))))
  console.error(`${((performance.now() - began) / 1000).toFixed(0)} s`)
}
