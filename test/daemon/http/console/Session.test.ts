/** Signing in over HTTP: what the cookie is, and that a session counts in the console's own page and nowhere else. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { CODE } from "../../../layers/DaemonServices.ts"
import { assertProblem, call, start } from "../../../layers/HttpFixture.ts"

const signIn = Effect.fnUntraced(function* (port: number, code = CODE) {
  const own = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` }
  const answer = yield* call(port, "/console/session", { headers: own, body: JSON.stringify({ code }) })
  const [cookie = ""] = answer.headers["set-cookie"] ?? []
  return { answer, cookie, own }
})

/** What the page sends with each of its calls. */
const signedIn = Effect.fnUntraced(function* (port: number) {
  const { answer, cookie, own } = yield* signIn(port)
  const page = { ...own, cookie: cookie.split(";")[0]!, "treemark-csrf": String(answer.json().csrf) }
  return { cookie, page }
})

describe("signing in to the console", () => {
  it.live("turns a code into a cookie that no script reads and no other site sends, once", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const { answer, cookie } = yield* signIn(port)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(cookie, `treemark_${port}=good-session; Path=/; HttpOnly; SameSite=Strict`)
      assert.deepInclude(answer.json(), {
        account: {
          id: "acc_00000000000000000001",
          name: "alice",
          serviceName: "studio",
          wallet: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
        }
      })
      assert.notInclude(answer.text, "good-session")
      const again = yield* signIn(port)
      assertProblem(again.answer, 401, "code_refused")
      assert.strictEqual(again.cookie, "")
    }).pipe(Effect.scoped)
  )

  it.live("a session serves the page's calls where a token would", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const { page } = yield* signedIn(port)
      const account = yield* call(port, "/account", { headers: page })
      assert.strictEqual(account.json().name, "alice")
      const upload = yield* call(port, "/assets", { headers: { ...page, "content-type": "image/png" }, body: "x" })
      assert.strictEqual(upload.status, 201)
    }).pipe(Effect.scoped)
  )

  it.live("the cookie alone, or in a call that another page or a program made, counts for nothing", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const { page } = yield* signedIn(port)
      const { "treemark-csrf": csrf, origin: _, ...bare } = page
      const other = `http://127.0.0.1:${port + 1}`
      const refused = [
        { ...bare },
        { ...bare, "treemark-csrf": `${csrf.slice(0, -1)}!` },
        { ...page, "sec-fetch-site": "same-site" },
        { ...page, "sec-fetch-site": "cross-site" },
        { ...page, origin: `http://localhost:${port}` }
      ]
      for (const headers of refused) {
        assertProblem(yield* call(port, "/account", { headers }), 403, "origin_not_allowed")
        assertProblem(yield* call(port, "/commit", { headers, body: "{}" }), 403, "origin_not_allowed")
      }
      // Reading without Origin is how a page reads from its own server; writing without one is no page's doing.
      const silent = { ...bare, "treemark-csrf": csrf }
      assert.strictEqual((yield* call(port, "/account", { headers: silent })).status, 200)
      assertProblem(yield* call(port, "/commit", { headers: silent, body: "{}" }), 403, "origin_not_allowed")
      assertProblem(yield* call(port, "/account", { headers: { ...page, origin: other } }), 403, "origin_not_allowed")
      const body = JSON.stringify({ code: CODE })
      for (const headers of [{}, { origin: other }, { origin: "null" }]) {
        assertProblem(yield* call(port, "/console/session", { headers, body }), 403, "origin_not_allowed")
      }
    }).pipe(Effect.scoped)
  )

  it.live("is told to the page alone, and ends here or everywhere", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const { page } = yield* signedIn(port)
      const cookie = { cookie: page.cookie }
      const shown = yield* call(port, "/console/session", { headers: cookie })
      assert.strictEqual(shown.json().csrf, page["treemark-csrf"])
      const foreign = yield* call(port, "/console/session", { headers: { ...cookie, "sec-fetch-site": "same-site" } })
      assertProblem(foreign, 403, "origin_not_allowed")
      const ended = yield* call(port, "/console/session/end", { headers: page, body: '{"everywhere":true}' })
      assert.strictEqual(ended.status, 204)
      assert.match(
        String(ended.headers["set-cookie"]),
        /^treemark_\d+=; Path=\/; HttpOnly; SameSite=Strict; Max-Age=0$/
      )
      assertProblem(yield* call(port, "/account", { headers: page }), 401, "session_over")
      assertProblem(yield* call(port, "/console/session", { headers: cookie }), 401, "session_over")
      assertProblem(yield* call(port, "/console/session"), 401, "session_over")
    }).pipe(Effect.scoped)
  )
})
