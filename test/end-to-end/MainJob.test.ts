/** `npm start`: the whole job on the sample photo, alone, again, and beside a running daemon; and what it says to try next. */
import { type ChildProcess, spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { COMPILED } from "../layers/Built.ts"
import { startDaemon } from "../layers/RunningDaemon.ts"
import { collect, serving, temporaryHome, treemarkd } from "./Treemarkd.ts"

const ROOT = fileURLToPath(new URL("../../", import.meta.url))
const STEPS = ["daemon", "account", "registered", "committed", "asset tree", "balances", "charged", "proof", "verified"]

/** `npm start ARGS` in a process group of its own, as a terminal would run it; outside CI and its settings. */
const npmStart = (home: string, ...args: ReadonlyArray<string>): ChildProcess =>
  spawn("npm", ["start", "-s", "--", ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: tmpdir(), TREEMARK_HOME: home, TREEMARK_PORT: "0", ...COMPILED },
    detached: true
  })

const stepsOf = (stdout: string) => [...stdout.matchAll(/^✓ (.{10}) /gmu)].map(([, name]) => name!.trim())

const creditsIn = (stdout: string) => Number(/([\d.]+) credits left/u.exec(stdout)?.[1])

/** The commands of "Try next", each ready for a shell. */
const commandsOf = (stdout: string): ReadonlyArray<string> =>
  stdout
    .slice(stdout.indexOf("Try next"))
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(?:curl|npx) /u.test(line))

describe("npm start", () => {
  it.live("--once does the whole job, prints each step and exits 0; a second run takes the same account", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const first = yield* collect(() => npmStart(home, "--once"))
      assert.strictEqual(first.code, 0, first.stderr)
      assert.deepStrictEqual(stepsOf(first.stdout), STEPS)
      assert.match(first.stdout, /^✓ verified +valid, offline/mu)
      const wallet = /wallet (0x\w{40})/u.exec(first.stdout)![1]!
      const second = yield* collect(() => npmStart(home, "--once"))
      assert.strictEqual(second.code, 0, second.stderr)
      assert.deepStrictEqual(stepsOf(second.stdout), STEPS)
      assert.include(second.stdout, wallet)
      const listed = yield* treemarkd(["account", "list", "--json"], { home })
      const { accounts } = listed.json() as { readonly accounts: ReadonlyArray<{ readonly wallet: string }> }
      assert.deepStrictEqual(
        accounts.map((account) => account.wallet),
        [wallet]
      )
      assert.isBelow(creditsIn(first.stdout), 5)
      assert.closeTo(creditsIn(second.stdout), creditsIn(first.stdout) + 1 - 0.114, 0.001)
    })
  )

  it.live("it uses a daemon that runs already, and leaves it running", () =>
    Effect.gen(function* () {
      const daemon = yield* startDaemon()
      const job = yield* collect(() => npmStart(daemon.home))
      assert.strictEqual(job.code, 0, job.stderr)
      assert.include(job.stdout, `${daemon.url} (was running)`)
      assert.deepStrictEqual(stepsOf(job.stdout), STEPS)
      assert.strictEqual((yield* daemon.call("/ready")).status, 200)
    })
  )

  it.live("an option it does not know is refused with a message", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const { code, stderr } = yield* collect(() => npmStart(home, "--twice"))
      assert.notStrictEqual(code, 0)
      assert.match(stderr, /'--twice'.*npm start -- --once/su)
    })
  )

  it.live("it serves until Ctrl-C, every command it prints works as pasted, and Ctrl-C ends it with 0", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const job = yield* serving(() => npmStart(home), /Serving until Ctrl-C/u)
      yield* Effect.addFinalizer(() =>
        Effect.ignore(Effect.try({ try: () => process.kill(-job.pid, "SIGKILL"), catch: () => "it has ended" }))
      )
      const commands = commandsOf(job.stdout())
      assert.strictEqual(commands.length, 5)
      const shell = (command: string) =>
        collect(() =>
          spawn("bash", ["-e", "-c", command.replace(/^curl /u, "curl -sS --fail-with-body ")], {
            cwd: ROOT,
            env: { PATH: process.env.PATH, HOME: tmpdir(), TREEMARK_HOME: home, ...COMPILED }
          })
        )
      const [mainnet, all, commit, verify, status] = yield* Effect.forEach(commands, shell)
      for (const { code, stderr, stdout } of [mainnet!, all!, commit!, verify!, status!]) {
        assert.strictEqual(code, 0, `${stdout}${stderr}`)
      }
      assert.deepStrictEqual(mainnet!.json(), { balance: "100.0000" })
      assert.deepInclude(all!.json(), { balance: "100.0000" })
      assert.match((commit!.json() as { readonly txHash: string }).txHash, /^0x\w{64}$/u)
      assert.include(verify!.stdout, "valid")
      assert.include(status!.stdout, "profile")
      const explorer = /^ +the transaction +(\S+)$/mu.exec(job.stdout())![1]!
      const page = yield* shell(`curl ${explorer}`)
      assert.match(page.stdout, /^<!doctype html>/iu)
      process.kill(-job.pid, "SIGINT")
      assert.deepStrictEqual(yield* job.ended, { code: 0, signal: null })
      assert.strictEqual((yield* treemarkd(["status"], { home })).code, 69)
    })
  )
})
