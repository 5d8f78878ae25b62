/**
 * Figure: what the books cost. The whole durable path of a commit (idempotency key, hold, tree on the disk, stored transaction, capture,
 * receipt) against a bare viem loop that signs the same transactions and sends them to the same embedded chain with no books at all.
 * Both run in this process, in turns, so that they meet the same disk and the same load. HTTP is not part of it.
 *
 * TREEMARK_BENCH_COMMITS: commits of each side per figure, 1,000 by default.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { type CommitBench, openCommitBench } from "./CommitBench.ts"
import { type Figure, median, type Row, showAlone } from "./Figure.ts"

const COMMITS = Number(process.env.TREEMARK_BENCH_COMMITS ?? 1_000)
const ROUNDS = 10
const IN_FLIGHT = 16

/** The durable path may add so many milliseconds to the median commit, and keep so much of the throughput. */
const ADDED_MS = 6
const KEPT = 0.7
const LAG_MS = 50

/** Runs `work` `count` times, `width` at a time; the milliseconds that each took, and all together. */
const timed = async (count: number, width: number, work: () => Promise<unknown>) => {
  const each: Array<number> = []
  let left = count
  const lane = async () => {
    while (left-- > 0) {
      const begun = performance.now()
      await work()
      each.push(performance.now() - begun)
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: width }, lane))
  return { each, perSecond: (count * 1_000) / (performance.now() - begun) }
}

const percentile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!

interface Side {
  readonly each: Array<number>
  readonly rates: Array<number>
}

const compare = async (bench: CommitBench, width: number) => {
  const [bare, durable]: [Side, Side] = [
    { each: [], rates: [] },
    { each: [], rates: [] }
  ]
  const lag = monitorEventLoopDelay({ resolution: 1 })
  for (let round = 0; round < ROUNDS; round++) {
    for (const [side, work] of [
      [bare, bench.bare],
      [durable, bench.durable]
    ] as const) {
      if (side === durable) lag.enable()
      const { each, perSecond } = await timed(COMMITS / ROUNDS, width, work)
      lag.disable()
      side.each.push(...each)
      side.rates.push(perSecond)
    }
  }
  return { bare, durable, lagMillis: lag.percentile(99) / 1e6 }
}

const said = (side: Side): string =>
  `${median(side.rates).toFixed(0)}/s, p50 ${percentile(side.each, 0.5).toFixed(1)} ms, p99 ${percentile(side.each, 0.99).toFixed(1)} ms`

const measure = async (): Promise<ReadonlyArray<Row>> => {
  const folder = mkdtempSync(join(tmpdir(), "treemark-bench-"))
  const bench = await openCommitBench(folder)
  try {
    await compare(bench, 1)
    const alone = await compare(bench, 1)
    const many = await compare(bench, IN_FLIGHT)
    const added = percentile(alone.durable.each, 0.5) - percentile(alone.bare.each, 0.5)
    const kept = median(many.durable.rates.map((rate, round) => rate / many.bare.rates[round]!))
    return [
      {
        what: `added to the median commit (${said(alone.durable)}; bare ${said(alone.bare)})`,
        value: added,
        max: ADDED_MS,
        unit: "ms"
      },
      {
        what: `of a bare loop's commits/s with ${IN_FLIGHT} in flight (${said(many.durable)}; bare ${said(many.bare)})`,
        value: kept,
        min: KEPT
      },
      { what: `event loop's p99 lag with ${IN_FLIGHT} in flight`, value: many.lagMillis, max: LAG_MS, unit: "ms" }
    ]
  } finally {
    await bench.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const durablePath: Figure = { title: "A commit, durable, against a bare loop", measure }

if (import.meta.main) await showAlone(durablePath)
