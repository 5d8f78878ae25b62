/** `npm run fuzz:broken`: the fuzzer on a product that is broken in each way of Broken.ts; every one must be noticed. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { BROKEN } from "./Broken.ts"

const main = fileURLToPath(new URL("main.ts", import.meta.url))
const print = (line: string) => process.stdout.write(`${line}\n`)

let unnoticed = 0
for (const [at, { file, what }] of BROKEN.entries()) {
  const env = { ...process.env, TREEMARK_FUZZ_BROKEN: String(at), TREEMARK_FUZZ_CASES: "5000" }
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--conditions=@treemark/source", main], {
    encoding: "utf8",
    env
  })
  const [, told = stderr] = stdout.split("\n")
  if (status === 1 && told.startsWith("case ")) print(`noticed: ${what} (${file}), ${told}`)
  else {
    unnoticed++
    print(`NOT NOTICED: ${what} (${file}) ${told}`)
  }
}
process.exitCode = unnoticed === 0 ? 0 : 1
