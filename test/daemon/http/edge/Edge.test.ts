/** What surrounds every route: names and origins, paths and methods, headers, rates, listeners of one operation. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Allowed } from "../../../../packages/daemon/src/http/edge/HostGuard.ts"
import { Rates } from "../../../../packages/daemon/src/http/edge/RateLimit.ts"
import { ASSET_CID, ASSET_SHA256, TOKEN, WALLET } from "../../../layers/DaemonServices.ts"
import { assertProblem, call, start } from "../../../layers/HttpFixture.ts"

const BALANCE = JSON.stringify({ wallet: WALLET })

describe("host and origin", () => {
  const from = (port: number, headers: Readonly<Record<string, string>>) =>
    call(port, "/balance/mainnet", { body: BALANCE, headers })

  it.live("loopback names with any port are served, every other Host is 403 host_not_allowed", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const host of ["127.0.0.1", "localhost:9", "LOCALHOST", "127.9.9.9:80", "[::1]:7053"]) {
        assert.strictEqual((yield* from(port, { host })).status, 200, host)
      }
      for (const host of [
        "evil.example",
        `evil.example:${port}`,
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "2130706433",
        "user@localhost",
        "[::2]",
        "192.168.0.1"
      ]) {
        assertProblem(yield* from(port, { host }), 403, "host_not_allowed")
      }
    }).pipe(Effect.scoped)
  )

  it.live("an Origin has to be this server, else 403 origin_not_allowed; without CORS headers either way", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `http://[::1]:${port}`]) {
        const answer = yield* from(port, { origin })
        assert.strictEqual(answer.status, 200, origin)
        assert.isUndefined(answer.headers["access-control-allow-origin"])
      }
      for (const origin of [
        "https://evil.example",
        "null",
        "http://localhost:1",
        `http://evil.example:${port}`,
        "file://"
      ]) {
        const answer = yield* from(port, { origin })
        assertProblem(answer, 403, "origin_not_allowed")
        assert.isUndefined(answer.headers["access-control-allow-origin"])
      }
    }).pipe(Effect.scoped)
  )

  it.live("the guard stands before every path, known or not", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const path of ["/", "/health", "/nothing", "/commit", "/ipfs/x", "/openapi.json"]) {
        assertProblem(yield* call(port, path, { headers: { host: "evil.example" } }), 403, "host_not_allowed")
      }
    }).pipe(Effect.scoped)
  )

  it.live("configured hosts and origins are served, and pages of a configured origin may read the answer", () =>
    Effect.gen(function* () {
      const references = Context.make(Allowed, { hosts: ["tree.example"], origins: ["https://app.example"] })
      const { port } = yield* start({ references })
      const answer = yield* from(port, { host: "tree.example:8443", origin: "https://app.example" })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["access-control-allow-origin"], "https://app.example")
      const preflight = yield* call(port, "/commit", {
        method: "OPTIONS",
        headers: { origin: "https://app.example", "access-control-request-method": "POST" }
      })
      assert.strictEqual(preflight.status, 204)
      const listOf = (header: string | undefined) => header?.split(", ") ?? []
      assert.includeMembers(listOf(preflight.headers["access-control-allow-headers"]), [
        "authorization",
        "cache-control",
        "if-none-match",
        "prefer",
        "range"
      ])
      assert.includeMembers(listOf(answer.headers["access-control-expose-headers"]), [
        "content-range",
        "etag",
        "x-ipfs-path",
        "x-ipfs-roots",
        "x-request-id"
      ])
      assertProblem(
        yield* from(port, { host: "tree.example", origin: "https://other.example" }),
        403,
        "origin_not_allowed"
      )
    }).pipe(Effect.scoped)
  )
})

describe("what a cache may give to another page", () => {
  it.live("says that it depends on the origin, with one and without, beside what else it depends on", () =>
    Effect.gen(function* () {
      const references = Context.make(Allowed, { hosts: [], origins: ["https://app.example"] })
      const { port } = yield* start({ references })
      const body = JSON.stringify({
        encodingFormat: "image/png",
        assetCid: ASSET_CID,
        assetTimestampCreated: 1,
        assetCreator: "A",
        assetSha256: ASSET_SHA256
      })
      const headers = { authorization: `token ${TOKEN}` }
      const { assetTreeCid } = (yield* call(port, "/commit", { body, headers })).json()
      for (const asked of [{}, { origin: "https://app.example" }]) {
        const answer = yield* call(port, `/ipfs/${assetTreeCid}`, { headers: asked })
        assert.strictEqual(answer.headers.vary, "accept, origin")
        assert.strictEqual(answer.headers["access-control-allow-origin"], "origin" in asked ? asked.origin : undefined)
        const known = { ...asked, "if-none-match": answer.headers.etag ?? "" }
        const unchanged = yield* call(port, `/ipfs/${assetTreeCid}`, { headers: known })
        assert.deepStrictEqual([unchanged.status, unchanged.headers.vary], [304, "accept, origin"])
        assert.strictEqual((yield* call(port, "/version", { headers: asked })).headers.vary, "origin")
      }
    }).pipe(Effect.scoped)
  )
})

describe("paths and methods", () => {
  it.live("a browser that asks for an unknown page gets a page, under a policy that lets nothing run", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const accept = "text/html,application/xhtml+xml,*/*;q=0.8"
      for (const path of ["/nothing", "/explorer/nothing", "/commit/more"]) {
        const answer = yield* call(port, path, { headers: { accept } })
        assert.strictEqual(answer.status, 404)
        assert.strictEqual(answer.headers["content-type"], "text/html; charset=utf-8")
        assert.match(String(answer.headers["content-security-policy"]), /^default-src 'none'; style-src/)
        assertProblem(yield* call(port, path, { method: "POST", headers: { accept } }), 404, "not_found")
      }
    }).pipe(Effect.scoped)
  )

  it.live("an unknown path is 404 not_found, whatever the method", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const path of [
        "/nothing",
        "/commit/more",
        "//commit",
        "/COMMIT",
        "/%zz",
        "/balance",
        "/rpc/mainnet",
        `/explorer/mainnet/tx/0x${"7a".repeat(32)}`
      ]) {
        for (const method of ["GET", "POST", "DELETE", "PROPFIND"]) {
          assertProblem(yield* call(port, path, { method }), 404, "not_found")
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("a wrong method is 405 method_not_allowed with Allow, on every path", () =>
    Effect.gen(function* () {
      const { port } = yield* start({ local: true })
      const allowed = {
        "/balance/mainnet": "OPTIONS, POST",
        "/balance/all-networks/": "OPTIONS, POST",
        "/commit": "OPTIONS, POST",
        "/assets": "GET, HEAD, OPTIONS, POST",
        "/account": "GET, HEAD, OPTIONS",
        "/ready": "GET, HEAD, OPTIONS",
        "/ipfs/bafy": "GET, HEAD, OPTIONS",
        "/ipfs/bafy/a/b": "GET, HEAD, OPTIONS",
        "/docs": "GET, HEAD, OPTIONS",
        "/rpc/testnet": "OPTIONS, POST",
        "/explorer/testnet/tx/0x1": "GET, HEAD, OPTIONS"
      }
      for (const [path, allow] of Object.entries(allowed)) {
        const answer = yield* call(port, path, { method: "DELETE" })
        assertProblem(answer, 405, "method_not_allowed")
        assert.strictEqual(answer.headers.allow, allow, path)
        assert.strictEqual((yield* call(port, path, { method: "OPTIONS" })).headers.allow, allow)
      }
      for (const method of ["GET", "PUT", "PATCH", "TRACE", "SEARCH"]) {
        assertProblem(yield* call(port, "/commit", { method }), 405, "method_not_allowed")
      }
    }).pipe(Effect.scoped)
  )

  it.live("HEAD is GET without the body", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const head = yield* call(port, "/health", { method: "HEAD" })
      assert.strictEqual(head.status, 200)
      assert.strictEqual(head.text, "")
      assert.strictEqual((yield* call(port, "/commit", { method: "HEAD" })).status, 405)
    }).pipe(Effect.scoped)
  )
})

describe("headers", () => {
  it.live("every answer has an id of its own, and headers that keep browsers from guessing and framing", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const ids = new Set<string>()
      for (const path of ["/health", "/nothing", "/commit"]) {
        const { headers } = yield* call(port, path)
        ids.add(String(headers["x-request-id"]))
        assert.match(String(headers["x-request-id"]), /^req_[0-9a-f]{32}$/)
        assert.strictEqual(headers["x-content-type-options"], "nosniff")
        assert.strictEqual(headers["x-frame-options"], "DENY")
        assert.strictEqual(headers["cache-control"], "no-store")
        assert.include(headers["content-security-policy"], "default-src 'none'")
      }
      assert.strictEqual(ids.size, 3)
    }).pipe(Effect.scoped)
  )
})

describe("rates", () => {
  it.live("past the burst of an address: 429 too_many_requests with Retry-After, and served again after it", () =>
    Effect.gen(function* () {
      const references = Context.make(Rates, {
        address: { perSecond: 2, burst: 3 },
        account: { perSecond: 1_000, burst: 1_000 }
      })
      const { port } = yield* start({ references })
      for (let i = 0; i < 3; i++) assert.strictEqual((yield* call(port, "/health")).status, 200)
      const refused = yield* call(port, "/health")
      assertProblem(refused, 429, "too_many_requests")
      assert.strictEqual(refused.headers["retry-after"], "1")
      yield* Effect.sleep("1 second")
      assert.strictEqual((yield* call(port, "/health")).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("past the burst of an account its calls are refused, those without a token are not", () =>
    Effect.gen(function* () {
      const references = Context.make(Rates, {
        address: { perSecond: 1_000, burst: 1_000 },
        account: { perSecond: 0.1, burst: 1 }
      })
      const { port } = yield* start({ references })
      const paid = () =>
        call(port, "/balance/all-networks", { body: BALANCE, headers: { authorization: `token ${TOKEN}` } })
      assert.strictEqual((yield* paid()).status, 200)
      const refused = yield* paid()
      assertProblem(refused, 429, "too_many_requests")
      assert.strictEqual(refused.headers["retry-after"], "10")
      assert.strictEqual((yield* call(port, "/balance/mainnet", { body: BALANCE })).status, 200)
    }).pipe(Effect.scoped)
  )
})

describe("a listener of one operation", () => {
  it.live("answers at / what the main listener answers at its path, and nothing else", () =>
    Effect.gen(function* () {
      const mainnet = yield* start({ operation: "balance-mainnet" })
      const answer = yield* call(mainnet.port, "/", { body: BALANCE })
      assert.deepStrictEqual(answer.json(), { balance: "1.5000" })
      assert.strictEqual((yield* call(mainnet.port, "/?a=b", { body: BALANCE })).status, 200)
      for (const path of ["/balance/mainnet", "/health", "/docs", "/commit", "//"]) {
        assertProblem(yield* call(mainnet.port, path, { body: BALANCE }), 404, "not_found")
      }
      const wrong = yield* call(mainnet.port, "/")
      assertProblem(wrong, 405, "method_not_allowed")
      assert.strictEqual(wrong.headers.allow, "OPTIONS, POST")
    }).pipe(Effect.scoped)
  )

  it.live("the paid operations ask for the token there as well", () =>
    Effect.gen(function* () {
      for (const operation of ["balance-all-networks", "commit"] as const) {
        const { port } = yield* start({ operation })
        assertProblem(yield* call(port, "/", { body: "{" }), 401, "missing_token")
        const headers = { authorization: `token ${TOKEN}` }
        assertProblem(yield* call(port, "/", { body: "{", headers }), 400, "malformed_json")
        assertProblem(
          yield* call(port, "/", { body: "{}", headers: { ...headers, host: "evil" } }),
          403,
          "host_not_allowed"
        )
      }
    }).pipe(Effect.scoped)
  )
})
