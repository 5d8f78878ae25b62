/**
 * What people meet: eight cases on a phone and on a screen, by day and by night. Each says first what a reader must not miss, is green only where all
 * is proven to this reader, and is clean by axe.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { AxeResults } from "axe-core"
import type { Page } from "puppeteer-core"
import { asset, author, committer, proofFile, stranger, strangerKey, utf8 } from "../core/verification/Fixtures.ts"
import { verifyPage } from "../layers/Built.ts"
import { nameOf, proofOfCommit, writeFolder } from "../verify/HistoryFixtures.ts"
import { crafted } from "../verify/Oversized.ts"
import {
  type Chromium,
  drop,
  give,
  headline,
  isBrowserMissing,
  isGreen,
  open,
  startBrowser,
  textOf,
  untilCompared,
  untilHeadline
} from "./Browser.ts"
import { proofFor, written } from "./WebProofs.ts"

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const RESAVED = utf8("the asset's bytes, saved anew")

/** On a phone and on a screen, by day and by night: nothing hangs over the edge, and axe finds nothing. */
const inEveryView = async (tab: Page): Promise<void> => {
  await tab.evaluate(AXE)
  for (const width of [390, 1280]) {
    await tab.setViewport({ width, height: 900 })
    assert.isAtMost(await tab.evaluate(() => document.documentElement.scrollWidth), width)
    for (const value of ["light", "dark"]) {
      await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value }])
      const found = (await tab.evaluate("axe.run({ iframes: false })")) as AxeResults
      const told = found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`))
      assert.deepStrictEqual(told, [], `${width} ${value}`)
      const folder = process.env.TREEMARK_SCREENSHOTS
      if (folder === undefined) continue
      const title = await headline(tab)
      await tab.screenshot({
        path: `${folder}/${title?.replaceAll(/\W+/g, "-")}-${width}-${value}.png`,
        fullPage: true
      })
    }
  }
}

describe.skipIf(isBrowserMissing)("what the page says", () => {
  let chromium: Chromium
  let url = ""

  beforeAll(async () => {
    chromium = await startBrowser()
    url = `file://${written(chromium.folder, "verify.html", verifyPage())}`
  })
  afterAll(() => chromium?.close())

  const file = (name: string, content: string | Uint8Array) => written(chromium.folder, name, content)

  it("the same file and a key that the reader knows: full success, by the name in the reader's list", async () => {
    const { errors, page: tab } = await open(chromium, url)
    await drop(tab, [
      ["photo.jpg", asset],
      ["photo.proof.json", proofFile],
      ["authors", `${author} "Ada Lovelace"\n`]
    ])
    await untilHeadline(tab, "This is the file, and Ada Lovelace signed the record of it")
    assert.isTrue(await isGreen(tab))
    assert.include(await textOf(tab, "#answer-file"), "Yes, byte for byte.")
    assert.include(await textOf(tab, "#answer-who"), "Ada Lovelace, as your list of authors says")
    assert.include(await textOf(tab, "#answer-when"), "Not proven. The file says: 14 November 2023")
    assert.match(
      await textOf(tab, "#checked-at"),
      /^Checked on \d+ \w+ \d{4} at [\d:]+ UTC on this device, by Treemark \d/
    )
    await tab.emulateMediaType("print")
    const printed = await textOf(tab, "body")
    assert.match(
      printed,
      /This is the file, and Ada Lovelace signed[\s\S]*Who signed it[\s\S]*Checked on \d+ \w+ \d{4}/
    )
    assert.notMatch(printed, /Choose the file|Choose your list|Address of the person you expect|Print this page/)
    await tab.emulateMediaType("screen")
    await inEveryView(tab)
    assert.deepStrictEqual(errors, [])
    await tab.close()
  })

  it("the same file and an unknown key: the file is the same, and whose key it is stays open, without green", async () => {
    const { page: tab } = await open(chromium, url)
    await drop(tab, [
      ["photo.proof.json", proofFile],
      ["photo.jpg", asset]
    ])
    await untilHeadline(tab, "you have not confirmed whose key signed it")
    assert.isFalse(await isGreen(tab))
    const who = await textOf(tab, "#answer-who")
    assert.include(who, `A key that you have not confirmed: ${author}`)
    assert.include(who, "That is the signer’s own word; nobody has checked it.")
    assert.notInclude(await textOf(tab, "#verdict"), "Confirmed")
    await inEveryView(tab)
    await tab.close()
  })

  it("a photo that was saved anew: another file first, then that the record holds, then what to do", async () => {
    const { page: tab } = await open(chromium, url)
    await drop(tab, [["photo.proof.json", proofFile]])
    await untilHeadline(tab, "The record holds")
    await give(tab, "asset-file", file("photo.jpg", RESAVED))
    await untilCompared(tab)
    const said = await textOf(tab, "#verdict")
    const order = [
      "This is not the file that was signed",
      "The record itself holds",
      "Ask for the original file",
      "Messengers, mail programs and editors change files"
    ].map((part) => said.indexOf(part))
    assert.isAtLeast(Math.min(...order), 0)
    assert.deepStrictEqual(
      order,
      order.toSorted((left, right) => left - right)
    )
    assert.isTrue(await tab.$eval("#verdict", (card) => card.classList.contains("tone-amber")))
    assert.notInclude(said, "Do not rely")
    await inEveryView(tab)
    await tab.close()
  })

  it("an impostor with the creator's name: the name is the signer's own word, and no other than the key is named", async () => {
    const impostor = proofFor(asset, {}, { key: strangerKey })
    const { page: tab } = await open(chromium, url)
    await drop(tab, [
      ["photo.proof.json", impostor],
      ["photo.jpg", asset],
      ["authors", `${author} "Ada 👩‍🔬"\n`]
    ])
    await untilHeadline(tab, "Not confirmed")
    assert.isFalse(await isGreen(tab))
    const who = await textOf(tab, "#answer-who")
    assert.include(who, `A key that is not in your list: ${stranger}`)
    assert.match(who, /In the file the signer calls themselves “Ada 👩‍🔬”\. That is the signer’s own word/)
    assert.notInclude(await textOf(tab, "#verdict"), "Ada")
    assert.match(await textOf(tab, "#facts"), /What the signer calls themselves\s+Ada/)
    assert.notMatch(await textOf(tab, "#facts"), /Made by/)
    await inEveryView(tab)
    await tab.close()
  })

  it("a file made to crash the page, after a good one: nothing of the good one is left, and no later file brings it back", async () => {
    const { page: tab } = await open(chromium, url)
    await drop(tab, [
      ["good.proof.json", proofFile],
      ["photo.jpg", asset],
      ["authors", `${author} "Ada Lovelace"\n`]
    ])
    await untilHeadline(tab, "Ada Lovelace signed")
    await give(tab, "proof-file", file("crafted.proof.json", crafted[0]!.text()))
    await untilHeadline(tab, "Do not rely on this")
    assert.isFalse(await isGreen(tab))
    assert.notMatch(await textOf(tab, "body"), /signed the record of it|byte for byte/)
    await give(tab, "asset-file", file("photo.jpg", asset))
    await tab.waitForFunction(() => document.querySelector("#reading")!.hasAttribute("hidden"))
    assert.isFalse(await isGreen(tab))
    await inEveryView(tab)
    await tab.close()
  })

  it("a revoked key: said first, and never the name alone", async () => {
    const { page: tab } = await open(chromium, url)
    await drop(tab, [
      ["photo.proof.json", proofFile],
      ["photo.jpg", asset],
      ["authors", `${author} "Ada Lovelace" revoked=2023-01-01 reason="laptop stolen"\n${author} "Ada Lovelace"\n`]
    ])
    await untilHeadline(tab, "Signed with a key that your list calls revoked")
    assert.isFalse(await isGreen(tab))
    assert.include(await textOf(tab, "#answer-who"), `A key that your list calls revoked: ${author}`)
    assert.include(await textOf(tab, "#answer-who"), "Add a checkpoint file")
    await inEveryView(tab)
    await tab.close()
  })

  it("a stranger's act: the work is its author's, what was done is the word of the wallet that recorded it", async () => {
    const sold = proofFor(asset, {}, { record: { abstract: "I sell all rights" } })
    const { page: tab } = await open(chromium, url)
    await drop(tab, [["photo.proof.json", sold]])
    await untilHeadline(tab, "The record holds")
    const [work, , act] = await tab.$$eval("#facts > section", (all) =>
      all.map((one) => (one as unknown as { readonly innerText: string }).innerText)
    )
    assert.include(work, author)
    assert.notInclude(work, "I sell all rights")
    assert.match(String(act), /I sell all rights\s+claimed/)
    assert.include(act, `the wallet ${committer}. This is that wallet’s word, not the author’s.`)
    await inEveryView(tab)
    await tab.close()
  })

  it("a history of five entries: who, which act, what changed, and each entry opens its proof", async () => {
    const parts = [0, 1, 2, 3, 4].map((at) => ({ proof: proofOfCommit(at), isLeftOut: at === 3 }))
    const folder = writeFolder(parts)
    const names = ["history.json", ...[0, 1, 2, 4].map(nameOf)]
    const { page: tab } = await open(chromium, url)
    await drop(
      tab,
      names.map((name) => [name, readFileSync(`${folder}/${name}`)] as const)
    )
    await untilHeadline(tab, "Not every entry is confirmed")
    const letters = await tab.$$eval("#entries .letter", (all) => all.map(({ textContent }) => textContent))
    assert.deepStrictEqual([letters.length, letters[3]], [5, "N"])
    const second = await textOf(tab, "#entries li:nth-child(2)")
    assert.match(second, /^\s*G\s+Entry 2 · [^·]*UTC\s+claimed/)
    assert.match(second, /Signed by 0x[0-9a-fA-F]{40}/)
    assert.include(second, `action-commit, by the wallet ${committer}`)
    assert.match(second, /Changed: headline\s+before: photo 0 „é“\s+now: photo 1 „é“/)
    assert.isFalse(await isGreen(tab))
    await inEveryView(tab)
    await tab.click("#entries li:nth-child(2) button")
    await untilHeadline(tab, "The record holds")
    assert.include(await textOf(tab, "#verdict"), "Proof: 0002.proof.json")
    await tab.click("#back")
    await untilHeadline(tab, "Not every entry is confirmed")
    await tab.close()
  })

  it("the index of a history without its proofs: what else to give, and nothing that sounds like a fault", async () => {
    const folder = writeFolder([0, 1].map((at) => ({ proof: proofOfCommit(at) })))
    const { page: tab } = await open(chromium, url)
    await drop(tab, [["history.json", readFileSync(`${folder}/history.json`)]])
    await untilHeadline(tab, "This is not a history that can be read")
    assert.include(await textOf(tab, "#verdict"), "history.json and the proofs that it names")
    await tab.close()
  })
})
