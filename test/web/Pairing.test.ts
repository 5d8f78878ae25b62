/** Tools pair over HTTP as the examples do it: a program of plain Node, and a page of another origin; and another origin cannot drive it. */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "puppeteer-core"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { isBrowserMissing, open, startBrowser, textOf } from "./Browser.ts"
import { enter, goTo, isClean } from "./ConsoleRig.ts"
import { written } from "./WebProofs.ts"

const EXAMPLES = new URL("../../examples/desktop/", import.meta.url)

const browser = Effect.acquireRelease(
  Effect.promise(() => startBrowser()),
  ({ close }) => Effect.promise(close)
)

/** The example's page on an origin of its own. */
const elsewhere = Effect.acquireRelease(
  Effect.callback<Server>((resume) => {
    const server = createServer((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(readFileSync(new URL("page.html", EXAMPLES)))
    ).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => void server.close())
)

const form = (fields: Readonly<Record<string, string>>) => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(fields).toString()
})

/** Types the code in the console, and allows what is asked; with a limit for the day, after one that nobody can read. */
const approve = async (page: Page, code: string, limit?: string): Promise<string> => {
  await goTo(page, "tools")
  await page.type("#user-code", code)
  await page.click("#pair-title ~ form button")
  await page.waitForSelector("#asking")
  await isClean(page, "asking")
  const asked = await textOf(page, "#asking")
  if (limit !== undefined) {
    await page.type("#daily-limit", "a bit")
    await page.click("#asking button.main")
    await page.waitForFunction(() => /decimal number/.test(document.querySelector("[role=alert]")?.textContent ?? ""))
    await page.$eval("#daily-limit", (input) => (input as HTMLInputElement).select())
    await page.type("#daily-limit", limit)
  }
  await page.click("#asking button.main")
  await page.waitForFunction(() => /is paired/.test(document.querySelector("output")?.textContent ?? ""))
  return asked
}

const said = (child: ChildProcess, wanted: RegExp): Promise<RegExpExecArray> =>
  new Promise((resolve, reject) => {
    let text = ""
    const look = (part: Buffer) => {
      text += part.toString("utf8")
      const found = wanted.exec(text)
      if (found !== null) resolve(found)
    }
    child.stdout?.on("data", look)
    child.stderr?.on("data", look)
    child.once("exit", () => reject(new Error(text)))
  })

withDaemon()("pairing", (it) => {
  it.effect("answers with the errors of RFC 8628 and RFC 6749, and names a token's scope", () =>
    Effect.gen(function* () {
      const { admin, call, createAccount } = yield* RunningDaemon
      yield* createAccount({ name: "painter" })
      const errorOf = Effect.fnUntraced(function* (path: string, fields: Readonly<Record<string, string>>) {
        const answer = yield* call(path, form(fields))
        return [answer.status, answer.json().error]
      })
      const device = "/oauth/device_authorization"
      assert.deepStrictEqual(yield* errorOf(device, {}), [400, "invalid_request"])
      assert.deepStrictEqual(yield* errorOf(device, { client_id: "x", scope: "all" }), [400, "invalid_scope"])
      assert.deepStrictEqual(yield* errorOf("/oauth/token", { grant_type: "password", client_id: "x" }), [
        400,
        "unsupported_grant_type"
      ])
      const asJson = yield* call(device, { method: "POST", body: { client_id: "x" } })
      assert.strictEqual(asJson.json().error, "invalid_request")
      const begun = (yield* call(device, form({ client_id: "Paint", scope: "register read" }))).json()
      assert.deepInclude(begun, { expires_in: 600, interval: 5 })
      const poll = {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        client_id: "Paint",
        device_code: String(begun.device_code)
      }
      assert.deepStrictEqual(yield* errorOf("/oauth/token", poll), [400, "authorization_pending"])
      assert.deepStrictEqual(yield* errorOf("/oauth/token", poll), [400, "slow_down"])
      assert.deepStrictEqual(yield* errorOf("/oauth/token", { ...poll, device_code: "x" }), [400, "invalid_grant"])
      const code = String(begun.user_code)
      const asked = { name: "Paint", origin: null, scopes: ["read", "register"] }
      assert.deepStrictEqual(yield* admin("pair", "show", code), asked)
      assert.deepInclude(yield* admin("pair", "approve", code, "--account", "painter"), { account: "painter" })
      const token = (yield* call("/oauth/token", form(poll))).json()
      assert.deepInclude(token, { token_type: "token", scope: "read register" })
      assert.match(String(token.access_token), /^tmk_/)
      const headers = { authorization: `token ${token.access_token}` }
      assert.strictEqual((yield* call("/account", { headers })).json().name, "painter")
      const refused = yield* call("/commit", { headers, body: {} })
      assert.deepStrictEqual([refused.status, refused.json().code], [403, "scope_missing"])
    })
  )

  it.effect.skipIf(isBrowserMissing)("the example tool pairs, adds and commits; it is approved in the console", () =>
    Effect.gen(function* () {
      const { createAccount, home, url } = yield* RunningDaemon
      yield* createAccount({ name: "Ada", credits: "1" })
      const chromium = yield* browser
      yield* Effect.promise(async () => {
        const { page } = await enter(chromium, home, "Ada")
        const child = spawn(
          process.execPath,
          [fileURLToPath(new URL("tool.mjs", EXAMPLES)), written(home, "photo.txt", "a photo")],
          { env: { PATH: process.env.PATH, TREEMARK_HOME: home, TOOL_HOME: join(home, "tool") } }
        )
        const done = said(child, /Paired with the account Ada[\s\S]*Added photo\.txt: ba[\s\S]*Committed: (\S+)/)
        const [, where = "", code = ""] = await said(child, /Open (\S+) and type (\S+)/)
        assert.strictEqual(where, `${url}/#/tools`)
        const asked = await approve(page, code, "2.5")
        assert.match(asked, /Desktop example asks for a token/)
        assert.match(asked, /commit, which spends 0\.1/)
        await done
        await page.reload()
        await page.waitForSelector("ul.plain")
        const tools = await textOf(page, "ul.plain")
        assert.include(tools, "Desktop example")
        assert.match(tools, /0\.10\d+ of 2\.5 a day/)
      })
    })
  )

  it.effect.skipIf(isBrowserMissing)(
    "a page of another origin is refused, pairs, may call from then on, and no more once revoked",
    () =>
      Effect.gen(function* () {
        const { call, createAccount, home, url } = yield* RunningDaemon
        yield* createAccount({ name: "Grace" })
        const chromium = yield* browser
        const server = yield* elsewhere
        const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const version = Effect.map(call("/version", { headers: { origin } }), ({ headers, status }) => [
          status,
          headers["access-control-allow-origin"]
        ])
        assert.deepStrictEqual(yield* version, [403, undefined])
        yield* Effect.promise(async () => {
          const { page: desk } = await enter(chromium, home, "Grace")
          const { page } = await open(chromium, `${origin}/?daemon=${url}`)
          await page.click("#pair")
          await page.waitForFunction(() => /type /.test(document.querySelector("#state")?.textContent ?? ""))
          const code = (await textOf(page, "#state")).split("type ")[1]!
          // The other page has the signed-in browser's cookie sent along (a port is no site of its own), and still decides nothing.
          for (const mode of ["cors", "no-cors"] as const) {
            const told = await page.evaluate(
              async (address, how, userCode) => {
                const request = { method: "POST", mode: how, credentials: "include" } as const
                const body = JSON.stringify({ userCode, approve: true })
                const answer = await fetch(`${address}/console/pairings/decide`, {
                  ...request,
                  body,
                  headers: { "content-type": how === "cors" ? "application/json" : "text/plain" }
                }).catch(() => undefined)
                return answer?.status ?? 0
              },
              url,
              mode,
              code
            )
            assert.strictEqual(told, 0)
          }
          // Neither does a form, whose text can be made to look like JSON, nor the console in a frame, for a click that somebody was led to.
          await page.evaluate(
            (address, userCode) => {
              const frame = document.createElement("iframe")
              frame.name = "answer"
              const form = document.createElement("form")
              Object.assign(form, { method: "post", enctype: "text/plain", target: "answer" })
              form.action = `${address}/console/pairings/decide`
              const input = document.createElement("input")
              input.name = `{"userCode":"${userCode}","approve":true,"x":"`
              input.value = `"}`
              form.append(input)
              document.body.append(frame, form)
              form.submit()
              const desk = document.createElement("iframe")
              desk.src = `${address}/#/tools/${userCode}`
              document.body.append(desk)
            },
            url,
            code
          )
          await page.waitForFunction(() => document.querySelectorAll("iframe").length === 2)
          await page.waitForNetworkIdle({ concurrency: 2 })
          for (const frame of page.frames().slice(1)) assert.isNull(await frame.$("nav, main"))
          await page.bringToFront()
          assert.notMatch(await textOf(page, "#state"), /Paired/)
          await desk.bringToFront()
          const asked = await approve(desk, code)
          assert.include(asked, origin)
          await page.bringToFront()
          await page.waitForFunction(() =>
            /^Paired with Grace/.test(document.querySelector("#state")?.textContent ?? "")
          )
        })
        assert.deepStrictEqual(yield* version, [200, origin])
        yield* Effect.promise(async () => {
          const { page: desk } = await enter(chromium, home, "Grace")
          await goTo(desk, "tools")
          await desk.waitForSelector("ul.plain li")
          for (let n = 0; n < 2; n++) {
            await desk.click("ul.plain button")
            await desk.click("ul.plain .danger")
            await desk.waitForFunction((left) => document.querySelectorAll("ul.plain li").length === left, {}, 1 - n)
          }
        })
        assert.deepStrictEqual(yield* version, [403, undefined])
      })
  )
})
