/**
 * Figure: how long an audit takes and how long it keeps the event loop at a time, on a store of TREEMARK_BENCH_AUDIT_COMMITS finished
 * commits (default 10,000; the goal is 100,000 commits in six seconds), with a registered file for every hundred of them. Bytes are read from the page cache, unless the store is larger.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Audit } from "../packages/daemon/src/keeping/Audit.ts"
import { StoredBlocks } from "../packages/daemon/src/keeping/StoredBlocks.ts"
import { Snapshot } from "../packages/daemon/src/store/Snapshot.ts"
import { HdWallets } from "../packages/daemon/src/wallets/HdWallets.ts"
import { blocksOf, fillStore, networksOf, registerFiles, storeOf, wallets } from "./AuditStore.ts"
import { type Figure, showAlone } from "./Figure.ts"

const COMMITS = Number(process.env.TREEMARK_BENCH_AUDIT_COMMITS ?? 10_000)
const MILLIS_PER_COMMIT = 0.06
const FILES = Math.ceil(COMMITS / 100)
const LAG_STEP = 5

/** Milliseconds of CPU this thread has used: what another process takes from it meanwhile is no fault of the audit. */
const threadMillis = () => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** How much CPU was used at most between two turns of the event loop while `work` went on. */
const withLag = async <A>(work: () => Promise<A>): Promise<readonly [A, number]> => {
  let lag = 0
  let last = threadMillis()
  const timer = setInterval(() => {
    const now = threadMillis()
    lag = Math.max(lag, now - last)
    last = now
  }, LAG_STEP)
  try {
    return [await work(), lag]
  } finally {
    clearInterval(timer)
  }
}

const layerOf = (folder: string) =>
  Audit.layer.pipe(
    Layer.provide(Layer.merge(Snapshot.layer, StoredBlocks.layerOfFolder(blocksOf(folder)))),
    Layer.provide(Layer.mergeAll(storeOf(folder), networksOf(COMMITS), Layer.succeed(HdWallets, HdWallets.of(wallets))))
  )

const run = Effect.gen(function* () {
  const audit = yield* Audit
  const began = performance.now()
  const used = threadMillis()
  const [report, lag] = yield* Effect.promise(() => withLag(() => Effect.runPromise(audit.run())))
  if (
    !report.clean ||
    report.checked.trees !== COMMITS ||
    report.checked.events !== COMMITS ||
    report.checked.blocks !== 3 * FILES
  ) {
    throw new Error(`The audit of the bench is not clean: ${JSON.stringify(report).slice(0, 2_000)}`)
  }
  return { millis: performance.now() - began, cpu: threadMillis() - used, lag }
})

export const audit: Figure = {
  title: `An audit of ${COMMITS} commits`,
  measure: async () => {
    const kept = process.env.TREEMARK_BENCH_AUDIT_STORE
    const folder = kept ?? mkdtempSync(join(tmpdir(), "treemark-bench-"))
    try {
      if (kept === undefined) {
        await fillStore(folder, COMMITS)
        await registerFiles(folder, FILES)
      }
      const { cpu, lag, millis } = await Effect.runPromise(Effect.provide(run, layerOf(folder)))
      return [
        {
          what: "to compare books, jobs, ledger and content",
          value: millis,
          unit: "ms",
          max: COMMITS * MILLIS_PER_COMMIT
        },
        { what: "of that the daemon's own thread at work", value: cpu, unit: "ms" },
        { what: "longest the event loop stood still meanwhile", value: lag, unit: "ms", max: 50 }
      ]
    } finally {
      if (kept === undefined) rmSync(folder, { recursive: true, force: true })
    }
  }
}

if (import.meta.main) await showAlone(audit)
