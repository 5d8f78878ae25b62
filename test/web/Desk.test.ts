/**
 * The desk as somebody meets it who typed `npm start` and nothing else: the address it prints, a folder of photos, a daemon that is killed half-way, a
 * page that is closed half-way; at the end each photo is committed once, charged once, and verified. Whole in `npm run test:long` alone.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "puppeteer-core"
import { serving, temporaryHome, treemarkd } from "../end-to-end/Treemarkd.ts"
import { isLong } from "../layers/Long.ts"
import { png } from "../layers/Photos.ts"
import { isBrowserMissing, open, startBrowser, textOf } from "./Browser.ts"
import { clickOn, enter, goTo, isClean } from "./ConsoleRig.ts"
import { written } from "./WebProofs.ts"

const ROOT = fileURLToPath(new URL("../../", import.meta.url))
const PHOTOS = 50

const npmStart = (home: string, port: number): ChildProcess =>
  spawn("npm", ["start", "-s"], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: tmpdir(), TREEMARK_HOME: home, TREEMARK_PORT: String(port) },
    detached: true
  })

/** `npm start` until it serves, in a group of its own that ends with the scope; answers the console's address and how to kill it. */
const started = Effect.fnUntraced(function* (home: string, port = 0) {
  const job = yield* serving(() => npmStart(home, port), /Serving until Ctrl-C/u)
  const kill = Effect.ignore(
    Effect.try({ try: () => process.kill(-job.pid, "SIGKILL"), catch: () => "it has ended" }).pipe(
      Effect.andThen(job.ended)
    )
  )
  yield* Effect.addFinalizer(() => kill)
  return { address: /^ +(http\S+#code=\S+)$/mu.exec(job.stdout())![1]!, kill }
})

/** Presses Pause in the page itself, as soon as so many files are committed: neither sooner nor later, however busy the machine is. */
const pauseAfter = (page: Page, done: number) =>
  page.evaluate((wanted) => {
    const look = () => {
      if (document.querySelectorAll('.files [data-state="done"]').length < wanted) return
      const pause = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Pause")
      if (pause === undefined) return
      watcher.disconnect()
      pause.click()
    }
    const watcher = new MutationObserver(look)
    watcher.observe(document.body, { subtree: true, childList: true, attributes: true })
  }, done)

const doneOf = (page: Page) => page.$$eval('.files [data-state="done"]', (all) => all.length)

/** Chooses the folder, describes it and uploads it, up to the price. */
const priced = async (page: Page, folder: string) => {
  await goTo(page, "add")
  await (await page.$("input#folder[type=file]"))!.uploadFile(folder as never)
  await page.waitForSelector("form.describe")
  await page.$eval("#creator", (input) => (input as HTMLInputElement).select())
  await page.type("#creator", "Ada")
  await page.click("form.describe button.main")
  await page.waitForSelector(".price")
}

const browser = Effect.acquireRelease(
  Effect.promise(() => startBrowser()),
  ({ close }) => Effect.promise(close)
)

describe.skipIf(isBrowserMissing || !isLong)("the desk", () => {
  it.live("first start to a committed folder and a verified proof, over a killed daemon and a closed page", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const folder = join(home, "wedding")
      mkdirSync(folder)
      for (let n = 0; n < PHOTOS; n++) written(folder, `IMG_${n}.png`, png(40 + n, 3 * n))
      const first = yield* started(home)
      const { origin, port } = new URL(first.address)
      const chromium = yield* browser
      const { page } = yield* Effect.promise(() => open(chromium, first.address))
      yield* Effect.promise(async () => {
        await page.waitForSelector("nav")
        await page.waitForSelector(".tiles li")
        await priced(page, folder)
        await pauseAfter(page, 5)
        await page.click(".price button.main")
        await page.waitForFunction(() => document.querySelector("progress") && /Go on/.test(document.body.innerText))
      })
      yield* first.kill
      yield* Effect.promise(async () => {
        // What was under way when it died has failed and ends the pause by itself; else the next one fails.
        await page.waitForFunction(() => {
          const paused = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Go on")
          paused?.click()
          return document.querySelector(".card.notice") !== null
        })
        assert.include(await textOf(page, ".card.notice"), "The daemon does not answer")
        assert.isBelow(await doneOf(page), PHOTOS)
        await isClean(page, "desk-killed")
      })
      yield* started(home, Number(port))
      yield* Effect.promise(async () => {
        await pauseAfter(page, PHOTOS / 2)
        await clickOn(page, "button", "Try the failed ones again")
        await page.waitForFunction(
          (half) => document.querySelectorAll('.files [data-state="done"]').length >= half,
          {},
          PHOTOS / 2
        )
        await page.close()
        const again = await open(chromium, `${origin}/`)
        await again.page.waitForSelector("nav")
        await priced(again.page, folder)
        await again.page.click(".price button.main")
        await again.page.waitForFunction(
          (all) => document.querySelectorAll('.files [data-state="done"]').length === all,
          {},
          PHOTOS
        )
        const states = await again.page.$$eval(".files .state", (all) => all.map(({ textContent }) => textContent))
        const known = states.filter((state) => state === "was committed before; nothing was charged").length
        assert.isAtLeast(known, PHOTOS / 2)
        await goTo(again.page, "assets")
        await again.page.waitForFunction(
          (all) => document.querySelectorAll(".tiles img").length >= Math.min(all, 20),
          {},
          PHOTOS
        )
        await again.page.click(".tiles li a")
        await clickOn(again.page, ".timeline button", "Verify now")
        await again.page.waitForSelector(".verdict.valid")
        assert.include(await textOf(again.page, ".verdict"), "byte for byte")
      })
      // The sample photo was committed by each start, the second time with the same words and a new token: a commit of its own.
      const statement = yield* treemarkd(["account", "statement", "first-steps", "--json"], { home })
      const { movements } = statement.json() as {
        readonly movements: ReadonlyArray<{ readonly kind: string; readonly credits: string; readonly owed: string }>
      }
      const commits = movements.filter(
        ({ kind, credits, owed }) => kind === "charge" && Number(owed) - Number(credits) > 0.05
      )
      assert.strictEqual(commits.length, PHOTOS + 2)
    })
  )

  it.live("a stolen cookie shows no token and not the seed, wherever it is used", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const { address } = yield* started(home)
      const chromium = yield* browser
      const { page } = yield* Effect.promise(() => enter(chromium, home))
      const [cookie] = yield* Effect.promise(() => page.browserContext().cookies())
      assert.deepInclude({ ...cookie }, { httpOnly: true, sameSite: "Strict" })
      const { origin, port } = new URL(address)
      const stolen = (path: string, csrf?: string) =>
        Effect.callback<string>((resume) => {
          const headers = {
            cookie: `${cookie!.name}=${cookie!.value}`,
            origin,
            "sec-fetch-site": "same-origin",
            ...(csrf === undefined ? {} : { "treemark-csrf": csrf })
          }
          request({ host: "127.0.0.1", port, path, headers }, (answer) => {
            let text = ""
            answer.on("data", (part: Buffer) => (text += part.toString("utf8")))
            answer.on("end", () => resume(Effect.succeed(text)))
          }).end()
        })
      const { csrf } = JSON.parse(yield* stolen("/console/session")) as { readonly csrf: string }
      const shown: Array<string> = []
      for (const path of [
        "/account",
        "/account/statement",
        "/assets",
        "/commits",
        "/console/tools",
        "/console/node",
        "/console/balances"
      ]) {
        const text = yield* stolen(path, csrf)
        assert.notInclude(text, "session_over", path)
        shown.push(text)
      }
      const backup = yield* treemarkd(["wallet", "backup", "--yes", "--json"], { home })
      const { words } = backup.json() as { readonly words: string }
      assert.isAbove(words.split(" ").length, 11)
      assert.notInclude(shown.join(), words)
      assert.notMatch(shown.join(), /tmk_|"seed"|"mnemonic"/)
      for (const path of ["/wallet/backup", "/wallet", "/accounts", "/metrics"]) {
        assert.include(yield* stolen(path, csrf), "not_found")
      }
    })
  )
})
