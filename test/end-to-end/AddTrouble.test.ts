/** `treemarkd add` where files, links, limits and the daemon are in the way: each file is told once, and a second run does only what is missing. */
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { add, committedBy, folderOf, linesOf } from "./Adding.ts"
import { BIN, collect, launch, serving, treemarkd } from "./Treemarkd.ts"

/** A name that is no UTF-8, and would move the cursor of a terminal. */
const RAW_NAME = Buffer.from([0xff, 0x0a, 0x1b, 0x5b, 0x32, 0x4a])

/** Long enough for the command to have written what a pipe holds, and to end if it did not wait. */
const LATE_MS = 4_000

withDaemon()("treemarkd add in trouble", (it) => {
  it.effect("tells each thing in a folder once, and what to do where it is not committed", () =>
    Effect.gen(function* () {
      const { createAccount, home, showAccount } = yield* RunningDaemon
      yield* createAccount({ name: "odd", credits: "5" })
      const folder = folderOf(home, "odd", 1)
      const at = (name: string) => join(folder, name)
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), RAW_NAME]), "bytes under a raw name")
      writeFileSync(at("empty"), "")
      writeFileSync(at(".hidden"), "hidden")
      mkdirSync(at("below"))
      writeFileSync(at("below/deep"), "deep")
      symlinkSync("..", at("below/up"))
      symlinkSync("self", at("self"))
      symlinkSync("nowhere", at("broken"))
      execFileSync("mkfifo", [at("pipe")])
      const once = yield* add(home, folder, "--recursive", "--account", "odd")
      const told = once.lines.flatMap(({ code, file, outcome }) =>
        file === undefined ? [] : [[file.slice(folder.length + 1), code ?? outcome]]
      )
      assert.deepStrictEqual(
        told.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
        [
          [".hidden", "skipped"],
          ["0.txt", "committed"],
          ["below/deep", "committed"],
          ["below/up", "skipped"],
          ["broken", "vanished"],
          ["empty", "empty"],
          ["pipe", "skipped"],
          ["self", "link_loop"],
          ["\u{fffd}\n\u001b[2J", "committed"]
        ]
      )
      const raw = once.lines.find(({ fileBytes }) => fileBytes !== undefined)
      assert.isTrue(raw?.fileBytes?.endsWith(RAW_NAME.toString("hex")))
      for (const { code, reason } of once.lines) if (code !== undefined) assert.match(reason ?? "", /[;,] /u)
      assert.strictEqual(once.code, 1)
      const { credits } = yield* showAccount("odd")
      const people = yield* treemarkd(["add", folder, "--recursive", "--account", "odd"], { home })
      assert.strictEqual(people.code, 1)
      assert.notInclude(people.stdout, "\u001b")
      assert.match(people.stdout, /3 committed before, 3 skipped, 3 failed\.\n$/u)
      assert.strictEqual((yield* showAccount("odd")).credits, credits)
    })
  )

  it.effect("spends no more in a day than it may, over all runs, and goes on with a higher limit", () =>
    Effect.gen(function* () {
      const { admin, createAccount, home } = yield* RunningDaemon
      yield* createAccount({ name: "careful", credits: "5" })
      const folder = folderOf(home, "careful", 6)
      const limited = (limit: string) => add(home, folder, "--account", "careful", "--limit", limit)
      const first = yield* limited("0.35")
      const again = yield* limited("0.35")
      for (const { code, lines, stderr, summary } of [first, again]) {
        assert.strictEqual(code, 1, stderr)
        const codes = new Set(lines.flatMap(({ code }) => code ?? []))
        assert.deepStrictEqual([...codes], ["spending_limit_reached"])
        assert.match(lines.find(({ reason }) => reason !== undefined)?.reason ?? "", /after midnight \(UTC\)/u)
        assert.strictEqual((summary?.committed ?? 0) + (summary?.already ?? 0) + (summary?.failed ?? 0), 6)
      }
      const done = again.summary?.already ?? 0
      assert.isAtLeast(first.summary?.committed ?? 0, 1)
      assert.isAtMost(done + (again.summary?.committed ?? 0), 3)
      const { tokens } = (yield* admin("account", "token", "list", "careful")) as {
        readonly tokens: ReadonlyArray<{ readonly label: string; readonly spentToday: string }>
      }
      const counted = tokens.filter(({ label }) => label === "treemarkd add --limit")
      assert.strictEqual(counted.length, 1)
      assert.isAtMost(Number(counted[0]?.spentToday), 0.35)
      const rest = yield* limited("4")
      assert.deepStrictEqual([rest.code, (rest.summary?.committed ?? 0) + (rest.summary?.already ?? 0)], [0, 6])
    })
  )

  it.effect("loses no line of a run that failed when its reader comes late", () =>
    Effect.gen(function* () {
      const { createAccount, home } = yield* RunningDaemon
      yield* createAccount({ name: "late", credits: "1" })
      const missing = Array.from({ length: 3_000 }, (_, n) => join(home, `there is no file of this name ${n}`))
      const child = launch(process.execPath, [BIN, "add", ...missing, "--json", "--account", "late"], { home })
      const { code, stdout } = yield* collect(() => {
        child.stdout?.pause()
        setTimeout(() => child.stdout?.resume(), LATE_MS)
        return child
      })
      const files = linesOf(stdout).flatMap(({ file }) => file ?? [])
      assert.deepStrictEqual([code, new Set(files).size], [1, missing.length])
    })
  )

  it.effect("names every file when the daemon goes half-way, and what is missing is done by the next run", () =>
    Effect.gen(function* () {
      const { createAccount, home, kill, restart } = yield* RunningDaemon
      const files = 200
      yield* createAccount({ name: "halfway", credits: "50" })
      const folder = folderOf(home, "halfway", files)
      const args = [BIN, "add", folder, "--json", "--account", "halfway"]
      const run = yield* serving(() => launch(process.execPath, args, { home }))
      yield* committedBy(run, 3)
      yield* kill("SIGKILL")
      const { code } = yield* run.ended
      const lines = linesOf(run.stdout())
      const told = lines.filter(({ file }) => file !== undefined)
      assert.deepStrictEqual([told.length, new Set(told.map(({ file }) => file)).size], [files, files])
      const failed = told.filter(({ outcome }) => outcome === "failed")
      // A machine that slept here for as long as 200 commits take has nothing left to fail.
      assert.strictEqual(code, failed.length === 0 ? 0 : 69)
      for (const { reason } of failed) assert.match(reason ?? "", /start it, and run this again/u)
      yield* restart()
      const rest = yield* add(home, folder, "--account", "halfway")
      assert.deepStrictEqual([rest.code, rest.summary?.failed], [0, 0], rest.stderr)
      assert.strictEqual((rest.summary?.committed ?? 0) + (rest.summary?.already ?? 0), files)
      assert.isAtMost(rest.summary?.committed ?? 0, failed.length)
    })
  )
})
