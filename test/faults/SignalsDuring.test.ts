/** SIGTERM, SIGINT and a second signal during each kind of work: the process ends as it should, in time, and starts again whole. */
import { existsSync, readdirSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { MANIFEST_FILE } from "../../packages/daemon/src/keeping/Manifest.ts"
import { attempt, makeCallers, rowsOf } from "../end-to-end/Callers.ts"
import { bytesOf, temporaryHome } from "../end-to-end/Treemarkd.ts"
import { partOf, patience } from "../layers/Long.ts"
import { type RunningDaemon, startDaemon } from "../layers/RunningDaemon.ts"

type Daemon = RunningDaemon["Service"]

const GRACE = 1_000
/** The grace period, what closing takes, and a busy machine. */
const AT_MOST = GRACE + 9_000
/** Sooner than this, a second signal is the first one, which npm hands on beside the terminal. */
const ANOTHER_KEY = "300 millis"

const ENDLESS = { jsonrpc: "2.0", id: 1, method: "eth_call", params: [{ data: "0x5b600056", gas: "0xffffffffff" }] }

const until = (isSo: () => boolean) =>
  Effect.sync(isSo).pipe(Effect.delay("5 millis"), Effect.repeat({ until: (found) => found }))

/** Each begins its work, ends once it is under way, and answers what has to hold after a new start. */
const WORK: { readonly [name: string]: (daemon: Daemon) => Effect.Effect<Effect.Effect<void, Error>, Error, never> } = {
  "endless calls": Effect.fnUntraced(function* (daemon) {
    for (let n = 0; n < 4; n++) {
      yield* Effect.forkDetach(
        Effect.exit(daemon.call("/rpc/mainnet", { body: Array.from({ length: 100 }, () => ENDLESS) }))
      )
    }
    yield* Effect.sleep("300 millis")
    return Effect.void
  }),
  "an upload": Effect.fnUntraced(function* (daemon) {
    const { token } = yield* daemon.createAccount({ name: "uploading" })
    let written = 0
    yield* Effect.sync(() => {
      const headers = { authorization: `token ${token}`, "content-type": "image/png" }
      const outgoing = request(`${daemon.url}/assets`, { method: "POST", agent: false, headers }, (incoming) => {
        incoming.resume()
      })
      const more = setInterval(() => {
        outgoing.write("more")
        written++
      }, 20)
      outgoing.on("error", () => clearInterval(more))
      outgoing.on("close", () => clearInterval(more))
    })
    yield* until(() => written > 5)
    return Effect.sync(() => assert.deepStrictEqual(rowsOf(daemon.home, "SELECT asset_cid FROM asset"), []))
  }),
  "32 commits": Effect.fnUntraced(function* (daemon) {
    const [caller] = yield* makeCallers(daemon, 1, "50")
    const asset = yield* daemon.register(bytesOf("signals"))
    const commit = (n: number) => attempt(daemon, caller!, asset, `commit ${n}`)
    const numbers = Array.from({ length: 32 }, (_, n) => n)
    const asking = yield* Effect.forkDetach(Effect.forEach(numbers, commit, { concurrency: "unbounded" }))
    yield* until(() => rowsOf(daemon.home, "SELECT id FROM commit_job").length > 0)
    return Effect.gen(function* () {
      const before = yield* Fiber.join(asking)
      // Whoever got no answer asks again with the same key; nobody pays twice.
      const after = yield* Effect.forEach(numbers, commit, { concurrency: 8 })
      for (const [n, { body, status }] of after.entries()) {
        assert.strictEqual(status, 200, body)
        if (before[n]?.status === 200) assert.strictEqual(before[n]?.body, body)
      }
      assert.lengthOf(rowsOf(daemon.home, "SELECT id FROM commit_job WHERE state = 'mined'"), 32)
      assert.lengthOf(rowsOf(daemon.home, "SELECT id FROM hold WHERE state = 'captured'"), 32)
    })
  }),
  "a backup": Effect.fnUntraced(function* (daemon) {
    for (let n = 0; n < 4; n++) {
      yield* daemon.register(Buffer.alloc(8_000_000, `file ${n} `))
    }
    const folder = join(daemon.home, "..", `${daemon.home.split("/").at(-1)}-backup`)
    yield* Effect.forkDetach(Effect.exit(daemon.admin("backup", folder)))
    yield* until(() => existsSync(folder) && readdirSync(folder).length > 0)
    return Effect.gen(function* () {
      const other = join(folder, "..", `${folder.split("/").at(-1)}-restored`)
      const isWhole = readdirSync(folder).includes(MANIFEST_FILE)
      const restored = yield* Effect.exit(daemon.admin("restore", folder, "--home", other))
      assert.strictEqual(restored._tag, isWhole ? "Success" : "Failure")
      const again = (yield* daemon.admin("audit")) as { readonly clean: boolean }
      assert.isTrue(again.clean)
    })
  })
}

const ENDS = ["SIGTERM", "SIGINT", "SIGTERM twice"] as const

const CASES = Object.keys(WORK).flatMap((work) => ENDS.map((end) => ({ work, end })))

describe("told to stop during work", () => {
  for (const { end, work } of partOf("signals during work", CASES, 6)) {
    it.live(
      `${end} during ${work}`,
      () =>
        Effect.gen(function* () {
          const isTwice = end === "SIGTERM twice"
          const home = join(yield* temporaryHome, "home")
          const daemon = yield* startDaemon({
            home,
            args: ["--shutdown-grace", isTwice ? "5 minutes" : `${GRACE} millis`]
          })
          const check = yield* WORK[work]!(daemon)
          const signal = end === "SIGINT" ? "SIGINT" : "SIGTERM"
          const startedAt = performance.now()
          if (isTwice) {
            const first = yield* Effect.forkChild(daemon.kill(signal))
            yield* Effect.raceFirst(
              until(() => daemon.log().includes("was told to stop")),
              Fiber.await(first)
            )
            yield* Effect.sleep(ANOTHER_KEY)
            yield* daemon.kill(signal)
            const ended = yield* Fiber.join(first)
            assert.include([0, 143], ended.code)
          } else {
            assert.deepStrictEqual(yield* daemon.kill(signal), { code: 0, signal: null })
          }
          assert.isBelow(performance.now() - startedAt, AT_MOST)
          yield* daemon.restart()
          yield* check
        }).pipe(Effect.scoped),
      patience(1)
    )
  }
})
