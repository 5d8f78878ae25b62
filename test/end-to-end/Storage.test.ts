/** A disk that is full or closed: calls fail with a message and cost nothing, and work again when it is freed, without a restart. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startDaemon } from "../layers/RunningDaemon.ts"
import { canMount, disk, fill } from "../layers/SmallDisk.ts"
import { attempt, creditsLeft, makeCallers, onLedger, settled } from "./Callers.ts"
import { bytesOf, temporaryHome, treemarkd } from "./Treemarkd.ts"

describe("a disk", () => {
  it.live.skipIf(!canMount)(
    "that is full fails calls with 500, charges nothing for them, and serves again when freed",
    () =>
      Effect.gen(function* () {
        const home = yield* disk("size=6m,mode=0700")
        const daemon = yield* startDaemon({ home })
        const [caller] = yield* makeCallers(daemon, 1, "50")
        const asset = yield* daemon.register(bytesOf("disk"))
        const first = yield* attempt(daemon, caller!, asset, "before")
        assert.strictEqual(first.status, 200)

        const filler = join(home, "filler")
        fill(filler)
        const unready = yield* daemon
          .call("/ready")
          .pipe(Effect.delay("200 millis"), Effect.repeat({ until: ({ status }) => status === 503 }))
        assert.match(unready.text, /disk: the disk is nearly full/u)
        const tried = []
        for (let index = 0; index < 300 && tried.at(-1)?.status !== 500; index += 1) {
          tried.push(yield* attempt(daemon, caller!, asset, `full ${index}`))
        }
        const refused = tried.at(-1)!
        assert.strictEqual(refused.status, 500, "the disk was never full")
        const problem = JSON.parse(refused.body) as Record<string, string>
        assert.include(["storage_unavailable", "ledger_unavailable", "commit_pending"], problem.code)
        const registering = yield* daemon.call("/assets", {
          body: new Uint8Array(1 << 20),
          headers: { authorization: `token ${caller!.token}`, "content-type": "image/png" }
        })
        assert.strictEqual(registering.status, 500)
        assert.deepInclude(registering.json(), { code: "storage_unavailable" })
        assert.strictEqual((yield* daemon.call("/health")).status, 200)

        rmSync(filler)
        const again = yield* attempt(daemon, caller!, asset, refused.message).pipe(
          Effect.delay("500 millis"),
          Effect.repeat({ until: ({ status }) => status === 200, times: 600 })
        )
        assert.strictEqual(again.status, 200, again.body)
        assert.strictEqual(yield* settled(home), 0)
        const ledger = yield* onLedger(daemon, asset)
        const answered = [first, ...tried, again].filter(({ status }) => status === 200).map(({ message }) => message)
        assert.deepStrictEqual(ledger.map(({ message }) => message).sort(), [...new Set(answered)].sort())
        const own = yield* daemon.call("/account", { headers: { authorization: `token ${caller!.token}` } })
        assert.strictEqual(own.json().credits, creditsLeft(caller!, ledger))
      })
  )

  it.live.skipIf(!canMount)("that cannot be written ends start and other commands with 69 and a message", () =>
    Effect.gen(function* () {
      const home = yield* disk("ro,size=1m")
      const started = yield* treemarkd(["start", "--port", "0", "--json"], { home })
      assert.strictEqual(started.code, 69, started.stderr)
      assert.match(started.stderr, /cannot be opened: EROFS.*TREEMARK_HOME/su)
      assert.deepInclude(started.json(), { error: { code: "store_unusable", message: started.stderr.trimEnd() } })
      const listed = yield* treemarkd(["account", "list"], { home })
      assert.deepStrictEqual([listed.code, listed.stdout], [69, ""])
      assert.strictEqual(listed.stderr, started.stderr)
    })
  )

  it.live(
    "that holds something else where the data folder or its store should be is told, and nothing is overwritten",
    () =>
      Effect.gen(function* () {
        const base = yield* temporaryHome
        const file = join(base, "file")
        writeFileSync(file, "not a folder")
        const inFile = yield* treemarkd(["start", "--port", "0"], { home: file })
        assert.strictEqual(inFile.code, 78, inFile.stderr)
        assert.include(inFile.stderr, `${file} is not a folder.`)
        const home = join(base, "home")
        mkdirSync(home, { mode: 0o700 })
        writeFileSync(join(home, "treemark.db"), "no database at all, but long enough to be read as one".repeat(10))
        const foreign = yield* treemarkd(["account", "list", "--json"], { home })
        assert.strictEqual(foreign.code, 69)
        assert.match(foreign.stderr, /not a Treemark data store, or it is damaged/)
      })
  )
})
