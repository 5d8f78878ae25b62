/** The console as a person uses it, in Chromium: from the first start to a committed folder and a verified proof, without a terminal. */
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "puppeteer-core"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { type Chromium, isBrowserMissing, open, startBrowser, textOf, untilVerdict } from "./Browser.ts"
import { clickOn, enter, goTo, isClean, signInUrl } from "./ConsoleRig.ts"
import { written } from "./WebProofs.ts"

const PHOTO = readFileSync(new URL("../../packages/daemon/sample/espresso.png", import.meta.url))
const SCRIPT = `<svg xmlns="http://www.w3.org/2000/svg"><script>top.document.title = "owned"; fetch("http://127.0.0.1:9/")</script></svg>`

const browser = Effect.acquireRelease(
  Effect.promise(() => startBrowser()),
  ({ close }) => Effect.promise(close)
)

/** Photos and what strangers might send, in a folder; once, as a file that is written anew was made anew. */
const folderOf = (home: string): string => {
  const folder = join(home, "wedding")
  if (existsSync(folder)) return folder
  mkdirSync(folder, { recursive: true })
  for (const n of [1, 2, 3]) written(folder, `IMG_${n}.png`, Buffer.concat([PHOTO, Buffer.from([n])]))
  written(folder, "holiday \u202Egnp.svg", SCRIPT)
  written(folder, '<img src=x onerror="document.title=1">.html', "<script>document.title = 'owned'</script>")
  written(folder, ".DS_Store", "litter")
  return folder
}

/** A further commit, out of the form that holds what the first one says. */
const changeTitle = async (page: Page) => {
  await clickOn(page, ".history button", "Commit a change")
  await page.waitForSelector("form.describe")
  assert.strictEqual(await page.$eval("#creator", (input) => (input as unknown as { value: string }).value), "Ada")
  await page.type("#headline", "At the lake")
  await isClean(page, "asset-edit")
  await page.click("form.describe button.main")
  await page.waitForSelector(".price")
  assert.match(await textOf(page, "#new-price"), /at most 0\.1\d+$/)
  await page.click(".price button.main")
  await page.waitForFunction(() => document.querySelectorAll(".timeline > li").length === 2)
  await page.waitForFunction(() => /At the lake/.test(document.querySelector(".timeline .changes")?.textContent ?? ""))
  assert.strictEqual(await page.$$eval(".timeline > li:first-child .changes > div", (rows) => rows.length), 1)
}

const commitFolder = async (chromium: Chromium, home: string, account: string) => {
  const watched = await enter(chromium, home, account)
  const { page } = watched
  await goTo(page, "add")
  await isClean(page, "add")
  const picker = (await page.$("input#folder[type=file]"))!
  await picker.uploadFile(folderOf(home) as never)
  await page.waitForSelector("form.describe")
  assert.strictEqual((await page.$$(".files li")).length, 5)
  // The second time the form remembers it.
  if ((await page.$eval("#licenseName", (input) => (input as unknown as { readonly value: string }).value)) === "") {
    await page.type("#licenseName", "CC-BY-4.0")
  }
  assert.include(
    await page.$eval("#licenseDocument", (input) => (input as unknown as { readonly value: string }).value),
    "licenses/by/4.0"
  )
  await isClean(page, "describe")
  await page.click("form.describe button.main")
  await page.waitForSelector(".price")
  assert.match(await textOf(page, "#price-title"), /^Committing 5 files costs at most 0\.5\d+$/)
  await isClean(page, "price")
  await page.click(".price button.main")
  await page.waitForFunction(() => document.querySelectorAll('.files [data-state="done"]').length === 5)
  await isClean(page, "committed")
  return watched
}

withDaemon()("the console", (it) => {
  it.effect.skipIf(isBrowserMissing)("first start to a committed folder and a verified proof, without a terminal", () =>
    Effect.gen(function* () {
      const { call, createAccount, home, url } = yield* RunningDaemon
      const { token } = yield* createAccount({ name: "Ada", credits: "2.5" })
      const chromium = yield* browser
      yield* Effect.promise(async () => {
        const { errors, page, requests } = await commitFolder(chromium, home, "Ada")
        assert.notInclude(await page.title(), "owned")
        assert.include(await textOf(page, ".files"), "U+202E")
        await goTo(page, "assets")
        await page.waitForFunction(() => document.querySelectorAll(".tiles li").length === 5)
        await isClean(page, "assets")
        assert.notInclude(await textOf(page, ".tiles"), "\u202E")
        await page.waitForFunction(() => document.querySelectorAll(".tiles img").length === 3)
        // What another program adds is seen without a click.
        const headers = { authorization: `token ${token}`, "content-type": "text/plain" }
        await Effect.runPromise(call("/assets", { body: "added by a program", headers }))
        await page.waitForFunction(() => document.querySelectorAll(".tiles li").length === 6)
        // By the keyboard alone: from the heading, which has the focus, over the button and the search to an asset, and back.
        for (let stop = 0; stop < 3; stop++) await page.keyboard.press("Tab")
        const focused = await page.evaluate(() => document.activeElement?.matches(".tiles a:focus-visible"))
        assert.isTrue(focused)
        await page.keyboard.press("Enter")
        await page.waitForSelector("#asset-facts")
        await page.goBack()
        await page.waitForFunction(() => document.querySelectorAll(".tiles li").length === 6)
        await page.type('input[type="search"]', "img_2")
        await page.waitForFunction(() => document.querySelectorAll(".tiles li").length === 1)
        await goTo(page, "add")
        const href = await page.$eval(".files a", (link) => (link as unknown as { readonly hash: string }).hash)
        const assetCid = href.split("/").at(-1)!
        await page.click(".files a")
        await page.waitForSelector(".timeline li")
        await isClean(page, "asset")
        assert.match(await textOf(page, ".timeline"), /action-commit[\s\S]*CC-BY-4\.0/)
        await clickOn(page, ".timeline button", "Verify now")
        await page.waitForSelector(".verdict.valid")
        assert.match(
          await textOf(page, ".verdict"),
          /byte for byte[\s\S]*Signed with this account’s key[\s\S]*, 0 do not/
        )
        await page.click("details.share summary")
        await page.waitForSelector(".qr")
        await isClean(page, "asset-verified")
        await changeTitle(page)
        await Promise.all([page.waitForNavigation(), page.click('.timeline a[href^="/verify"]')])
        await untilVerdict(page, "valid")
        assert.deepStrictEqual(errors, [])
        assert.deepStrictEqual(
          requests.filter((asked) => !asked.startsWith(`${url}/`)),
          []
        )
        const car = await Effect.runPromise(call(`/proofs/history/${assetCid}`))
        assert.deepStrictEqual([car.status, car.headers["content-type"]], [200, "application/vnd.ipld.car"])
        const commits = await Effect.runPromise(call(`/assets/${assetCid}/commits`))
        assert.strictEqual((commits.json().commits as ReadonlyArray<unknown>).length, 2)
      })
    })
  )

  it.effect.skipIf(isBrowserMissing)("the same folder with the same words again is known, and costs nothing", () =>
    Effect.gen(function* () {
      const { call, createAccount, home } = yield* RunningDaemon
      yield* createAccount({ name: "Grace", tokens: "10" })
      const chromium = yield* browser
      yield* Effect.promise(async () => {
        await (await commitFolder(chromium, home, "Grace")).page.close()
        const { page } = await commitFolder(chromium, home, "Grace")
        const states = await page.$$eval(".files .state", (all) => all.map(({ textContent }) => textContent))
        assert.deepStrictEqual([...new Set(states)], ["was committed before; nothing was charged"])
        await goTo(page, "account")
        await page.waitForSelector("tbody tr")
        assert.strictEqual((await page.$$("tbody tr")).length, 5)
        await isClean(page, "account")
      })
      assert.strictEqual((yield* call("/console/session")).status, 401)
    })
  )

  it.effect.skipIf(isBrowserMissing)(
    "every other view is clean, in both languages, and a tool's token is never shown",
    () =>
      Effect.gen(function* () {
        const { createAccount, home } = yield* RunningDaemon
        const { token } = yield* createAccount({ name: "studio", credits: "2.5" })
        const chromium = yield* browser
        yield* Effect.promise(async () => {
          const { errors, page } = await enter(chromium, home, "studio")
          for (const view of ["account", "tools", "node"]) {
            await goTo(page, view)
            await isClean(page, view)
            assert.notInclude(await page.content(), token.slice(0, 12))
          }
          await goTo(page, "account")
          assert.include(await textOf(page, "#funds-title"), "studio")
          await page.select("header select", "zh-Hant")
          await page.waitForFunction(() => document.documentElement.lang === "zh-Hant")
          await isClean(page, "account-zh")
          await page.select("header select", "en")
          await goTo(page, "tools")
          await page.click("ul.plain button")
          await page.click("ul.plain .danger")
          await page.waitForSelector("main p.empty")
          assert.deepStrictEqual(errors, [])
        })
        const { call } = yield* RunningDaemon
        const refused = yield* call("/account", { headers: { authorization: `token ${token}` } })
        assert.strictEqual(refused.status, 401)
      })
  )

  it.effect.skipIf(isBrowserMissing)(
    "a code is good once; signing out everywhere ends the other browser's session",
    () =>
      Effect.gen(function* () {
        const { home, url } = yield* RunningDaemon
        const [first, second] = [yield* browser, yield* browser]
        yield* Effect.promise(async () => {
          const address = await signInUrl(home)
          const one = await open(first, address)
          await one.page.waitForSelector("nav")
          const late = await open(second, address)
          await late.page.waitForSelector(".notice")
          assert.include(await textOf(late.page, ".notice"), "does not work any more")
          await isClean(late.page, "sign-in")
          assert.isNull(await late.page.$("nav"))
          const other = await enter(second, home)
          await goTo(one.page, "account")
          await one.page.evaluate(() => {
            for (const button of document.querySelectorAll("button")) {
              if (button.textContent?.includes("everywhere")) button.click()
            }
          })
          await one.page.waitForSelector("#code")
          await other.page.goto(`${url}/#/account`)
          await other.page.reload()
          await other.page.waitForSelector("#code")
        })
      })
  )
})
