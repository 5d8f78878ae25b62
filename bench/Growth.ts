/**
 * Whether a store of many commits costs those who come later anything: the time to be ready, commits, memory, and pages of lists and
 * histories, of a daemon on such a store beside one on a store that holds next to nothing, in turns.
 *
 * TREEMARK_BENCH_GROWN_COMMITS: 50,000 by default (the goal is 1,000,000); TREEMARK_BENCH_GROWN_ASSETS: a tenth. TREEMARK_BENCH_GROWN_HOME
 * keeps the grown data folder there, and uses it again.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type BenchDaemon, call, cpuOf, memoryOf, startDaemon } from "./BenchDaemon.ts"
import { type Figure, median, type Row, showAlone } from "./Figure.ts"
import { commitOf, type GrownHome, growHome } from "./GrownHome.ts"

const COMMITS = Number(process.env.TREEMARK_BENCH_GROWN_COMMITS ?? 50_000)
const ASSETS = Number(process.env.TREEMARK_BENCH_GROWN_ASSETS ?? COMMITS / 10)
const KEPT = process.env.TREEMARK_BENCH_GROWN_HOME

const STARTS = 3
const ROUNDS = 5
const COMMITS_A_ROUND = 20
const PAGES = 200

/** How much of the grown store may be seen, and how long a page may take. */
const GROWTH = 1.2
const HISTORY_GROWTH = 1.5
const PAGE_MS = 20

const grownHome = async (home: string): Promise<GrownHome> => {
  const note = join(home, "bench.json")
  if (existsSync(note)) return { ...(JSON.parse(readFileSync(note, "utf8")) as GrownHome), home }
  const made = await growHome(home, COMMITS, ASSETS)
  writeFileSync(note, JSON.stringify(made))
  return made
}

interface Side {
  readonly made: GrownHome
  readonly ready: Array<number>
  readonly cpu: Array<number>
  readonly commits: Array<number>
  readonly commitCpu: Array<number>
}

const sideOf = (made: GrownHome): Side => ({ made, ready: [], cpu: [], commits: [], commitCpu: [] })

const commitSome = async (side: Side, daemon: BenchDaemon, many: number) => {
  const cpu = cpuOf(daemon.pid)
  for (let n = 0; n < many; n++) {
    const began = performance.now()
    await commitOf(daemon, { ...side.made, body: { ...side.made.body, commitMessage: `${process.pid} ${n} ${began}` } })
    side.commits.push(performance.now() - began)
  }
  side.commitCpu.push((cpuOf(daemon.pid) - cpu) / many)
}

/** Milliseconds of `PAGES` pages, each the one after that before it, as far as there are any. */
const pagesOf = async (daemon: BenchDaemon, { token }: GrownHome, path: string) => {
  const times: Array<number> = []
  const cpu = cpuOf(daemon.pid)
  const mark = path.includes("?") ? "&" : "?"
  let next: string | null = null
  for (let n = 0; n < PAGES; n++) {
    const name = path.includes("/commits?") ? "after" : "cursor"
    const cursor: string = next === null ? "" : `${mark}${name}=${encodeURIComponent(next)}`
    const { millis, status, text } = await call(daemon, "GET", `${path}${cursor}`, undefined, {
      authorization: `token ${token}`
    })
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
    times.push(millis)
    next = (JSON.parse(text) as { readonly next: string | null }).next
  }
  return { times: times.toSorted((a, b) => a - b), cpu: (cpuOf(daemon.pid) - cpu) / PAGES }
}

/** Milliseconds until the first event is there for somebody who comes back having seen the event `after`. */
const firstEvents = async (daemon: BenchDaemon, { token }: GrownHome): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  for (let n = 0; n < PAGES / 4; n++) {
    const began = performance.now()
    const hangUp = new AbortController()
    const headers = { authorization: `token ${token}`, "last-event-id": String((n * COMMITS) / PAGES) }
    const { body } = await fetch(`${daemon.url}/events`, { headers, signal: hangUp.signal })
    await body?.getReader().read()
    times.push(performance.now() - began)
    hangUp.abort()
  }
  return times.toSorted((a, b) => a - b)
}

const p99 = (sorted: ReadonlyArray<number>): number => sorted[Math.floor((sorted.length - 1) * 0.99)] ?? 0

const against = (grown: ReadonlyArray<number>, empty: ReadonlyArray<number>, what: string, unit: string): Row => ({
  what: `${what} (${median(grown).toFixed(1)} against ${median(empty).toFixed(1)} ${unit})`,
  value: median(grown) / median(empty),
  max: GROWTH
})

const measure = async (): Promise<ReadonlyArray<Row>> => {
  const folder = mkdtempSync(join(tmpdir(), "treemark-growth-"))
  try {
    const grown = sideOf(await grownHome(KEPT ?? join(folder, "grown")))
    const empty = sideOf(await growHome(join(folder, "empty"), 10, 10))
    const some = sideOf(await growHome(join(folder, "some"), 1_000, 100))
    const sides = [empty, grown] as const
    for (let n = 0; n < STARTS; n++) {
      for (const side of sides) {
        const daemon = await startDaemon(side.made.home)
        side.ready.push(daemon.readyMillis)
        side.cpu.push(cpuOf(daemon.pid))
        await daemon.stop()
      }
    }
    const daemons = [await startDaemon(empty.made.home), await startDaemon(grown.made.home)] as const
    const [first, second] = daemons
    for (const [n, side] of sides.entries()) await commitSome(side, daemons[n]!, COMMITS_A_ROUND)
    for (const side of sides) side.commits.length = side.commitCpu.length = 0
    for (let round = 0; round < ROUNDS; round++) {
      for (const [n, side] of sides.entries()) await commitSome(side, daemons[n]!, COMMITS_A_ROUND)
    }
    const memory = { empty: [memoryOf(first.pid).now], grown: [memoryOf(second.pid).now] }
    const rows: Array<Row> = [
      against(grown.ready, empty.ready, "until it is ready, with many commits against none", "ms"),
      against(grown.cpu, empty.cpu, "of processor time until then", "ms"),
      against(grown.commits, empty.commits, "a commit", "ms"),
      against(grown.commitCpu, empty.commitCpu, "of processor time a commit", "ms"),
      against(memory.grown, memory.empty, "of memory after them", "MiB")
    ]
    const few = await startDaemon(some.made.home)
    for (const path of ["/assets", "/commits", "/assets?search=photo"]) {
      const { cpu, times } = await pagesOf(second, grown.made, path)
      rows.push({
        what: `p99 of a page of ${path} (p50 ${median(times).toFixed(1)} ms, ${cpu.toFixed(1)} ms of processor time)`,
        value: p99(times),
        unit: "ms",
        max: PAGE_MS
      })
    }
    const events = await firstEvents(second, grown.made)
    rows.push({ what: "p99 until /events has the first of many", value: p99(events), unit: "ms", max: PAGE_MS })
    const history = ({ hotAsset }: GrownHome) => `/assets/${hotAsset}/commits?limit=20`
    const long = await pagesOf(second, grown.made, history(grown.made))
    const short = await pagesOf(few, some.made, history(some.made))
    rows.push({
      what: `p99 of a page of a history of ${COMMITS * 0.9}`,
      value: p99(long.times),
      unit: "ms",
      max: PAGE_MS
    })
    const [after, before] = [median(long.times).toFixed(1), median(short.times).toFixed(1)]
    rows.push({
      what: `of a page of a history of 900 (${after} against ${before} ms; ${long.cpu.toFixed(1)} against ${short.cpu.toFixed(1)} ms of processor time)`,
      value: median(long.times) / median(short.times),
      max: HISTORY_GROWTH
    })
    rows.push({
      what: "a commit in the store",
      value: statSync(join(grown.made.home, "treemark.db")).size / COMMITS,
      unit: "bytes"
    })
    await Promise.all([first.stop(), second.stop(), few.stop()])
    return rows
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What many commits cost those after them. */
export const growth: Figure = { title: `A store of ${COMMITS} commits against an empty one`, measure }

if (import.meta.main) await showAlone(growth)
