/** The order of checks (decisions.md, section 7): host and origin, size, token, JSON, fields, registration, funds. */
import { assert, describe, it } from "@effect/vitest"
import { amount } from "@treemark/core"
import { Effect } from "effect"
import { ASSET_CID, ASSET_SHA256, DISABLED_TOKEN, TOKEN, WALLET } from "../../../layers/DaemonServices.ts"
import { assertProblem, type Call, call, start } from "../../../layers/HttpFixture.ts"

const LIMIT = 65_536
const BALANCE = JSON.stringify({ wallet: WALLET })
const UNREGISTERED = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"

/** A request that breaks every check at once; each step of the ladder mends one. */
const ladder = () => {
  const fields = { encodingFormat: "image/png", assetTimestampCreated: 1, assetCreator: "A", assetSha256: ASSET_SHA256 }
  const good = { host: "127.0.0.1:1", authorization: `token ${TOKEN}` }
  const tooLarge = `[${" ".repeat(LIMIT)}`
  const steps: ReadonlyArray<readonly [status: number, code: string, request: Call]> = [
    [403, "host_not_allowed", { headers: { host: "evil.example", "content-type": "text/plain" }, body: tooLarge }],
    [413, "payload_too_large", { headers: { host: good.host, "content-type": "text/plain" }, body: tooLarge }],
    [401, "missing_token", { headers: { host: good.host, "content-type": "text/plain" }, body: "[" }],
    [415, "unsupported_media_type", { headers: { ...good, "content-type": "text/plain" }, body: "[" }],
    [400, "malformed_json", { headers: good, body: "[" }],
    [400, "invalid_fields", { headers: good, body: JSON.stringify({ assetCid: UNREGISTERED }) }],
    [400, "asset_not_registered", { headers: good, body: JSON.stringify({ ...fields, assetCid: UNREGISTERED }) }],
    [403, "insufficient_funds", { headers: good, body: JSON.stringify({ ...fields, assetCid: ASSET_CID }) }]
  ]
  return steps
}

describe("order of checks", () => {
  it.live("a request that breaks many rules is refused for the first of them", () =>
    Effect.gen(function* () {
      const { port } = yield* start({ ports: { funds: amount(1n) } })
      for (const [status, code, request] of ladder()) {
        assertProblem(yield* call(port, "/commit", request), status, code)
      }
    }).pipe(Effect.scoped)
  )
})

describe("token", () => {
  const withAuthorization = (port: number, authorization?: string) =>
    call(port, "/balance/all-networks", {
      body: BALANCE,
      headers: authorization === undefined ? {} : { authorization }
    })

  it.live("missing, or of another scheme: 401 missing_token with a WWW-Authenticate of the scheme token", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const authorization of [undefined, "", "token", "token ", `Bearer ${TOKEN}`, `Basic ${TOKEN}`, TOKEN]) {
        const answer = yield* withAuthorization(port, authorization)
        assertProblem(answer, 401, "missing_token")
        assert.strictEqual(answer.headers["www-authenticate"], 'token realm="treemark"')
      }
    }).pipe(Effect.scoped)
  )

  it.live("unknown: 401 invalid_token with WWW-Authenticate, and the answer does not repeat it", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      const answer = yield* withAuthorization(port, "token tmk_unknown_7f3a")
      assertProblem(answer, 401, "invalid_token")
      assert.strictEqual(answer.headers["www-authenticate"], 'token realm="treemark"')
      assert.notInclude(answer.text, "7f3a")
      assert.notInclude(world.log.join(), "7f3a")
    }).pipe(Effect.scoped)
  )

  it.live("of a disabled account: 403 account_disabled", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      assertProblem(yield* withAuthorization(port, `token ${DISABLED_TOKEN}`), 403, "account_disabled")
    }).pipe(Effect.scoped)
  )

  it.live("the scheme is case-insensitive", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const scheme of ["token", "Token", "TOKEN"]) {
        assert.strictEqual((yield* withAuthorization(port, `${scheme} ${TOKEN}`)).status, 200)
      }
    }).pipe(Effect.scoped)
  )

  it.live("a token store that is down is 500 storage_unavailable, its cause in the log alone", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      world.brokenStore = true
      const answer = yield* withAuthorization(port, `token ${TOKEN}`)
      assertProblem(answer, 500, "storage_unavailable")
      assert.notInclude(answer.text, "disk secret")
      assert.include(world.log.join(), "disk secret")
    }).pipe(Effect.scoped)
  )
})

describe("body", () => {
  const send = (port: number, request: Call) => call(port, "/balance/mainnet", request)
  const padded = (bytes: number) => BALANCE + " ".repeat(bytes - BALANCE.length)

  it.live("65,536 bytes are taken and one more is 413, told by Content-Length or found while it comes in chunks", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      assert.strictEqual((yield* send(port, { body: padded(LIMIT) })).status, 200)
      assert.strictEqual((yield* send(port, { chunks: [padded(LIMIT)] })).status, 200)
      assertProblem(yield* send(port, { body: padded(LIMIT + 1) }), 413, "payload_too_large")
      assertProblem(yield* send(port, { chunks: [padded(LIMIT), " "] }), 413, "payload_too_large")
    }).pipe(Effect.scoped)
  )

  it.live("a Content-Type of application/json is needed, alone or with charset utf-8", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const typed = (type: string) => send(port, { body: BALANCE, headers: { "content-type": type } })
      for (const type of [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"'
      ]) {
        assert.strictEqual((yield* typed(type)).status, 200, type)
      }
      for (const type of [
        "",
        "text/plain",
        "application/jsonp",
        "application/json; charset=latin1",
        "application/x-www-form-urlencoded"
      ]) {
        assertProblem(yield* typed(type), 415, "unsupported_media_type")
      }
    }).pipe(Effect.scoped)
  )

  it.live("no body, broken JSON, a key twice and bad UTF-8 are 400 malformed_json with the place", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const twice = `{"wallet":"${WALLET}","wallet":"${WALLET}"}`
      for (const body of ["", "{", `${BALANCE}}`, twice, Buffer.from([0x22, 0xff, 0x22])]) {
        const { detail } = assertProblem(yield* send(port, { body }), 400, "malformed_json")
        assert.match(String(detail), /line \d+|byte \d+/)
      }
    }).pipe(Effect.scoped)
  )

  it.live("JSON that is no object is 400 invalid_fields", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const body of ["null", "[]", "1", '"x"']) assertProblem(yield* send(port, { body }), 400, "invalid_fields")
    }).pipe(Effect.scoped)
  )
})
