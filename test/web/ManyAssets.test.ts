/** The console over 100,000 assets: it opens at once, holds a few rows however far one scrolls, and each step of it costs less than a frame. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { isLong } from "../layers/Long.ts"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { isBrowserMissing, startBrowser } from "./Browser.ts"
import { enter } from "./ConsoleRig.ts"
import { giveAssets } from "./ManyAssets.ts"

const ASSETS = 100_000
const STEPS = 300
/** Milliseconds of work of the page's own thread, which other programs on the machine do not count to. */
const OPENING = 600
const FRAME = 16

const browser = Effect.acquireRelease(
  Effect.promise(() => startBrowser()),
  ({ close }) => Effect.promise(close)
)

withDaemon()("many assets", (it) => {
  it.effect.skipIf(isBrowserMissing || !isLong)("open within a second's work and scroll within a frame's", () =>
    Effect.gen(function* () {
      const { createAccount, home, url } = yield* RunningDaemon
      const { account } = yield* createAccount({ name: "archive" })
      giveAssets(home, account.id, ASSETS, Date.now())
      const chromium = yield* browser
      yield* Effect.promise(async () => {
        const { page } = await enter(chromium, home, "archive")
        const devtools = await page.createCDPSession()
        await devtools.send("Performance.enable", { timeDomain: "threadTicks" })
        const worked = async () => {
          const { metrics } = await devtools.send("Performance.getMetrics")
          return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN)
        }
        await page.goto("about:blank")
        const before = await worked()
        await page.goto(url)
        await page.waitForSelector(".tiles li")
        assert.isBelow((await worked()) - before, OPENING)
        const opened = await worked()
        const most = await page.evaluate(async (steps) => {
          let rows = 0
          for (let step = 0; step < steps; step++) {
            scrollBy(0, 400)
            await new Promise(requestAnimationFrame)
            rows = Math.max(rows, document.querySelectorAll(".tiles li").length)
          }
          return rows
        }, STEPS)
        assert.isBelow(((await worked()) - opened) / STEPS, FRAME)
        assert.isBelow(most, 150)
        assert.isAbove(await page.evaluate(() => scrollY), 400 * STEPS * 0.9)
        await page.type('input[type="search"]', "img_000007")
        await page.waitForFunction(() => document.querySelectorAll(".tiles li").length === 1)
      })
    })
  )
})
