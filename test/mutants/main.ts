/**
 * `npm run test:mutants`: breaks the product in each way of List.ts, one at a time, and expects the named test to fail. A change that no test
 * notices, a place that is no longer there once, or a test that is not there, is named and counts as failed. With arguments, only changes
 * whose file, text or test has one of them.
 */
import { MUTANTS } from "./List.ts"
import { startTrial } from "./Trial.ts"

const print = (line: string) => process.stdout.write(`${line}\n`)
const filters = process.argv.slice(2)
const mutants = MUTANTS.filter(
  (mutant) => filters.length === 0 || Object.values(mutant).some((text) => filters.some((part) => text.includes(part)))
)

const trial = await startTrial()
let failed = 0
const tell = ({ file, what }: (typeof MUTANTS)[number], problem: string | undefined): void => {
  if (problem === undefined) print(`noticed: ${what} (${file})`)
  else print(`FAILED: ${what} (packages/${file}): ${problem}`)
  if (problem !== undefined) failed++
}

const unchanged = await trial.unchanged(mutants)
for (const [at, mutant] of mutants.entries()) tell(mutant, unchanged[at] ?? (await trial.changed(mutant)))
await trial.close()
print(`\n${mutants.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
