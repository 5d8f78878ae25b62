/**
 * Whether readers without a token cost those who pay anything: 32 committers alone, then beside 64 readers of each kind and of all, each side
 * a process of its own, against the daemon as it is started. `node bench/Admission.ts [SECONDS]` runs it alone.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { Seen, Work } from "./AdmissionClient.ts"
import { type Figure, type Row, showAlone } from "./Figure.ts"

const COMMITTERS = 32
const READERS = 64
const ACCOUNTS = 8
const SECONDS = Number(process.argv[2] ?? 6)

/** What is kept of the rate alone, and what a commit may take at most. */
const KEPT = 0.7
const SLOWEST_MS = 2_000

const HERE = import.meta.dirname
const TREEMARKD = resolve(HERE, "../packages/daemon/bin/treemarkd.js")

const clients = (work: Work): Promise<Seen> =>
  new Promise((done, fail) => {
    const child = spawn(process.execPath, [join(HERE, "AdmissionClient.ts")], { stdio: ["pipe", "pipe", "inherit"] })
    let text = ""
    child.stdout.on("data", (part: Buffer) => (text += part.toString("utf8")))
    child.on("close", (code) =>
      code === 0 ? done(JSON.parse(text) as Seen) : fail(new Error(`clients ended with ${code}`))
    )
    child.stdin.end(JSON.stringify(work))
  })

interface To {
  readonly url?: string
  readonly socketPath?: string
}

const post = ({ socketPath, url }: To, path: string, body: unknown, headers = {}): Promise<Record<string, unknown>> =>
  new Promise((done, fail) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    const where = socketPath === undefined ? { ...locate(url ?? "") } : { socketPath }
    const outgoing = request(
      { ...where, path, method: "POST", headers: { "content-type": "application/json", ...headers } },
      (incoming) => {
        let text = ""
        incoming.on("data", (part: Buffer) => (text += part.toString("utf8")))
        incoming.on("end", () => done(JSON.parse(text) as Record<string, unknown>))
      }
    )
    outgoing.on("error", fail)
    outgoing.end(bytes)
  })

const locate = (url: string) => {
  const { hostname, port } = new URL(url)
  return { hostname, port }
}

const startDaemon = async (home: string) => {
  const child = spawn(process.execPath, [TREEMARKD, "start", "--port", "0", "--json"], {
    env: { ...process.env, TREEMARK_HOME: home, TREEMARK_COMMITTERS: "4" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const line = await new Promise<string>((done) =>
    child.stdout.once("data", (text: Buffer) => done(text.toString("utf8")))
  )
  const { addresses } = JSON.parse(line) as { readonly addresses: { readonly main: string } }
  return { url: addresses.main, stop: () => child.kill("SIGKILL") }
}

const measure = async (): Promise<ReadonlyArray<Row>> => {
  const home = mkdtempSync(join(tmpdir(), "treemark-admission-"))
  const { stop, url } = await startDaemon(home)
  try {
    const commits: Array<Work["calls"][number]> = []
    const assets: Array<string> = []
    for (let n = 0; n < ACCOUNTS; n++) {
      const account = { name: `payer ${n}`, serviceName: "bench", credits: "100000", tokens: "0" }
      const { token } = await post({ socketPath: join(home, "treemarkd.sock") }, "/accounts", account)
      const bytes = Buffer.from(`asset ${n}`)
      const asset = await post({ url }, "/assets", bytes, {
        authorization: `token ${token}`,
        "content-type": "image/png"
      })
      assets.push(String(asset.assetCid))
      const body = {
        encodingFormat: asset.encodingFormat,
        assetCid: asset.assetCid,
        assetSha256: asset.assetSha256,
        assetTimestampCreated: 1_700_000_000,
        assetCreator: "Ada",
        commitMessage: "MESSAGE"
      }
      commits.push({ path: "/commit", token: String(token), body })
    }
    const committing = (seconds: number) => clients({ url, callers: COMMITTERS, seconds, calls: commits })
    const wallet = "0x4BD5C4eDDAf5C0d61f8d0bAbc4Ba0D5d6Cb0cB31"
    const ipfs = assets.map((cid) => ({ path: `/ipfs/${cid}` }))
    const balance = [{ path: "/balance/mainnet", body: { wallet } }]
    const history = assets.map((cid) => ({ path: `/assets/${cid}/commits` }))
    const mixes = {
      "/ipfs": ipfs,
      "/balance/mainnet": balance,
      "/assets/CID/commits": history,
      "all of them": [...ipfs, ...history, ...ipfs.map(() => balance[0]!)]
    }
    await committing(2)
    const rows: Array<Row> = []
    for (const [name, calls] of Object.entries(mixes)) {
      const alone = await committing(SECONDS)
      const [beside, readers] = await Promise.all([
        committing(SECONDS),
        clients({ url, callers: READERS, seconds: SECONDS, calls })
      ])
      const refused = Object.entries(readers.refused).map(([status, count]) => `${count} × ${status}`)
      const what = `${beside.perSecond.toFixed(1)} commits/s beside ${READERS} readers of ${name} (alone ${alone.perSecond.toFixed(1)}); readers: ${readers.perSecond.toFixed(0)}/s, p99 ${readers.p99} ms${refused.length === 0 ? "" : `, refused ${refused.join(", ")}`}`
      rows.push({ what, value: beside.perSecond / alone.perSecond, min: KEPT })
      rows.push({
        what: `p99 of those commits (alone ${alone.p99} ms); refused or failed: ${JSON.stringify(beside.refused)}`,
        value: beside.p99,
        unit: "ms",
        max: SLOWEST_MS
      })
      if (readers.withoutRetryAfter > 0)
        rows.push({ what: `refusals without Retry-After: ${name}`, value: readers.withoutRetryAfter, unit: "", max: 0 })
    }
    return rows
  } finally {
    stop()
    rmSync(home, { recursive: true, force: true })
  }
}

/** Those who pay beside readers who do not. */
export const admission: Figure = { title: "Commits beside readers without a token", measure }

if (process.argv[1] === import.meta.filename) await showAlone(admission)
