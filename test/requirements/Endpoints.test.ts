/** interface.md, "Endpoints": methods, paths, headers, and the listeners of their own of decisions.md, section 3. */
import { gzipSync } from "node:zlib"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { RunningDaemon } from "../layers/RunningDaemon.ts"
import {
  ALL_NETWORKS,
  assertProblem,
  authorized,
  COMMIT,
  type Json,
  MAINNET,
  Studio,
  type StudioShape,
  withStudio
} from "./Studio.ts"

const WALLET = { wallet: "0x000000000000000000000000000000000000dEaD" }

const OPERATIONS = [
  { path: MAINNET, listener: "balance-mainnet", body: (): Json => WALLET, isPaid: false },
  { path: ALL_NETWORKS, listener: "balance-all-networks", body: (): Json => WALLET, isPaid: true },
  { path: COMMIT, listener: "commit", body: (studio: StudioShape): Json => studio.request(), isPaid: true }
]

const ownListeners = OPERATIONS.flatMap(({ listener }) => [`--listen-${listener}`, "127.0.0.1:0"])

withStudio({}, { args: ownListeners })("interface.md, Endpoints", (it) => {
  for (const { path, listener, body, isPaid } of OPERATIONS) {
    describe(`POST ${path}`, () => {
      it.effect("success is status 200 with a JSON body, with a trailing slash and a query as well", () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          for (const target of [path, `${path}/`, `${path}?from=test`]) {
            const answer = yield* studio.post(target, body(studio))
            assert.strictEqual(answer.status, 200, answer.text)
            assert.strictEqual(answer.headers["content-type"], "application/json")
          }
        })
      )

      it.effect("every other method is 405 with Allow, and free", () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
            const headers = authorized(studio.token)
            const call = studio.daemon.call(path, { method, headers, body: body(studio) })
            yield* studio.refused(call, 405, "method_not_allowed")
            assert.strictEqual((yield* call).headers.allow, "OPTIONS, POST")
          }
          const head = yield* studio.daemon.call(path, { method: "HEAD" })
          assert.strictEqual(head.status, 405)
          assert.strictEqual(head.text, "")
        })
      )

      it.effect("OPTIONS answers which methods there are", () =>
        Effect.gen(function* () {
          const { call } = yield* RunningDaemon
          const answer = yield* call(path, { method: "OPTIONS" })
          assert.strictEqual(answer.status, 204)
          assert.strictEqual(answer.headers.allow, "OPTIONS, POST")
        })
      )

      it.effect('"Content-Type: application/json": needed, in any letter case, with charset utf-8 or none', () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          for (const contentType of [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            'application/json;charset="UTF-8"'
          ]) {
            const answer = yield* studio.post(path, body(studio), { "content-type": contentType })
            assert.strictEqual(answer.status, 200, `${contentType}: ${answer.text}`)
          }
          for (const contentType of [
            "",
            "text/plain",
            "text/json",
            "application/x-www-form-urlencoded",
            "application/json; charset=latin1",
            "application/jsonp",
            "application/problem+json"
          ]) {
            const answer = studio.post(path, body(studio), { "content-type": contentType })
            const problem = yield* studio.refused(answer, 415, "unsupported_media_type")
            assert.include(problem.detail, "application/json")
          }
        })
      )

      it.effect(
        "a compressed body is 415 and says which encoding is read, instead of being taken for broken JSON",
        () =>
          Effect.gen(function* () {
            const studio = yield* Studio
            const zipped = new Uint8Array(gzipSync(JSON.stringify(body(studio))))
            const answer = yield* studio.post(path, zipped, { "content-encoding": "gzip" })
            assert.strictEqual(answer.headers["accept-encoding"], "identity")
            const problem = assertProblem(answer, 415, "unsupported_media_type")
            assert.include(problem.detail, "Content-Encoding")
            const plain = yield* studio.post(path, body(studio), { "content-encoding": "identity" })
            assert.strictEqual(plain.status, 200, plain.text)
          })
      )

      it.effect("a path near to it is 404", () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          for (const near of [`${path}/x`, `${path}//`, `/${path}`, path.toUpperCase(), `${path}x`, `/v1${path}`]) {
            yield* studio.refused(studio.post(near, body(studio)), 404, "not_found")
          }
        })
      )

      it.effect('on a listener of its own it answers at "root path `/`", with the same rules and books', () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          const { addresses, call } = yield* RunningDaemon
          const own = addresses[listener]
          assert.isDefined(own, `the daemon prints where ${listener} listens`)
          const before = yield* studio.state
          for (const root of [own!, `${own}/`]) {
            const answer = yield* studio.post(root, body(studio))
            assert.strictEqual(answer.status, 200, answer.text)
          }
          const after = yield* studio.state
          if (isPaid) assert.notStrictEqual(after.credits, before.credits)
          else assert.strictEqual(after.credits, before.credits)
          const invalid = yield* studio.refused(studio.post(own!, {}), 400, "invalid_fields")
          assert.isAbove(invalid.errors?.length ?? 0, 0)
          const tokenless = yield* call(own!, { body: body(studio) })
          if (isPaid) assertProblem(tokenless, 401, "missing_token")
          else assert.strictEqual(tokenless.status, 200)
        })
      )

      it.effect("on a listener of its own there is nothing but the root", () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          const { addresses, call } = yield* RunningDaemon
          const own = addresses[listener]!
          for (const other of [path, "/account", "/health", "/docs", "/rpc/mainnet", "//"]) {
            yield* studio.refused(studio.post(`${own}${other}`, body(studio)), 404, "not_found")
          }
          const got = yield* call(own, { method: "GET" })
          assertProblem(got, 405, "method_not_allowed")
          assert.strictEqual(got.headers.allow, "OPTIONS, POST")
        })
      )
    })
  }

  it.effect("the main listener has the console at its root, which takes no operation", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      yield* studio.refused(studio.post("/", WALLET), 405, "method_not_allowed")
    })
  )

  it.effect(
    '"Precondition: the asset has been registered earlier.": POST /assets is 201 with what a commit needs',
    () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        const { call } = yield* RunningDaemon
        const bytes = new TextEncoder().encode("a note")
        const headers = { ...authorized(studio.token), "content-type": "text/plain" }
        const registered = yield* call("/assets", { body: bytes, headers })
        assert.strictEqual(registered.status, 201, registered.text)
        const { assetCid, assetSha256, encodingFormat, size } = registered.json()
        assert.strictEqual(size, bytes.length)
        const answer = yield* studio.post(COMMIT, studio.request({ assetCid, assetSha256, encodingFormat }))
        assert.strictEqual(answer.status, 200, answer.text)
        const again = yield* call("/assets", { body: bytes, headers })
        assert.deepStrictEqual(again.json(), registered.json())
      })
  )

  it.effect("treemarkd asset register makes an asset that can be committed", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { admin, home } = yield* RunningDaemon
      const { assetCid, assetSha256, encodingFormat } = (yield* admin("asset", "register", `${home}/seed.json`)) as Json
      assert.strictEqual(encodingFormat, "application/json")
      const answer = yield* studio.post(COMMIT, studio.request({ assetCid, assetSha256, encodingFormat }))
      assert.strictEqual(answer.status, 200, answer.text)
    })
  )

  it.effect("GET /account shows the caller: id, name, wallet, exact credits, balance with 4 decimals", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { call, createAccount } = yield* RunningDaemon
      const { account, token } = yield* createAccount({ name: "seen", credits: "1.000000000000000001", tokens: "2.5" })
      const answer = yield* call("/account", { headers: authorized(token) })
      assert.deepStrictEqual(answer.json(), {
        id: account.id,
        name: "seen",
        wallet: account.wallet,
        credits: "1.000000000000000001",
        balance: "2.5000",
        storage: { used: 0, limit: 100_000_000_000, token: { used: 0, limit: null } }
      })
      assert.notStrictEqual(account.wallet, studio.account.wallet)
    })
  )

  it.effect("GET /ready, /health, /version, /openapi.json and /docs are 200", () =>
    Effect.gen(function* () {
      const { call } = yield* RunningDaemon
      for (const path of ["/ready", "/health", "/version", "/openapi.json", "/docs"]) {
        assert.strictEqual((yield* call(path)).status, 200, path)
      }
      const { openapi, paths } = (yield* call("/openapi.json")).json()
      assert.match(String(openapi), /^3\.1\./)
      for (const { path } of OPERATIONS) assert.property(paths, path)
    })
  )
})
