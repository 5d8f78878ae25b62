/**
 * interface.md, "Errors", with the statuses and codes of decisions.md, section 7, on every path. Not here: 429 needs more calls in
 * a second than a test should make, and `commit_pending` and `internal` need faults that a healthy daemon does not have.
 */
import { connect } from "node:net"
import { DatabaseSync } from "node:sqlite"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { RunningDaemon } from "../layers/RunningDaemon.ts"
import {
  ALL_NETWORKS,
  assertProblem,
  authorized,
  COMMIT,
  MAINNET,
  openStudio,
  pathsOf,
  Studio,
  withStudio
} from "./Studio.ts"

const WALLET = { wallet: "0x000000000000000000000000000000000000dEaD" }
const UNREGISTERED = "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m"
const UNKNOWN_HASH = `0x${"ab".repeat(32)}`

/** Requests that end in an error on each path of the main listener, and on paths that do not exist. */
const REFUSED = [
  ["POST", MAINNET, 400],
  ["POST", ALL_NETWORKS, 401],
  ["POST", COMMIT, 401],
  ["POST", "/assets", 401],
  ["GET", "/account", 401],
  ["GET", "/assets/not-a-cid/commits", 400],
  ["GET", `/assets/${UNREGISTERED}/commits?testnet=perhaps`, 400],
  ["GET", "/ipfs/not-a-cid", 400],
  ["GET", `/ipfs/${UNREGISTERED}`, 404],
  ["GET", `/ipfs/${UNREGISTERED}?format=tar`, 400],
  ["GET", `/explorer/mainnet/tx/${UNKNOWN_HASH}`, 404],
  ["GET", "/explorer/testnet/tx/x", 404],
  ["DELETE", "/account", 405],
  ["GET", "/rpc/mainnet", 405],
  ["POST", "/health", 405],
  ["POST", "/ready", 405],
  ["POST", "/docs", 405],
  ["POST", "/", 405],
  ["GET", "/favicon.png", 404],
  ["POST", "/balance", 404],
  ["DELETE", "/commits", 405],
  ["GET", "/rpc/devnet", 404],
  ["GET", "/../../etc/passwd", 404],
  ["GET", "/%00", 404],
  ["GET", "/%zz", 404],
  ["TRACE", "/commit", 405]
] as const

/** Sends `text` on a connection of its own and answers what came back until the daemon closed it. */
const exchange = (url: string, text: string) =>
  Effect.callback<string, Error>((resume) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(text))
    let received = ""
    socket.on("data", (part) => (received += part.toString("utf8")))
    socket.on("close", () => resume(Effect.succeed(received)))
    socket.on("error", (error) => resume(Effect.fail(error)))
    return Effect.sync(() => socket.destroy())
  })

withStudio({}, undefined, { concurrent: true })("interface.md, Errors", (it) => {
  it.effect(
    "every error on every path, unknown ones included, is application/problem+json with a requestId of its own",
    () =>
      Effect.gen(function* () {
        const { call } = yield* RunningDaemon
        const ids = new Set<string>()
        for (const [method, path, status] of REFUSED) {
          const answer = yield* call(path, { method, ...(method === "POST" ? { body: {} } : {}) })
          assert.strictEqual(answer.status, status, `${method} ${path}: ${answer.text}`)
          ids.add(assertProblem(answer, status, String(answer.json().code)).requestId)
          assert.notMatch(answer.text, /node_modules|\.ts:|at async/)
        }
        assert.strictEqual(ids.size, REFUSED.length)
      })
  )

  it.effect('"400 | Bad Request": malformed_json says where the JSON breaks off', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      for (const path of [MAINNET, ALL_NETWORKS, COMMIT]) {
        for (const body of [
          "",
          "{",
          '{"wallet":}',
          "{'wallet':1}",
          "{} {}",
          "\ufeff{}",
          '{"a":1,"a":2}',
          "NaN",
          "[1,]"
        ]) {
          const problem = yield* studio.refused(studio.post(path, body), 400, "malformed_json")
          assert.match(problem.detail, /line \d+, column \d+/, body)
        }
        const notUtf8 = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
        assert.include((yield* studio.refused(studio.post(path, notUtf8), 400, "malformed_json")).detail, "UTF-8")
      }
    })
  )

  it.effect('"400 | Bad Request": asset_not_registered names the asset and says how to register it', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const answer = studio.post(COMMIT, studio.request({ assetCid: UNREGISTERED }))
      const problem = yield* studio.refused(answer, 400, "asset_not_registered")
      assert.include(problem.detail, UNREGISTERED)
      assert.include(problem.detail, "treemarkd asset register")
      assert.notProperty(problem, "errors")
    })
  )

  it.effect('"403 | Forbidden": host_not_allowed for a name that is not this service\'s, on every path', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      for (const path of [MAINNET, ALL_NETWORKS, COMMIT, "/account", "/docs", "/nowhere"]) {
        for (const host of ["evil.example", "evil.example:7053", "127.0.0.1.evil.example", "localhost.evil.example"]) {
          const answer = studio.daemon.call(path, { method: "POST", body: WALLET, headers: { host } })
          yield* studio.refused(answer, 403, "host_not_allowed")
        }
      }
      const { port } = new URL(studio.daemon.url)
      for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, "LOCALHOST"]) {
        assert.strictEqual((yield* studio.post(MAINNET, WALLET, { host })).status, 200, host)
      }
    })
  )

  it.effect('"403 | Forbidden": origin_not_allowed for a page of another site, on every path', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      for (const path of [MAINNET, ALL_NETWORKS, COMMIT, "/account", "/docs", "/nowhere"]) {
        for (const origin of ["https://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1:1"]) {
          yield* studio.refused(studio.post(path, WALLET, { origin }), 403, "origin_not_allowed")
        }
      }
      assert.strictEqual((yield* studio.post(MAINNET, WALLET, { origin: studio.daemon.url })).status, 200)
    })
  )

  it.effect("413 is answered before the body is read whole, with or without a token", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const body = JSON.stringify({ wallet: "0".repeat(70_000) })
      for (const path of [MAINNET, ALL_NETWORKS, COMMIT]) {
        yield* studio.refused(studio.post(path, body), 413, "payload_too_large")
        yield* studio.refused(studio.daemon.call(path, { body }), 413, "payload_too_large")
      }
    })
  )

  it.effect("408: a body that does not arrive within 10 s is given up, and free", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const before = yield* studio.state
      const head = `POST ${COMMIT} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: token ${studio.token}\r\n`
      const text = `${head}content-type: application/json\r\ncontent-length: 500\r\n\r\n{"assetCid":`
      const received = yield* exchange(studio.daemon.url, text)
      assert.match(received, /^HTTP\/1\.1 408 /)
      assert.include(received, '"code":"request_timeout"')
      assert.deepStrictEqual(yield* studio.state, before)
    })
  )

  it.effect("what is no HTTP at all is 400 bad_request, as a problem", () =>
    Effect.gen(function* () {
      const { url } = yield* RunningDaemon
      const received = yield* exchange(url, "HELLO\r\n\r\n")
      assert.match(received, /^HTTP\/1\.1 400 /)
      assert.match(received, /content-type: application\/problem\+json/i)
      assert.include(received, '"code":"bad_request"')
    })
  )

  it.effect("checks run in this order: host and origin, size, token, JSON, fields, registration, funds", () =>
    Effect.gen(function* () {
      const studio = yield* openStudio({ credits: "0" })
      const tooLong = " ".repeat(70_000)
      const good = studio.request()
      const token = authorized(studio.token)
      const evil = { host: "evil.example", origin: "https://evil.example" }
      const broken = '{"assetCid":'
      const twoFaults = { ...good, assetCid: UNREGISTERED, assetCreator: 1 }
      for (const [headers, body, status, code] of [
        [evil, broken + tooLong, 403, "host_not_allowed"],
        [{ origin: evil.origin }, broken + tooLong, 403, "origin_not_allowed"],
        [{}, broken + tooLong, 413, "payload_too_large"],
        [{}, broken, 401, "missing_token"],
        [authorized("x"), broken, 401, "invalid_token"],
        [token, broken, 400, "malformed_json"],
        [token, twoFaults, 400, "invalid_fields"],
        [token, { ...good, assetCid: UNREGISTERED }, 400, "asset_not_registered"],
        [token, { ...good, assetSha256: "0".repeat(64) }, 400, "invalid_fields"],
        [token, good, 403, "insufficient_funds"]
      ] as const) {
        const problem = yield* studio.refused(studio.daemon.call(COMMIT, { headers, body }), status, code)
        if (body === twoFaults) assert.deepStrictEqual(pathsOf(problem), ["/assetCreator"])
      }
    })
  )
})

const DEAD = "http://127.0.0.1:1"
const WITH_A_DEAD_TESTNET = `
profile = "half"
[profiles.half]
base = "local"
[profiles.half.testnet]
name = "Dead testnet"
chain_id = 7053002
rpc = "${DEAD}"
contract = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
explorer = "${DEAD}/tx/HASH"
`

withStudio({}, { settings: WITH_A_DEAD_TESTNET })("interface.md, Errors, while a network does not answer", (it) => {
  it.effect('"500 | Internal Server Error": ledger_unavailable names the network, and nothing is charged', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      for (const answer of [
        studio.post(ALL_NETWORKS, WALLET),
        studio.post(COMMIT, studio.request({ testnet: true }))
      ]) {
        const problem = yield* studio.refused(answer, 500, "ledger_unavailable")
        assert.include(problem.detail, "Dead testnet")
      }
    })
  )

  it.effect("the network that does answer is served", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      yield* studio.commit()
      assert.strictEqual((yield* studio.post(MAINNET, WALLET)).status, 200)
    })
  )

  it.effect("GET /ready is not 200 while one of the operations cannot be served", () =>
    Effect.gen(function* () {
      const { call } = yield* RunningDaemon
      assertProblem(yield* call("/ready"), 503, "not_ready")
    })
  )

  it.effect(
    '"500 | Internal Server Error": storage_unavailable, what was held is given back, and later calls work',
    () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        const store = new DatabaseSync(`${studio.daemon.home}/treemark.db`, { timeout: 5_000 })
        store.exec("CREATE TRIGGER refuse BEFORE INSERT ON asset_tree BEGIN SELECT RAISE(ABORT, 'no room'); END")
        const answer = studio.post(COMMIT, studio.request({ headline: "not stored" }))
        yield* studio.refused(answer, 500, "storage_unavailable")
        store.exec("DROP TRIGGER refuse")
        store.close()
        yield* studio.commit({ headline: "not stored" })
      })
  )
})
