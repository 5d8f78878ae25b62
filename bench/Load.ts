/**
 * Commits beside callers of every other kind at once: readers without a token, a large upload, endless calls, idle and slow connections;
 * each by itself and all together, each side a process of its own, against the daemon as it is started; on the embedded chains and on
 * anvil, with SQLite and with PostgreSQL. Each run stands beside the same commits alone, just before it.
 *
 * Short by default (two minutes); TREEMARK_BENCH_LOAD=full is what the issue of it asks for: 2 GB, 10,000 idle and 500 slow connections,
 * all four stores. TREEMARK_BENCH_LOAD_ON names them, as "embedded+sqlite,anvil+postgres".
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { createTestClient, http, parseEther } from "viem"
import { commitDeployedBytecode } from "../packages/daemon/src/evm/CommitContract.ts"
import { startAnvil } from "../test/layers/Anvil.ts"
import { startPostgresWith } from "../test/layers/PostgresCluster.ts"
import type { Seen, Work } from "./AdmissionClient.ts"
import { type BenchDaemon, call, cpuOf, memoryOf, openAccount, registerAsset, startDaemon } from "./BenchDaemon.ts"
import { type Figure, type Row, showAlone } from "./Figure.ts"
import type { Abuse, AbuseSeen } from "./LoadAbuse.ts"

const isFull = process.env.TREEMARK_BENCH_LOAD === "full"
const SECONDS = Number(process.env.TREEMARK_BENCH_LOAD_SECONDS ?? (isFull ? 10 : 4))
const UPLOAD = isFull ? 2_000_000_000 : 200_000_000
const IDLE = isFull ? 10_000 : 1_000
const SLOW = isFull ? 500 : 50
const EVERYWHERE = "embedded+sqlite,embedded+postgres,anvil+sqlite,anvil+postgres"
const STORES = (process.env.TREEMARK_BENCH_LOAD_ON ?? (isFull ? EVERYWHERE : "embedded+sqlite")).split(",")

const COMMITTERS = 32
const READERS = 64
const ACCOUNTS = 8

/** What is kept of the rate alone, what a commit may take at most, and the memory of the daemon. */
const KEPT = 0.7
const SLOWEST_MS = 2_000
const MOST_MIB = 700

const CHAIN_ID = 31_337
const CONTRACT = "0x0000000000000000000000000000000000007053"

const inProcess = <Asked, Answer>(file: string, asked: Asked): Promise<Answer> =>
  new Promise((done, fail) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, file)], { stdio: ["pipe", "pipe", "inherit"] })
    let text = ""
    child.stdout.on("data", (part: Buffer) => (text += part.toString("utf8")))
    child.on("close", (code) =>
      code === 0 ? done(JSON.parse(text) as Answer) : fail(new Error(`${file} ended with ${code}`))
    )
    child.stdin.end(JSON.stringify(asked))
  })

const calling = (work: Work) => inProcess<Work, Seen>("AdmissionClient.ts", work)
const abusing = (abuse: Abuse) => inProcess<Abuse, AbuseSeen>("LoadAbuse.ts", abuse)

/** The daemon's own settings for a chain and a store, ready to be started. */
const settled = Effect.fnUntraced(function* (home: string, where: string) {
  const env: Record<string, string> = { TREEMARK_COMMITTERS: "4" }
  if (where.endsWith("postgres")) {
    const cluster = yield* startPostgresWith([])
    env.TREEMARK_DATABASE_URL = yield* cluster.create("bench")
  }
  if (!where.startsWith("anvil")) return { env, fund: () => Promise.resolve() }
  const anvil = yield* startAnvil({ chainId: CHAIN_ID })
  const node = createTestClient({ mode: "anvil", transport: http(anvil.url) })
  yield* Effect.promise(() => node.setCode({ address: CONTRACT, bytecode: commitDeployedBytecode }))
  env.TREEMARK_PROFILE = "own"
  writeFileSync(
    join(home, "treemark.toml"),
    `[profiles.own]
base = "local"
[profiles.own.mainnet]
name = "anvil"
chain_id = ${CHAIN_ID}
rpc = "${anvil.url}"
contract = "${CONTRACT}"
explorer = "https://explorer.example/tx/HASH"
fromBlock = 0
`
  )
  const fund = async ({ home }: BenchDaemon) => {
    const { text } = await call({ socketPath: join(home, "treemarkd.sock") }, "GET", "/wallet")
    for (const [address] of text.matchAll(/0x[0-9a-fA-F]{40}/gu)) {
      await node.setBalance({ address: address as `0x${string}`, value: parseEther("1000") })
    }
  }
  return { env, fund }
})

const payersOf = async (daemon: BenchDaemon) => {
  const commits: Array<Work["calls"][number]> = []
  const assets: Array<string> = []
  for (let n = 0; n < ACCOUNTS; n++) {
    const { token } = await openAccount(daemon, `payer ${n}`)
    const asset = await registerAsset(daemon, token, Buffer.from(`asset ${n}`))
    assets.push(String(asset.assetCid))
    commits.push({ path: "/commit", token, body: { ...asset, commitMessage: "MESSAGE" } })
  }
  return { commits, assets, token: commits[0]?.token ?? "" }
}

const lagOf = async ({ home }: BenchDaemon): Promise<number> => {
  const { text } = await call({ socketPath: join(home, "treemarkd.sock") }, "GET", "/metrics")
  return Number(/treemark_event_loop_lag_seconds\{quantile="0.99"\} (\S+)/u.exec(text)?.[1] ?? 0) * 1000
}

const counted = (seen: Readonly<Record<string, number>>): string =>
  Object.entries(seen)
    .map(([what, count]) => `${count} × ${what}`)
    .join(", ")

const measureOn = async (daemon: BenchDaemon, where: string): Promise<ReadonlyArray<Row>> => {
  const { url } = daemon
  const { assets, commits, token } = await payersOf(daemon)
  const committing = (seconds = SECONDS) => calling({ url, callers: COMMITTERS, seconds, calls: commits })
  const balance = { path: "/balance/mainnet", body: { wallet: "0x4BD5C4eDDAf5C0d61f8d0bAbc4Ba0D5d6Cb0cB31" } }
  const reads = assets.flatMap((cid) => [{ path: `/ipfs/${cid}` }, balance, { path: `/assets/${cid}/commits` }])
  const readers = async (): Promise<AbuseSeen> => {
    const { answered, p99, refused } = await calling({ url, callers: READERS, seconds: SECONDS, calls: reads })
    return { "reads answered": answered, "ms p99 of reads": p99, ...refused }
  }
  const abuse = (more: Partial<Abuse>) => abusing({ url, seconds: SECONDS, token, ...more })
  const kinds: Readonly<Record<string, () => Promise<AbuseSeen>>> = {
    [`${READERS} readers`]: readers,
    [`an upload of ${UPLOAD / 1e6} MB`]: () => abuse({ upload: UPLOAD }),
    "100 endless calls a second": () => abuse({ endless: 100 }),
    [`${IDLE} idle connections`]: () => abuse({ idle: IDLE }),
    [`${SLOW} slow connections`]: () => abuse({ slow: SLOW }),
    "all of them": async () => {
      const seen = await Promise.all([
        readers(),
        abuse({ upload: UPLOAD }),
        abuse({ endless: 100, idle: IDLE, slow: SLOW })
      ])
      return Object.assign({}, ...seen) as AbuseSeen
    }
  }
  await committing(2)
  const rows: Array<Row> = []
  for (const [name, others] of Object.entries(kinds)) {
    const alone = await committing()
    await lagOf(daemon)
    const cpu = cpuOf(daemon.pid)
    const abused = others()
    const beside = await committing()
    const used = (cpuOf(daemon.pid) - cpu) / SECONDS / 1000
    const lag = await lagOf(daemon)
    const seen = await abused
    const memory = memoryOf(daemon.pid)
    const what = `${where}, beside ${name}: ${beside.perSecond.toFixed(1)} commits/s (alone ${alone.perSecond.toFixed(1)}), p50 ${beside.p50} ms (${alone.p50}); refused or failed: ${JSON.stringify(beside.refused)}; they saw ${counted(seen)}; ${used.toFixed(1)} cores, event loop p99 ${lag.toFixed(0)} ms`
    rows.push({ what, value: beside.perSecond / alone.perSecond, min: KEPT })
    rows.push({
      what: `  p99 of those commits (alone ${alone.p99} ms)`,
      value: beside.p99,
      unit: "ms",
      max: SLOWEST_MS
    })
    rows.push({ what: "  of memory at most until then", value: memory.most, unit: "MiB", max: MOST_MIB })
  }
  return rows
}

const measure = async (): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const where of STORES) {
    const home = mkdtempSync(join(tmpdir(), "treemark-load-"))
    await Effect.gen(function* () {
      const { env, fund } = yield* settled(home, where)
      const daemon = yield* Effect.acquireRelease(
        Effect.promise(() => startDaemon(home, env)),
        ({ stop }) => Effect.promise(stop)
      )
      yield* Effect.promise(() => fund(daemon))
      rows.push(...(yield* Effect.promise(() => measureOn(daemon, where))))
    }).pipe(Effect.scoped, Effect.runPromise)
    rmSync(home, { recursive: true, force: true })
  }
  return rows
}

/** Those who pay beside everybody else. */
export const load: Figure = { title: "Commits beside every other kind of caller", measure }

if (import.meta.main) await showAlone(load)
