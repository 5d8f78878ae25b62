/**
 * `npm run bench`: every figure of this folder in turn. All are ratios against peers measured in the same run, so a busy machine spoils
 * them less than it would times; the load stands beside them. Ends with 1 when a goal was missed.
 */
import { execFileSync } from "node:child_process"
import { availableParallelism, cpus } from "node:os"
import { resolve } from "node:path"
import { admission } from "./Admission.ts"
import { audit } from "./Audit.ts"
import { bulkVerify } from "./BulkVerify.ts"
import { cliStart } from "./CliStart.ts"
import { commitMemory } from "./CommitMemory.ts"
import { durablePath } from "./DurablePath.ts"
import { type Figure, show } from "./Figure.ts"
import { growth } from "./Growth.ts"
import { hashAsset } from "./HashAsset.ts"
import { ledgerIndex } from "./LedgerIndex.ts"
import { load } from "./Load.ts"
import { recoverBackends } from "./RecoverBackends.ts"
import { verifyStartFigure } from "./VerifyStart.ts"

/** A figure that is to be run by everybody is added here. */
const FIGURES: ReadonlyArray<Figure> = [
  verifyStartFigure,
  cliStart,
  recoverBackends,
  hashAsset,
  bulkVerify,
  audit,
  durablePath,
  commitMemory,
  growth,
  ledgerIndex,
  admission,
  load
]

execFileSync("npm", ["run", "-s", "build", "-w", "packages/verify"], {
  cwd: resolve(import.meta.dirname, ".."),
  stdio: "inherit"
})
console.log(`Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model ?? "unknown processor"}`)

let missed = 0
for (const figure of FIGURES) missed += await show(figure)
console.log(missed === 0 ? "\nEvery goal is reached." : `\n${missed} ${missed === 1 ? "goal is" : "goals are"} missed.`)
process.exitCode = missed === 0 ? 0 : 1
