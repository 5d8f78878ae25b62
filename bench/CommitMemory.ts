/**
 * Figure: the memory of a process that makes commits without pause. Resident memory after a collection, every 1,000 commits, once the
 * first of them have warmed the process up.
 *
 * TREEMARK_BENCH_MEMORY_COMMITS: commits altogether, 20,000 by default.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { openCommitBench } from "./CommitBench.ts"
import { type Figure, median, type Row, showAlone } from "./Figure.ts"

const COMMITS = Number(process.env.TREEMARK_BENCH_MEMORY_COMMITS ?? 20_000)
const STEPS = 20
const WARM_STEPS = 4
const IN_FLIGHT = 16

/** How far the memory may be from its middle, either way. */
const FLAT = 1.1

const collector = (): (() => void) => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc") as () => void
}

const measure = async (): Promise<ReadonlyArray<Row>> => {
  const folder = mkdtempSync(join(tmpdir(), "treemark-bench-"))
  const bench = await openCommitBench(folder)
  try {
    const collect = collector()
    const sizes: Array<number> = []
    for (let step = 0; step < STEPS; step++) {
      let left = COMMITS / STEPS
      await Promise.all(
        Array.from({ length: IN_FLIGHT }, async () => {
          while (left-- > 0) await bench.durable()
        })
      )
      collect()
      if (step >= WARM_STEPS) sizes.push(process.memoryUsage.rss() / 2 ** 20)
    }
    const middle = median(sizes)
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)]
    const what = `of its middle, ${middle.toFixed(0)} MiB, over ${COMMITS} commits (${least.toFixed(0)} to ${most.toFixed(0)} MiB)`
    return [{ what: `the most memory ${what}`, value: Math.max(most / middle, middle / least), max: FLAT }]
  } finally {
    await bench.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const commitMemory: Figure = { title: "Memory of a process that makes commits", measure }

if (import.meta.main) await showAlone(commitMemory)
