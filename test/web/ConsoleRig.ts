/** The console in Chromium for a test: signed in by the address that `treemarkd open` makes, and each view looked at as axe looks at it. */
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import type { AxeResults } from "axe-core"
import type { Page } from "puppeteer-core"
import { type Chromium, open, type Watched } from "./Browser.ts"

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** An address that signs in once, over the socket that `treemarkd open` uses. */
export const signInUrl = (home: string, account: string | null = null): Promise<string> =>
  new Promise((resolve, reject) => {
    const asking = request(
      {
        socketPath: join(home, "treemarkd.sock"),
        path: "/console/sign-in",
        method: "POST",
        headers: { "content-type": "application/json" }
      },
      (answer) => {
        const parts: Array<Buffer> = []
        answer.on("data", (part: Buffer) => parts.push(part))
        answer.on("end", () => resolve((JSON.parse(Buffer.concat(parts).toString("utf8")) as { url: string }).url))
      }
    )
    asking.on("error", reject)
    asking.end(JSON.stringify({ account }))
  })

/** The console, signed in; the code is gone from the address by then. */
export const enter = async (chromium: Chromium, home: string, account: string | null = null): Promise<Watched> => {
  const watched = await open(chromium, await signInUrl(home, account))
  await watched.page.waitForSelector("nav")
  assert.notInclude(watched.page.url(), "code=")
  return watched
}

/** Goes to a view, by its link. */
export const goTo = async (page: Page, view: string): Promise<void> => {
  await page.click(`nav a[href="#/${view}"]`)
  await page.waitForFunction((name) => document.querySelector(`nav a[aria-current="page"][href="#/${name}"]`), {}, view)
  await page.waitForFunction(() => !/Looking…/.test(document.querySelector("main")?.textContent ?? ""))
}

/** Clicks what is called `name`, as soon as it is there. */
export const clickOn = (page: Page, selector: string, name: string) =>
  page.waitForFunction(
    (wanted, text) => {
      const found = [...document.querySelectorAll<HTMLElement>(wanted)].find(({ textContent }) => textContent === text)
      found?.click()
      return found !== undefined
    },
    {},
    selector,
    name
  )

/** On a phone and on a screen, by day and by night: nothing hangs over the edge, and axe finds nothing. */
export const isClean = async (page: Page, name: string): Promise<void> => {
  await page.evaluate(AXE)
  for (const [width, scheme] of [
    [390, "light"],
    [390, "dark"],
    [1280, "dark"],
    [1280, "light"]
  ] as const) {
    await page.setViewport({ width, height: 900 })
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }])
    assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), width, name)
    const found = (await page.evaluate("axe.run()")) as AxeResults
    const told = found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`))
    assert.deepStrictEqual(told, [], `${name} ${width} ${scheme}`)
    const folder = process.env.TREEMARK_SCREENSHOTS
    if (folder !== undefined) {
      await page.screenshot({ path: `${folder}/console-${name}-${width}-${scheme}.png`, fullPage: true })
    }
  }
}
