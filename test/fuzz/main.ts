/**
 * `npm run fuzz`: ten minutes of cases, or TREEMARK_FUZZ_SECONDS, or TREEMARK_FUZZ_CASES of them. TREEMARK_FUZZ_SEED runs the same cases again, with
 * TREEMARK_FUZZ_CASE just that one, and its input is printed.
 */
import { BROKEN, breakModule } from "./Broken.ts"

const { TREEMARK_FUZZ_BROKEN, TREEMARK_FUZZ_CASE, TREEMARK_FUZZ_CASES, TREEMARK_FUZZ_SECONDS, TREEMARK_FUZZ_SEED } =
  process.env
const broken = TREEMARK_FUZZ_BROKEN === undefined ? undefined : BROKEN[Number(TREEMARK_FUZZ_BROKEN)]
if (broken !== undefined) breakModule(broken)
const { caseOf, fuzz } = await import("./Run.ts")
const seed = Number(TREEMARK_FUZZ_SEED ?? Date.now() % 2 ** 31)
const seconds = Number(TREEMARK_FUZZ_SECONDS ?? 600)
const only = TREEMARK_FUZZ_CASE === undefined ? undefined : Number(TREEMARK_FUZZ_CASE)
const most = only === undefined ? Number(TREEMARK_FUZZ_CASES ?? Number.POSITIVE_INFINITY) : 1
const end = performance.now() + seconds * 1000
const print = (line: string) => process.stdout.write(`${line}\n`)

print(`seed ${seed}, ${only === undefined ? `${seconds} s` : `case ${only}`}`)
if (only !== undefined) print(JSON.stringify(Buffer.from(caseOf(seed, only).bytes).toString()))
const isDone = (cases: number) => cases >= most || performance.now() > end || (broken !== undefined && failures > 0)
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
