/** `treemarkd add` as a person runs it: a folder, the same again, funds that end, a watched folder, and SIGKILL at any moment. */
import { execFileSync } from "node:child_process"
import { renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { amountOf, patience } from "../layers/Long.ts"
import { photoOf } from "../layers/Photo.ts"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { add, committedBy, folderOf } from "./Adding.ts"
import { BIN, launch, serving, treemarkd } from "./Treemarkd.ts"

const creditsOf = (account: { readonly credits: string }) => account.credits

withDaemon()("treemarkd add", (it) => {
  it.effect("commits each file once, under whatever name, and the second run costs nothing", () =>
    Effect.gen(function* () {
      const { createAccount, home, call, showAccount } = yield* RunningDaemon
      yield* createAccount({ name: "first", credits: "5" })
      const folder = folderOf(home, "first", 3)
      writeFileSync(join(folder, "copy.txt"), "first 1")
      writeFileSync(join(folder, "photo.jpg"), photoOf({ artist: "Ada", taken: "2024:05:01 12:00:00", zone: "Z" }))
      const dry = yield* add(home, folder, "--account", "first", "--dry-run")
      assert.deepStrictEqual([dry.code, dry.summary?.["would-commit"], dry.summary?.committed], [0, 4, 0])
      assert.deepInclude(dry.lines.find(({ plan }) => plan !== undefined)?.plan, { files: 4, price: "0.4" })
      assert.strictEqual(creditsOf(yield* showAccount("first")), "5")

      const once = yield* add(home, folder, "--account", "first", "--license", "CC0-1.0")
      assert.deepStrictEqual([once.code, once.stderr], [0, ""])
      assert.deepInclude(once.summary, { committed: 4, same: 1, failed: 0 })
      const photo = once.lines.find(({ file }) => file?.endsWith("photo.jpg"))
      const tree = (yield* call(`/ipfs/${photo?.assetTreeCid}`)).json() as Record<string, unknown>
      assert.deepInclude(tree, {
        assetCreator: "Ada",
        assetTimestampCreated: Date.parse("2024-05-01T12:00:00Z") / 1000
      })
      assert.deepInclude(tree.license, { name: "CC0-1.0" })

      const paid = creditsOf(yield* showAccount("first"))
      renameSync(join(folder, "0.txt"), join(folder, "renamed.txt"))
      const again = yield* add(home, folder, "--account", "first", "--license", "CC0-1.0")
      assert.deepStrictEqual([again.code, again.summary?.committed, again.summary?.already], [0, 0, 4])
      assert.isUndefined(again.lines.find(({ plan }) => plan !== undefined))
      assert.strictEqual(creditsOf(yield* showAccount("first")), paid)
      const otherwise = yield* add(home, join(folder, "1.txt"), "--account", "first", "--headline", "New words")
      assert.strictEqual(otherwise.summary?.committed, 1)
    })
  )

  it.effect("names what it leaves out, and what would make every file fail ends the run", () =>
    Effect.gen(function* () {
      const { addCredits, createAccount, home } = yield* RunningDaemon
      yield* createAccount({ name: "poor", credits: "0.25" })
      const folder = folderOf(home, "poor", 6)
      writeFileSync(join(folder, "empty"), "")
      execFileSync("mkfifo", [join(folder, "pipe")])
      const short = yield* add(home, folder, "--account", "poor")
      assert.strictEqual(short.code, 1)
      assert.match(short.stderr, /files were not committed; their lines say why and what to do/u)
      const codes = new Set(short.lines.flatMap(({ code }) => code ?? []))
      assert.deepStrictEqual(codes, new Set(["empty", "insufficient_funds"]))
      const done = short.summary?.committed ?? 0
      assert.isAtLeast(done, 1)
      assert.deepInclude(short.summary, { skipped: 1, failed: 7 - done })
      yield* addCredits("poor", "1")
      rmSync(join(folder, "empty"))
      const rest = yield* add(home, folder, "--account", "poor")
      assert.deepStrictEqual([rest.code, rest.summary?.committed, rest.summary?.already], [0, 6 - done, done])
      const unnamed = yield* treemarkd(["add", folder], { home })
      assert.deepStrictEqual(unnamed.code, 64)
      assert.match(unnamed.stderr, /say which one commits and pays: --account /u)
    })
  )

  it.effect("--watch adds what comes into a folder once it is whole", () =>
    Effect.gen(function* () {
      const { createAccount, home } = yield* RunningDaemon
      yield* createAccount({ name: "watcher", credits: "5" })
      const folder = folderOf(home, "watched", 1)
      const args = [BIN, "add", folder, "--watch", "--json", "--account", "watcher"]
      const watch = yield* serving(() => launch(process.execPath, args, { home }), /"summary"/u)
      yield* committedBy(watch, 1)
      writeFileSync(join(folder, "later.txt"), "came later")
      renameSync(join(folder, "0.txt"), join(folder, "moved.txt"))
      yield* committedBy(watch, 2)
      yield* watch.signal("SIGINT")
      yield* watch.ended
      const again = yield* add(home, folder, "--account", "watcher")
      assert.deepStrictEqual([again.summary?.committed, again.summary?.already], [0, 2])
    })
  )

  it.effect(
    "commits each file exactly once, however often the command and the daemon are killed",
    () =>
      Effect.gen(function* () {
        const { admin, call, createAccount, home, kill, restart } = yield* RunningDaemon
        const files = amountOf("TREEMARK_TEST_ADD_FILES", { whole: 1_000, part: 100 })
        const kills = amountOf("TREEMARK_TEST_ADD_KILLS", { whole: 20, part: 3 })
        yield* createAccount({ name: "killed", credits: "500" })
        const folder = folderOf(home, "killed", files)
        const args = [BIN, "add", folder, "--json", "--account", "killed"]
        for (let round = 0; round < kills; round++) {
          const lines = 1 + Math.floor(Math.random() * (files / kills))
          yield* Effect.scoped(
            Effect.gen(function* () {
              const run = yield* serving(() => launch(process.execPath, args, { home }))
              yield* committedBy(run, lines)
              if (round % 2 === 0) yield* run.signal("SIGKILL")
              else {
                yield* kill("SIGKILL")
                yield* run.ended
                yield* restart()
              }
            })
          )
        }
        const rest = yield* add(home, folder, "--account", "killed")
        assert.deepStrictEqual([rest.code, rest.summary?.failed], [0, 0], rest.stderr)
        assert.strictEqual((rest.summary?.committed ?? 0) + (rest.summary?.already ?? 0), files)
        const assets = rest.lines.flatMap(({ assetCid }) => assetCid ?? [])
        assert.strictEqual(new Set(assets).size, files)
        for (const cid of assets) {
          const { commits } = (yield* call(`/assets/${cid}/commits`)).json() as { readonly commits: Array<unknown> }
          assert.strictEqual(commits.length, 1, cid)
        }
        yield* admin("audit")
      }),
    patience(10)
  )
})
