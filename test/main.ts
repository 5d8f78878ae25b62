/**
 * `npm test`: types and lint beside the tests, as a core is idle here and there while tests wait. What they find ends the run at once. The
 * tests' own output is the last; arguments are vitest's.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"

/** Runs a script of package.json and keeps what it prints. */
const check = async (
  script: string
): Promise<{ readonly script: string; readonly code: number; readonly text: string }> => {
  const child = spawn("npm", ["run", "-s", script], { stdio: ["ignore", "pipe", "pipe"] })
  let text = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => (text += part.toString("utf8")))
  const [code] = await once(child, "close")
  return { script, code: code ?? 1, text }
}

const tests = spawn("vitest", ["run", ...process.argv.slice(2)], { stdio: "inherit" })
const ended = once(tests, "exit")
const checks = ["types", "lint"].map(async (script) => {
  const found = await check(script)
  if (found.code !== 0) tests.kill("SIGINT")
  return found
})
const [code] = await ended
const broken = (await Promise.all(checks)).filter((found) => found.code !== 0)
for (const { script, text } of broken)
  process.stdout.write(`\n${text}\nnpm run ${script} failed, so the tests were ended.\n`)
process.exitCode = broken.length > 0 ? 1 : (code ?? 1)
