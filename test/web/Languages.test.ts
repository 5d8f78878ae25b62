/** The page in six languages: the browser's first, each whole, every sentence translated wherever the page goes, and still one small file. */
import { readFileSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Page } from "puppeteer-core"
import { LANGUAGES, preferred } from "../../packages/verify/web/Language.ts"
import { english, type Key } from "../../packages/verify/web/languages/English.ts"
import { asset, author, proofFile, utf8 } from "../core/verification/Fixtures.ts"
import { verifyPage } from "../layers/Built.ts"
import { nameOf, proofOfCommit, writeFolder } from "../verify/HistoryFixtures.ts"
import {
  type Chromium,
  drop,
  headline,
  isBrowserMissing,
  open,
  startBrowser,
  textOf,
  untilHeadline
} from "./Browser.ts"
import { tampered, written } from "./WebProofs.ts"

const KEYS = Object.keys(english) as ReadonlyArray<Key>
const placeholders = (text: string): ReadonlyArray<string> => [...text.matchAll(/\{\w+\}/g)].map(([one]) => one).sort()

describe("the languages of the page", () => {
  it("tell each sentence with the same values, and leave none empty", () => {
    for (const { strings, tag } of LANGUAGES) {
      for (const key of KEYS) {
        assert.deepStrictEqual(placeholders(strings[key]), placeholders(english[key]), `${tag} ${key}`)
        assert.isAbove(strings[key].length, 0, `${tag} ${key}`)
        assert.deepStrictEqual(strings[key].trim(), strings[key], `${tag} ${key}`)
      }
    }
  })

  it("are chosen in the order in which the browser wants them, whatever the region, English at last", () => {
    const chosen = (...wanted: ReadonlyArray<string>) => preferred(wanted).tag
    assert.strictEqual(chosen("de-AT", "en"), "de")
    assert.strictEqual(chosen("pt-BR", "es-MX", "en"), "es")
    assert.strictEqual(chosen("zh-TW"), "zh-Hant")
    assert.strictEqual(chosen("zh-Hant-HK", "en"), "zh-Hant")
    assert.strictEqual(chosen("fi", "tlh"), "en")
    assert.strictEqual(chosen(), "en")
  })
})

describe.skipIf(isBrowserMissing)("the page in six languages", () => {
  let chromium: Chromium
  let url = ""

  beforeAll(async () => {
    chromium = await startBrowser()
    const page = verifyPage()
    assert.isBelow(Buffer.byteLength(page), 180_000)
    url = `file://${written(chromium.folder, "verify.html", page)}`
  })
  afterAll(() => chromium?.close())

  /** Sentences on the page, hidden ones too, that stand in the table in English, and words of the table's own that were not filled in. */
  const leftInEnglish = async (tab: Page, tag: string): Promise<ReadonlyArray<string>> => {
    const texts = await tab.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      const found: Array<string> = []
      while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement!
        if (parent.closest("script, #not-started, bdi.strange, [lang]:not(html)") === null)
          found.push(walker.currentNode.textContent!)
      }
      const labels = [...document.querySelectorAll("[aria-label]:not([lang=en] *)")].map((one) => one.ariaLabel ?? "")
      return [...found, ...labels, document.title]
    })
    const { strings } = LANGUAGES.find((one) => one.tag === tag)!
    const foreign = new Set(KEYS.filter((key) => strings[key] !== english[key]).map((key) => english[key] as string))
    return texts.filter((text) => foreign.has(text.trim()) || /\{\w+\}/.test(text))
  }

  for (const { strings, tag } of LANGUAGES) {
    it(`says everything in ${tag}: start, result, another file, a broken proof, a wrong file, a history`, async () => {
      const { page: tab } = await open(chromium, url, { languages: [tag], width: 390 })
      const folder = process.env.TREEMARK_SCREENSHOTS
      const check = async (place: string) => {
        assert.strictEqual(await tab.evaluate(() => document.documentElement.lang), tag)
        assert.deepStrictEqual(tag === "en" ? [] : await leftInEnglish(tab, tag), [], place)
        assert.isAtMost(await tab.evaluate(() => document.documentElement.scrollWidth), 390, place)
        if (folder !== undefined) await tab.screenshot({ path: `${folder}/${tag}-${place}.png`, fullPage: true })
      }
      await check("start")
      await drop(tab, [
        ["photo.proof.json", proofFile],
        ["photo.jpg", asset],
        ["authors", `${author} "Ada Lovelace"\n`]
      ])
      await untilHeadline(tab, strings.headFullNamed.replace("{name}", "Ada Lovelace"))
      await check("full")
      await drop(tab, [["photo.jpg", utf8("saved anew")]])
      await untilHeadline(tab, strings.headDifferent)
      await check("different")
      await drop(tab, [
        ["a.jpg", asset],
        ["b.jpg", asset]
      ])
      await tab.waitForSelector("#notice:not([hidden])")
      await check("problem")
      await drop(tab, [["bad.proof.json", tampered(proofFile)]])
      await untilHeadline(tab, strings.headBad)
      assert.notInclude(await textOf(tab, "#facts"), "Ada Lovelace")
      await check("bad")
      const files = ["history.json", ...[0, 1].map(nameOf)]
      const history = writeFolder([0, 1].map((at) => ({ proof: proofOfCommit(at) })))
      await drop(
        tab,
        files.map((name) => [name, readFileSync(`${history}/${name}`)] as const)
      )
      await untilHeadline(tab, strings.historyOpen)
      await check("history")
      await tab.close()
    })
  }

  it("is switched on the page, with what is shown said again and nothing of it lost", async () => {
    const { page: tab } = await open(chromium, url)
    await drop(tab, [
      ["photo.proof.json", proofFile],
      ["photo.jpg", asset]
    ])
    await untilHeadline(tab, "you have not confirmed whose key signed it")
    await tab.select("#language", "fr")
    await untilHeadline(tab, "C’est le fichier signé, mais vous n’avez pas confirmé à qui est la clé")
    await tab.select("#language", "en")
    await untilHeadline(tab, "you have not confirmed whose key signed it")
    assert.isString(await headline(tab))
    await tab.close()
  })
})
