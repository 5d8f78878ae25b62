/**
 * Figure: CPU time (user + system) of the bundled `treemark-verify` on one proof, as a ratio to `node -e 0`. Whole processes, run in
 * turns, medians. Needs `npm run build -w packages/verify`.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { proofFile } from "../test/core/verification/Fixtures.ts"
import { cpuMillis, type Figure, median, showAlone } from "./Figure.ts"

export const VERIFY_START_GOAL = 2.2

const RUNS = 31
const bin = resolve(import.meta.dirname, "../packages/verify/dist/bin.js")

/** Medians in CPU milliseconds, and the median of their ratios. */
export const verifyStart = (): { readonly node: number; readonly verify: number; readonly ratio: number } => {
  if (!existsSync(bin)) throw new Error("There is no bundle yet. Run `npm run build -w packages/verify` first.")
  const folder = mkdtempSync(join(tmpdir(), "treemark-bench-"))
  try {
    const proof = join(folder, "proof.json")
    writeFileSync(proof, proofFile)
    const node: Array<number> = []
    const verify: Array<number> = []
    for (let run = 0; run < RUNS; run++) {
      node.push(cpuMillis(process.execPath, ["-e", "0"]))
      verify.push(cpuMillis(process.execPath, [bin, proof]))
    }
    return { node: median(node), verify: median(verify), ratio: median(verify) / median(node) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const verifyStartFigure: Figure = {
  title: "treemark-verify on one proof",
  measure: async () => {
    const { node, verify, ratio } = verifyStart()
    const what = `CPU of node -e 0 (${verify.toFixed(0)} ms, node -e 0 ${node.toFixed(0)} ms)`
    return [{ what, value: ratio, max: VERIFY_START_GOAL }]
  }
}

if (import.meta.main) await showAlone(verifyStartFigure)
