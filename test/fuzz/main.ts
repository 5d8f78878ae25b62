/**
 * `npm run fuzz`: ten minutes of mutated proofs, or TREEMARK_FUZZ_SECONDS. TREEMARK_FUZZ_SEED runs the same cases again, with TREEMARK_FUZZ_CASE
 * just that one, and its file is printed.
 */
import { caseOf, fuzz } from "./Run.ts"

const { TREEMARK_FUZZ_CASE, TREEMARK_FUZZ_SECONDS, TREEMARK_FUZZ_SEED } = process.env
const seed = Number(TREEMARK_FUZZ_SEED ?? Date.now() % 2 ** 31)
const seconds = Number(TREEMARK_FUZZ_SECONDS ?? 600)
const only = TREEMARK_FUZZ_CASE === undefined ? undefined : Number(TREEMARK_FUZZ_CASE)
const end = performance.now() + seconds * 1000
const print = (line: string) => process.stdout.write(`${line}\n`)

print(`seed ${seed}, ${only === undefined ? `${seconds} s` : `case ${only}`}`)
if (only !== undefined) print(JSON.stringify(Buffer.from(caseOf(seed, only).mutated.bytes).toString()))
const isDone = (cases: number) => (only === undefined ? performance.now() > end : cases === 1)
let failures = 0
const counts = fuzz(
  seed,
  isDone,
  ({ number, problem, what }) => {
    if (failures++ < 20) print(`case ${number} (${what}): ${problem}`)
  },
  only
)
print(JSON.stringify({ ...counts, failures }))
process.exitCode = failures === 0 ? 0 : 1
