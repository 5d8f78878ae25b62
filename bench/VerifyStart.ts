/**
 * Figure: CPU time (user + system) of the bundled `treemark-verify` on one proof, as a ratio to `node -e 0`. Whole processes, run in
 * turns, medians. Needs `npm run build -w packages/verify`. Goal: at most 4.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { proofFile } from "../test/core/verification/Fixtures.ts"

export const VERIFY_START_GOAL = 4

const RUNS = 21
const bin = resolve(import.meta.dirname, "../packages/verify/dist/bin.js")

/** CPU milliseconds of one process, as bash's `time` reads them off the kernel. */
const cpuOf = (args: ReadonlyArray<string>): number => {
  const script = 'TIMEFORMAT="%3U %3S"; time "$0" "$@" >/dev/null'
  const run = spawnSync("bash", ["-c", script, process.execPath, ...args], { env: { LC_ALL: "C" }, encoding: "utf8" })
  const seconds = /(\d+\.\d+) (\d+\.\d+)\s*$/.exec(run.stderr)
  if (run.status !== 0 || seconds === null) throw new Error(`node ${args.join(" ")} failed: ${run.stderr}`)
  return (Number(seconds[1]) + Number(seconds[2])) * 1000
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** Medians in CPU milliseconds, and their ratio. */
export const verifyStart = (): { readonly node: number; readonly verify: number; readonly ratio: number } => {
  if (!existsSync(bin)) throw new Error("There is no bundle yet. Run `npm run build -w packages/verify` first.")
  const folder = mkdtempSync(join(tmpdir(), "treemark-bench-"))
  try {
    const proof = join(folder, "proof.json")
    writeFileSync(proof, proofFile)
    const node: Array<number> = []
    const verify: Array<number> = []
    for (let run = 0; run < RUNS; run++) {
      node.push(cpuOf(["-e", "0"]))
      verify.push(cpuOf([bin, proof]))
    }
    return { node: median(node), verify: median(verify), ratio: median(verify) / median(node) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { node, verify, ratio } = verifyStart()
  console.log(
    `verify one proof: ${verify.toFixed(0)} ms CPU, node -e 0: ${node.toFixed(0)} ms CPU, ratio ${ratio.toFixed(2)} (goal: at most ${VERIFY_START_GOAL})`
  )
  process.exitCode = ratio <= VERIFY_START_GOAL ? 0 : 1
}
