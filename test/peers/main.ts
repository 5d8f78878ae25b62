/**
 * `npm run test:peers [-- NAME…]`: sets up each peer (the first run builds or installs it, the next ones find it), runs its tests against it,
 * and ends with a line a peer. Exit code 1 when the tests of one failed; a peer that cannot be had is named with what was tried, and fails nothing.
 */
import { spawn } from "node:child_process"
import { join, resolve } from "node:path"
import { PEERS, type Peer } from "./Peers.ts"
import { CACHE, NotHad } from "./setup/Cache.ts"

const root = resolve(import.meta.dirname, "../..")

/** The exit code of the tests of one peer; what they print is shown. */
const tested = (file: string, found: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((done, reject) => {
    const vitest = join(root, "node_modules/vitest/vitest.mjs")
    const env = { ...process.env, ...found, TREEMARK_TEST_PEERS: "1" }
    const child = spawn(process.execPath, [vitest, "run", `test/peers/${file}.peer.ts`], {
      cwd: root,
      env,
      stdio: "inherit"
    })
    child.once("error", reject)
    child.once("exit", (code) => done(code ?? 1))
  })

const seconds = (since: number): string => `${Math.round((performance.now() - since) / 1_000)} s`

const outcome = async ({
  file,
  name,
  ready,
  what
}: Peer): Promise<{ readonly line: string; readonly failed: boolean }> => {
  const began = performance.now()
  process.stdout.write(`\n${name}: ${what}; kept in ${CACHE}\n`)
  try {
    const found = await ready()
    const [had, since] = [seconds(began), performance.now()]
    const failed = (await tested(file, found)) !== 0
    return {
      failed,
      line: `${failed ? "FAILED" : "passed"}   ${name}: ${what} (set up in ${had}, tests ${seconds(since)})`
    }
  } catch (error) {
    if (!(error instanceof NotHad)) throw error
    return { failed: false, line: `not had  ${name}: ${what}. Tried: ${error.message}` }
  }
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !PEERS.some((peer) => peer.name === name))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no peer ${unknown.join(", ")}. Known are ${PEERS.map(({ name }) => name).join(", ")}.\n`
  )
  process.exit(2)
}
const outcomes = []
for (const peer of PEERS.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))
  outcomes.push(await outcome(peer))
process.stdout.write(`\n${outcomes.map(({ line }) => line).join("\n")}\n`)
process.exitCode = outcomes.some(({ failed }) => failed) ? 1 : 0
