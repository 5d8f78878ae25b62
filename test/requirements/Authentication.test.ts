/** interface.md, "Authentication", and section 7 of decisions.md for its statuses. */
import { crc32 } from "node:zlib"
import { assert, describe } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { RunningDaemon } from "../layers/RunningDaemon.ts"
import { ALL_NETWORKS, assertProblem, authorized, COMMIT, MAINNET, openStudio, Studio, withStudio } from "./Studio.ts"

const WALLET = { wallet: "0x000000000000000000000000000000000000dEaD" }
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const UNKNOWN_BODY = `tmk_${"0".repeat(43)}`
/** The form and the checksum (CRC-32 in base62) of a token, and nobody's. */
const UNKNOWN = `${UNKNOWN_BODY}${[5, 4, 3, 2, 1, 0]
  .map((place) => BASE62.charAt(Math.floor(crc32(UNKNOWN_BODY) / 62 ** place) % 62))
  .join("")}`

const PATHS = [
  { method: "POST", path: ALL_NETWORKS, body: WALLET },
  { method: "POST", path: COMMIT, body: {} },
  { method: "POST", path: "/assets", body: "x" },
  { method: "GET", path: "/account", body: undefined }
]

withStudio()("interface.md, Authentication", (it) => {
  it.effect('"Operation 1 needs no credentials."', () =>
    Effect.gen(function* () {
      const { call } = yield* RunningDaemon
      assert.strictEqual((yield* call(MAINNET, { body: WALLET })).status, 200)
    })
  )

  for (const { method, path, body } of PATHS) {
    describe(`${method} ${path}`, () => {
      const withHeader = Effect.fnUntraced(function* (authorization: string | undefined) {
        const { call } = yield* RunningDaemon
        const headers = authorization === undefined ? {} : { authorization }
        return yield* call(path, { method, headers, ...(body === undefined ? {} : { body }) })
      })

      it.effect("without Authorization, or of another scheme: 401 missing_token, with WWW-Authenticate", () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          const { token } = studio
          const others = [undefined, "", "token", "token ", token, `Bearer ${token}`, `Basic ${token}`, `token${token}`]
          const before = yield* studio.state
          for (const authorization of others) {
            const answer = yield* withHeader(authorization)
            const problem = assertProblem(answer, 401, "missing_token")
            assert.strictEqual(answer.headers["www-authenticate"], 'token realm="treemark"')
            assert.include(problem.detail, "Authorization: token <ACCESS_TOKEN>")
            assert.notInclude(answer.text, token)
          }
          assert.deepStrictEqual(yield* studio.state, before)
        })
      )

      it.effect("a token that is not one of this service: 401 invalid_token, with WWW-Authenticate", () =>
        Effect.gen(function* () {
          const { token } = yield* Studio
          const changed = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`
          for (const wrong of [
            UNKNOWN,
            "x",
            changed,
            `${token}0`,
            token.slice(0, -1),
            token.toUpperCase(),
            `"${token}"`
          ]) {
            const answer = yield* withHeader(`token ${wrong}`)
            assertProblem(answer, 401, "invalid_token")
            assert.strictEqual(answer.headers["www-authenticate"], 'token realm="treemark"')
            assert.notInclude(answer.text, wrong.length > 1 ? wrong : UNKNOWN)
          }
        })
      )
    })
  }

  it.effect('"the value `token <ACCESS_TOKEN>`": the scheme is read in any letter case (RFC 9110, 11.1)', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      for (const scheme of ["token", "Token", "TOKEN"]) {
        const answer = yield* studio.post(COMMIT, studio.request(), { authorization: `${scheme} ${studio.token}` })
        assert.strictEqual(answer.status, 200, answer.text)
      }
    })
  )

  it.effect('"The access token belongs to a registered account and is obtained by registering."', () =>
    Effect.gen(function* () {
      const { admin, call } = yield* RunningDaemon
      const made = (yield* admin(
        "account",
        "create",
        "--name",
        "registered",
        "--credits",
        "0.02",
        "--tokens",
        "0"
      )) as {
        readonly account: { readonly id: string; readonly serviceName: string; readonly credits: string }
        readonly token: string
      }
      assert.match(made.token, /^tmk_[0-9A-Za-z]{49}$/)
      assert.strictEqual(made.account.serviceName, "registered")
      assert.strictEqual(made.account.credits, "0.02")
      const own = yield* call("/account", { headers: authorized(made.token) })
      assert.strictEqual(own.json().id, made.account.id)
      const answer = yield* call(ALL_NETWORKS, { body: WALLET, headers: authorized(made.token) })
      assert.strictEqual(answer.status, 200, answer.text)
    })
  )

  it.effect("unknown, revoked and expired tokens get the same answer; the account's other tokens go on", () =>
    Effect.gen(function* () {
      const studio = yield* openStudio({ name: "many tokens" })
      const { admin, issueToken } = yield* RunningDaemon
      const revoked = (yield* admin("account", "token", "create", studio.account.id, "--label", "to be revoked")) as {
        readonly token: string
        readonly info: { readonly id: string; readonly expiresAt: number | null }
      }
      assert.isNull(revoked.info.expiresAt)
      const works = yield* studio.post(ALL_NETWORKS, WALLET, authorized(revoked.token))
      assert.strictEqual(works.status, 200, works.text)
      yield* admin("account", "token", "revoke", revoked.info.id)

      const expiresAt = (yield* Clock.currentTimeMillis) + 1_500
      const expiring = yield* issueToken(studio.account.id, expiresAt)
      assert.strictEqual((yield* studio.post(ALL_NETWORKS, WALLET, authorized(expiring))).status, 200)
      yield* Effect.sleep(expiresAt + 50 - (yield* Clock.currentTimeMillis))

      const details = new Set<string>()
      for (const token of [UNKNOWN, revoked.token, expiring]) {
        const answer = studio.post(ALL_NETWORKS, WALLET, authorized(token))
        details.add((yield* studio.refused(answer, 401, "invalid_token")).detail)
      }
      assert.strictEqual(details.size, 1)
      assert.strictEqual((yield* studio.post(ALL_NETWORKS, WALLET)).status, 200)
    })
  )

  it.effect("a disabled account's token is 403 account_disabled and free; enabled again it is served", () =>
    Effect.gen(function* () {
      const studio = yield* openStudio({ name: "on and off" })
      const { setDisabled, showAccount } = yield* RunningDaemon
      yield* setDisabled(studio.account.id, true)
      for (const [path, body] of [
        [ALL_NETWORKS, WALLET],
        [COMMIT, studio.request()]
      ] as const) {
        assertProblem(yield* studio.post(path, body), 403, "account_disabled")
      }
      assert.strictEqual((yield* showAccount("on and off")).credits, "100")
      assert.strictEqual((yield* studio.post(MAINNET, WALLET)).status, 200)
      yield* setDisabled(studio.account.id, false)
      assert.strictEqual((yield* studio.post(COMMIT, studio.request())).status, 200)
    })
  )

  it.effect(
    '"The caller\'s wallet must hold sufficient credits or native tokens for the per-call cost.": else 403',
    () =>
      Effect.gen(function* () {
        const studio = yield* openStudio({ credits: "0" })
        yield* studio.refused(studio.post(ALL_NETWORKS, WALLET), 403, "insufficient_funds")
        yield* studio.refused(studio.post(COMMIT, studio.request()), 403, "insufficient_funds")
      })
  )
})
