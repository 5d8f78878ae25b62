/** A daemon's life: it ends well on signals and `stop`, starts again as it was, and tells why when it cannot start. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { Agent, get } from "node:http"
import { createServer } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { startDaemon } from "../layers/RunningDaemon.ts"
import { attempt, makeCallers, rowsOf } from "./Callers.ts"
import { bytesOf, commitRequest, running, temporaryHome, treemarkd } from "./Treemarkd.ts"

/** A connection that stays open and idle. */
const idle = (url: string, agent: Agent) =>
  Effect.callback<void, Error>((resume) => {
    get(`${url}/health`, { agent }, (incoming) => {
      incoming.resume()
      incoming.on("end", () => resume(Effect.void))
    }).on("error", (error) => resume(Effect.fail(error)))
  })

describe("a daemon's life", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it.live(`${signal} lets commits in flight be answered with 200, ends idle connections and exits 0`, () =>
      Effect.gen(function* () {
        const daemon = yield* startDaemon()
        const callers = yield* makeCallers(daemon, 4, "5")
        const asset = yield* daemon.register(bytesOf(signal))
        const agent = yield* Effect.acquireRelease(
          Effect.sync(() => new Agent({ keepAlive: true })),
          (opened) => Effect.sync(() => opened.destroy())
        )
        yield* Effect.forEach([...callers, ...callers], () => idle(daemon.url, agent), { concurrency: "unbounded" })
        const inFlight = yield* Effect.forkChild(
          Effect.forEach(callers, (caller) => attempt(daemon, caller, asset, `${signal} ${caller.name}`, agent), {
            concurrency: "unbounded"
          })
        )
        const underWay = Effect.sync(() => rowsOf(daemon.home, "SELECT id FROM commit_job").length)
        yield* underWay.pipe(Effect.delay("1 millis"), Effect.repeat({ until: (count) => count > 0 }))
        assert.isUndefined(inFlight.pollUnsafe(), "the commits were answered before the signal")
        const startedAt = performance.now()
        const ended = yield* daemon.kill(signal)
        const answers = yield* Fiber.join(inFlight)
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [200, 200, 200, 200]
        )
        assert.deepStrictEqual(ended, { code: 0, signal: null })
        assert.isBelow(performance.now() - startedAt, 4_500, "it waited for connections that had nothing to do")
        assert.isFalse(existsSync(join(daemon.home, "daemon.json")))
        assert.isFalse(existsSync(join(daemon.home, "treemarkd.sock")))
      })
    )
  }

  it.live("a restart leaves accounts, credits, assets, both ledgers' history and /ipfs as they were", () =>
    Effect.gen(function* () {
      const daemon = yield* startDaemon()
      const [caller] = yield* makeCallers(daemon, 1, "5")
      const headers = { authorization: `token ${caller!.token}` }
      const asset = yield* daemon.register(bytesOf("restart"), "text/plain")
      const commit = (testnet: boolean) => daemon.call("/commit", { headers, body: commitRequest(asset, { testnet }) })
      const main = (yield* commit(false)).json()
      const test = (yield* commit(true)).json()
      const world = Effect.gen(function* () {
        const texts = yield* Effect.forEach(
          [
            "/account",
            `/assets/${asset.assetCid}/commits`,
            `/ipfs/${asset.assetCid}`,
            `/ipfs/${String(main.assetTreeCid)}?format=raw`,
            new URL(String(main.explorer)).pathname,
            new URL(String(test.explorer)).pathname
          ],
          (path) => Effect.map(daemon.call(path, { headers }), ({ status, text }) => ({ path, status, text }))
        )
        const receipts = yield* Effect.forEach(["mainnet", "testnet"], (role) =>
          daemon.call(`/rpc/${role}`, {
            body: {
              jsonrpc: "2.0",
              id: 1,
              method: "eth_getTransactionReceipt",
              params: [role === "mainnet" ? main.txHash : test.txHash]
            }
          })
        )
        return { texts, receipts: receipts.map(({ text }) => text), account: yield* daemon.showAccount(caller!.name) }
      })
      const before = yield* world
      assert.deepStrictEqual(
        before.texts.map(({ status }) => status),
        [200, 200, 200, 200, 200, 200]
      )
      for (const receipt of before.receipts) assert.include(receipt, '"status":"0x1"')
      yield* daemon.restart()
      assert.deepStrictEqual(yield* world, before)
      assert.strictEqual((yield* commit(false)).status, 200)
    })
  )

  it.live("what kill -9 leaves behind does not stop the next start, nor commands in between", () =>
    Effect.gen(function* () {
      const daemon = yield* startDaemon()
      yield* daemon.createAccount({ name: "left", credits: "3" })
      yield* daemon.kill("SIGKILL")
      assert.isTrue(existsSync(join(daemon.home, "treemarkd.sock")))
      assert.isTrue(existsSync(join(daemon.home, "daemon.json")))
      const status = yield* treemarkd(["status"], daemon)
      assert.strictEqual(status.code, 69)
      const shown = yield* treemarkd(["account", "show", "left", "--json"], daemon)
      assert.deepInclude(shown.json(), { credits: "3" })
      yield* daemon.restart()
      assert.deepInclude(yield* daemon.showAccount("left"), { credits: "3" })
    })
  )

  it.live("a second daemon on the same data folder, and one on a taken port, say so and exit with 69", () =>
    Effect.gen(function* () {
      const daemon = yield* startDaemon()
      const second = yield* treemarkd(["start", "--port", "0", "--json"], daemon)
      assert.strictEqual(second.code, 69)
      assert.match(second.stderr, /in use by another treemarkd \(process \d+\)/)
      assert.deepInclude(second.json(), { error: { code: "store_locked", message: second.stderr.trimEnd() } })
      assert.strictEqual((yield* daemon.call("/health")).status, 200)

      const home = yield* temporaryHome
      const port = yield* Effect.acquireRelease(
        Effect.callback<{ readonly number: number; readonly close: () => void }>((resume) => {
          const taken = createServer()
          taken.listen(0, "127.0.0.1", () => {
            const address = taken.address()
            const number = typeof address === "object" && address !== null ? address.port : 0
            resume(Effect.succeed({ number, close: () => taken.close() }))
          })
        }),
        ({ close }) => Effect.sync(close)
      )
      const refused = yield* treemarkd(["start", "--port", String(port.number)], { home })
      assert.deepStrictEqual([refused.code, refused.stdout], [69, ""])
      assert.match(refused.stderr, new RegExp(`^127\\.0\\.0\\.1:${port.number} cannot be listened on: another program`))
    })
  )

  it.live("settings that cannot be used end start with 78 and name the setting, never a secret's value", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const start = (env: Record<string, string>, ...args: ReadonlyArray<string>) =>
        treemarkd(["start", "--json", ...args], { home, env })
      const cases = [
        [start({}, "--port", "70000"), /port must be a port/],
        [start({}, "--profile", "nowhere"), /no profile of that name/],
        [start({ TREEMARK_DATABASE_URL: "postgres://u:hunter2@h/d" }, "--port", "x"), /port must be/]
      ] as const
      for (const [run, says] of cases) {
        const { code, json, stderr } = yield* run
        assert.strictEqual(code, 78, stderr)
        assert.match(stderr, says)
        assert.notInclude(stderr, "hunter2")
        assert.deepInclude(json(), { error: { code: "settings", message: stderr.trimEnd() } })
      }
      writeFileSync(join(home, "treemark.toml"), 'seed_pasword = "hunter2"\n')
      const unknown = yield* start({})
      assert.strictEqual(unknown.code, 78)
      assert.match(unknown.stderr, /treemark\.toml\): unknown key seed_pasword/)
      assert.notInclude(unknown.stderr, "hunter2")
      assert.isFalse(existsSync(join(home, "treemark.db")))
    })
  )

  it.live("a data folder whose path is too long for a socket works like any other", () =>
    Effect.gen(function* () {
      const home = join(yield* temporaryHome, "a".repeat(60), "b".repeat(60))
      const daemon = yield* running(["start", "--port", "0", "--json"], { home })
      const status = yield* treemarkd(["status", "--json"], { home })
      assert.strictEqual(status.code, 0, status.stderr)
      const { socket } = JSON.parse(readFileSync(join(home, "daemon.json"), "utf8")) as { readonly socket: string }
      assert.isBelow(socket.length, 108)
      assert.strictEqual(statSync(socket).mode & 0o777, 0o600)
      assert.strictEqual((yield* treemarkd(["stop"], { home })).code, 0)
      assert.deepStrictEqual(yield* daemon.ended, { code: 0, signal: null })
      assert.isFalse(existsSync(socket))
    })
  )
})
