/**
 * SIGTERM and SIGINT while something is under way that ends late or never: what can end is answered, what cannot is told and cut off
 * within the grace period, the process exits 0, and a second signal ends it at once.
 */
import { Agent, request } from "node:http"
import { createServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { attempt, makeCallers, rowsOf } from "../end-to-end/Callers.ts"
import { bytesOf } from "../end-to-end/Treemarkd.ts"
import { startDaemon } from "../layers/RunningDaemon.ts"

const GRACE = 1_000
/** The grace period, what closing takes, and a busy machine. */
const AT_MOST = GRACE + 60_000
/** Sooner than this, a second signal is the first one, which npm hands on beside the terminal. */
const ANOTHER_KEY = "300 millis"
const grace = { args: ["--shutdown-grace", `${GRACE} millis`] }

/** `5b600056`: a jump to itself, until gas or somebody ends it. */
const ENDLESS = { jsonrpc: "2.0", id: 1, method: "eth_call", params: [{ data: "0x5b600056", gas: "0xffffffffff" }] }

/** A node that takes connections and never answers. */
const silentNode = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly asked: () => boolean; readonly close: () => void }>((resume) => {
    const sockets = new Set<Socket>()
    let asked = false
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("data", () => {
        asked = true
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : 0
      const close = () => {
        for (const socket of sockets) socket.destroy()
        server.close()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, asked: () => asked, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const settingsWith = (node: string) => `
profile = "slow"
rpc_timeout = "60 seconds"
[profiles.slow]
base = "local"
[[profiles.slow.networks]]
kind = "erc20"
name = "Silent"
chain_id = 4242
rpc = "${node}"
token = "0x0000000000000000000000000000000000000001"
decimals = 18
`

/** Begins an upload and never ends it. */
const endlessUpload = (url: string, token: string) =>
  Effect.callback<number | string>((resume) => {
    const outgoing = request(
      `${url}/assets`,
      { method: "POST", agent: false, headers: { authorization: `token ${token}`, "content-type": "image/png" } },
      (incoming) => {
        incoming.resume()
        resume(Effect.succeed(incoming.statusCode ?? 0))
      }
    )
    const more = setInterval(() => outgoing.write("more"), 50)
    outgoing.on("error", ({ message }) => resume(Effect.succeed(message)))
    outgoing.on("close", () => clearInterval(more))
    return Effect.sync(() => outgoing.destroy())
  })

const until = (isSo: () => boolean) =>
  Effect.sync(isSo).pipe(Effect.delay("5 millis"), Effect.repeat({ until: (found) => found }))

describe("told to stop", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it.live(
      `${signal} during a call whose node never answers: 503 with what to do, exit 0 within the grace period`,
      () =>
        Effect.gen(function* () {
          const node = yield* silentNode
          const daemon = yield* startDaemon({ ...grace, settings: settingsWith(node.url) })
          const { account, token } = yield* daemon.createAccount({ name: "waiting", credits: "1" })
          const asked = yield* Effect.forkChild(
            daemon.call("/balance/all-networks", {
              headers: { authorization: `token ${token}` },
              body: { wallet: account.wallet }
            })
          )
          yield* until(node.asked)
          const startedAt = performance.now()
          const ended = yield* daemon.kill(signal)
          assert.deepStrictEqual(ended, { code: 0, signal: null })
          assert.isBelow(performance.now() - startedAt, AT_MOST)
          const answer = yield* Fiber.join(asked)
          assert.deepInclude(answer.json(), { status: 503, code: "not_ready" })
          assert.strictEqual(answer.headers.connection, "close")
          yield* daemon.restart()
          assert.deepInclude(yield* daemon.showAccount("waiting"), { credits: "1" })
        })
    )

    it.live(`${signal} twice ends it at once, whatever is under way`, () =>
      Effect.gen(function* () {
        const node = yield* silentNode
        const daemon = yield* startDaemon({
          args: ["--shutdown-grace", "5 minutes"],
          settings: settingsWith(node.url)
        })
        const { account, token } = yield* daemon.createAccount({ name: "waiting", credits: "1" })
        yield* Effect.forkChild(
          Effect.exit(
            daemon.call("/balance/all-networks", {
              headers: { authorization: `token ${token}` },
              body: { wallet: account.wallet }
            })
          )
        )
        yield* until(node.asked)
        const first = yield* Effect.forkChild(daemon.kill(signal))
        yield* until(() => daemon.log().includes("was told to stop"))
        yield* Effect.sleep(ANOTHER_KEY)
        const startedAt = performance.now()
        yield* daemon.kill(signal)
        assert.deepStrictEqual(yield* Fiber.join(first), { code: signal === "SIGTERM" ? 143 : 130, signal: null })
        assert.isBelow(performance.now() - startedAt, 60_000)
      })
    )
  }

  it.live("during an upload that does not end, and endless calls of the embedded chain: cut off, exit 0 in time", () =>
    Effect.gen(function* () {
      const daemon = yield* startDaemon(grace)
      const { token } = yield* daemon.createAccount({ name: "uploading" })
      const upload = yield* Effect.forkChild(endlessUpload(daemon.url, token))
      yield* Effect.forkChild(
        Effect.exit(daemon.call("/rpc/mainnet", { body: Array.from({ length: 100 }, () => ENDLESS) }))
      )
      yield* Effect.sleep("300 millis")
      const startedAt = performance.now()
      assert.deepStrictEqual(yield* daemon.kill("SIGTERM"), { code: 0, signal: null })
      assert.isBelow(performance.now() - startedAt, AT_MOST)
      assert.strictEqual(yield* Fiber.join(upload), 503)
    })
  )

  it.live("32 commits in flight are all answered, and what comes after the signal on an open connection is 503", () =>
    Effect.gen(function* () {
      const daemon = yield* startDaemon()
      const [caller] = yield* makeCallers(daemon, 1, "50")
      const asset = yield* daemon.register(bytesOf("signals"))
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1 })),
        (opened) => Effect.sync(() => opened.destroy())
      )
      const commit = (n: number, through?: Agent) => attempt(daemon, caller!, asset, `commit ${n}`, through)
      const inFlight = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 32 }, (_, n) => n),
          (n) => commit(n),
          { concurrency: "unbounded" }
        )
      )
      const underWay = Effect.sync(() => rowsOf(daemon.home, "SELECT id FROM commit_job").length)
      yield* underWay.pipe(Effect.delay("1 millis"), Effect.repeat({ until: (count) => count === 32 }))
      const held = yield* Effect.forkChild(commit(100, agent))
      const after = yield* Effect.forkChild(commit(101, agent))
      yield* Effect.sleep("20 millis")
      assert.deepStrictEqual(yield* daemon.kill("SIGTERM"), { code: 0, signal: null })
      const answers = yield* Fiber.join(inFlight)
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
      assert.include([200, 503, undefined], (yield* Fiber.join(held)).status)
      assert.include([503, undefined], (yield* Fiber.join(after)).status)
      yield* daemon.restart()
      const spent = rowsOf(daemon.home, "SELECT id FROM commit_job").length
      assert.isAtLeast(spent, 32)
    })
  )
})
