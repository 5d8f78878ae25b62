/**
 * Figure: CPU time (user + system) of hashing a large asset with `treemark-verify … --asset`, against `openssl dgst -sha256` on the same file, whole
 * processes, in turns, medians. TREEMARK_BENCH_ASSET_MB sets the size. Needs `npm run build -w packages/verify`.
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { proofFile } from "../test/core/verification/Fixtures.ts"
import { cpuMillis, type Figure, median, showAlone } from "./Figure.ts"

const MEGABYTES = Number(process.env.TREEMARK_BENCH_ASSET_MB ?? 1024)
const RUNS = 5
const bin = resolve(import.meta.dirname, "../packages/verify/dist/bin.js")

export const hashAsset: Figure = {
  title: `Hashing an asset of ${MEGABYTES} MB`,
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), "treemark-bench-"))
    try {
      const proof = join(folder, "proof.json")
      const asset = join(folder, "asset")
      writeFileSync(proof, proofFile)
      const file = openSync(asset, "w")
      const block = Buffer.alloc(1024 * 1024)
      for (let at = 0; at < MEGABYTES; at++) {
        block.fill(at % 251)
        writeSync(file, block)
      }
      closeSync(file)
      const ours: Array<number> = []
      const openssl: Array<number> = []
      for (let run = 0; run < RUNS; run++) {
        openssl.push(cpuMillis("openssl", ["dgst", "-sha256", asset]))
        // The asset is not the one of the proof, so the command ends with 1.
        ours.push(cpuMillis(process.execPath, [bin, proof, "--asset", asset], 1))
      }
      const ratio = median(ours.map((one, run) => one / openssl[run]!))
      const figures = `${median(ours).toFixed(0)} ms, openssl ${median(openssl).toFixed(0)} ms`
      return [{ what: `CPU of openssl dgst -sha256 (${figures})`, value: ratio, max: 1.2 }]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

if (import.meta.main) await showAlone(hashAsset)
