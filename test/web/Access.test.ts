/** The page for everybody: axe finds nothing, the keyboard reaches all of it in order, a phone shows it, and what is said is announced. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { AxeResults } from "axe-core"
import type { Page } from "puppeteer-core"
import { proofPage } from "../../packages/verify/src/ProofPage.ts"
import { asset, proofFile, utf8 } from "../core/verification/Fixtures.ts"
import { verifyPage } from "../layers/Built.ts"
import { type Chromium, give, isBrowserMissing, open, startBrowser, untilCompared, untilVerdict } from "./Browser.ts"
import { tampered, written } from "./WebProofs.ts"

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** What axe holds against the page as it is, with every details open: rule and place. */
const violations = async (tab: Page): Promise<ReadonlyArray<string>> => {
  await tab.$$eval("details", (all) => {
    for (const one of all) one.open = true
  })
  await tab.evaluate(AXE)
  const found = (await tab.evaluate("axe.run({ iframes: false })")) as AxeResults
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`))
}

describe.skipIf(isBrowserMissing)("the page that verifies, for everybody", () => {
  let chromium: Chromium
  let page = ""

  beforeAll(async () => {
    chromium = await startBrowser()
    page = verifyPage()
  })
  afterAll(() => chromium?.close())

  const url = (name: string, html: string) => `file://${written(chromium.folder, name, html)}`
  const withProof = (name: string, proof: string) => url(name, proofPage(page, utf8(proof), "a.proof.json"))

  for (const view of [{ dark: false }, { dark: true }, { width: 360 }]) {
    it(`is clean by axe, empty, valid with the asset, and invalid: ${JSON.stringify(view)}`, async () => {
      const states: ReadonlyArray<readonly [string, string]> = [
        [url("empty.html", page), ""],
        [withProof("valid.html", proofFile), "valid"],
        [withProof("invalid.html", tampered(proofFile)), "invalid"]
      ]
      for (const [address, verdict] of states) {
        const { page: tab } = await open(chromium, address, view)
        if (verdict !== "") await untilVerdict(tab, verdict)
        if (verdict === "valid") {
          await give(tab, "asset-file", written(chromium.folder, "asset.txt", asset))
          await untilCompared(tab)
        }
        assert.deepStrictEqual(await violations(tab), [], verdict)
        const width = await tab.evaluate("document.documentElement.scrollWidth")
        assert.isAtMost(width as number, view.width ?? 1100)
        await tab.close()
      }
    })
  }

  it("is walked with the Tab key in reading order, with the focus seen at every stop", async () => {
    const { page: tab } = await open(chromium, withProof("keys.html", proofFile))
    await untilVerdict(tab, "valid")
    const stops: Array<{ readonly id: string; readonly top: number; readonly isSeen: boolean }> = []
    for (let at = 0; at < 60; at++) {
      await tab.keyboard.press("Tab")
      const stop = await tab.evaluate(() => {
        const focused = document.activeElement
        if (focused === null || focused === document.body) return undefined
        const shown =
          focused instanceof HTMLInputElement && focused.type === "file" ? focused.nextElementSibling! : focused
        const { outlineStyle, outlineWidth } = getComputedStyle(shown)
        const isSeen = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2
        return { id: focused.id || focused.tagName, top: focused.getBoundingClientRect().top + scrollY, isSeen }
      })
      if (stop === undefined) break
      stops.push(stop)
    }
    const ids = stops.map(({ id }) => id)
    assert.deepStrictEqual(ids.slice(0, 3), ["A", "language", "asset-file"])
    assert.includeMembers(ids, ["expected", "authors-file", "checkpoint-file", "save", "print", "again"])
    const summaries = await tab.$$eval("summary", (all) => all.filter((one) => one.checkVisibility()).length)
    assert.isAbove(summaries, 14)
    assert.strictEqual(ids.filter((id) => id === "SUMMARY").length, summaries)
    assert.deepStrictEqual(
      stops.filter(({ isSeen }) => !isSeen),
      []
    )
    await tab.close()
  })

  it("opens a check's details and another proof by the keyboard alone", async () => {
    const { page: tab } = await open(chromium, withProof("enter.html", proofFile))
    await untilVerdict(tab, "valid")
    await tab.focus("#checks summary")
    await tab.keyboard.press("Enter")
    assert.isTrue(await tab.$eval("#checks details", ({ open: isOpen }) => isOpen))
    await tab.focus("#again")
    await tab.keyboard.press("Enter")
    assert.strictEqual(await tab.$eval(":focus", ({ id }) => id), "proof-file")
    const chooser = tab.waitForFileChooser()
    // One answer of the page later it surely knows that a dialog is awaited.
    await tab.evaluate("0")
    await tab.keyboard.press("Enter")
    await (await chooser).accept([written(chromium.folder, "bad.json", tampered(proofFile))])
    await untilVerdict(tab, "invalid")
    await tab.close()
  })

  it("names no option of the command line to people who have none", async () => {
    const { page: tab } = await open(chromium, withProof("words.html", proofFile))
    await untilVerdict(tab, "valid")
    const said = await tab.$$eval(".check > div > p, #verdict p", (all) =>
      all.map(({ textContent }) => textContent ?? "")
    )
    assert.isAbove(said.length, 20)
    assert.deepStrictEqual(
      said.filter((text) => /--\w/.test(text)),
      []
    )
    await tab.close()
  })
})
