/** The verdict cannot be made to stay: it goes before anything new is looked at, and whatever throws ends in "do not rely on this". */
import { readFileSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Page } from "puppeteer-core"
import { asset, author, proofFile } from "../core/verification/Fixtures.ts"
import { verifyPage } from "../layers/Built.ts"
import { blocksOf, carOf, proofOfCommit } from "../verify/HistoryFixtures.ts"
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
  untilHeadline
} from "./Browser.ts"
import { written } from "./WebProofs.ts"

const PHOTO = readFileSync(new URL("../../packages/daemon/sample/espresso.png", import.meta.url))
const FULL = [
  ["good.proof.json", proofFile],
  ["photo.jpg", asset],
  ["authors", `${author} "Ada Lovelace"\n`]
] as const

describe.skipIf(isBrowserMissing)("the verdict of the page", () => {
  let chromium: Chromium
  let url = ""

  beforeAll(async () => {
    chromium = await startBrowser()
    url = `file://${written(chromium.folder, "verify.html", verifyPage())}`
  })
  afterAll(() => chromium?.close())

  const file = (name: string, content: string | Uint8Array) => written(chromium.folder, name, content)
  const confirmed = async (): Promise<Page> => {
    const { page: tab } = await open(chromium, url)
    await drop(tab, FULL)
    await untilHeadline(tab, "Ada Lovelace signed")
    assert.isTrue(await isGreen(tab))
    return tab
  }
  const isNothingLeft = async (tab: Page): Promise<void> => {
    assert.isFalse(await isGreen(tab))
    assert.notMatch(await textOf(tab, "body"), /Ada Lovelace|byte for byte/)
  }

  /** Places within verification and within showing, each broken as the page's next step meets it. */
  const THROWS: Readonly<Record<string, string>> = {
    "looking at a member": `Object.hasOwn = () => { throw new RangeError("forced") }`,
    "decoding text": `TextDecoder.prototype.decode = () => { throw new RangeError("forced") }`,
    "comparing bytes": `Uint8Array.prototype.subarray = () => { throw new RangeError("forced") }`,
    "recovering the signer": `globalThis.BigInt = Object.assign(() => { throw new RangeError("forced") }, BigInt)`,
    "writing times": `Date.prototype.toLocaleString = () => { throw new RangeError("forced") }`
  }
  for (const [place, breaking] of Object.entries(THROWS)) {
    it(`is gone when ${place} throws, names the file, and comes back with nothing given later`, async () => {
      const tab = await confirmed()
      await tab.evaluate(breaking)
      await give(tab, "proof-file", file("odd.proof.json", proofFile))
      await tab.waitForSelector("#verdict.crash:not([hidden])")
      assert.strictEqual(await headline(tab), "Do not rely on this")
      assert.include(await textOf(tab, "#verdict"), "odd.proof.json")
      await isNothingLeft(tab)
      await give(tab, "asset-file", file("photo.jpg", asset))
      await new Promise((resolve) => setTimeout(resolve, 200))
      await isNothingLeft(tab)
      await tab.close()
    })
  }

  it("is gone whatever a file costs to look at, and nothing of it is green afterwards", async () => {
    const tab = await confirmed()
    for (const { text, title } of crafted.slice(0, 3)) {
      await drop(tab, FULL)
      await untilHeadline(tab, "Ada Lovelace signed")
      await give(tab, "proof-file", file("crafted.proof.json", text()))
      await tab.waitForFunction(
        () =>
          !/Ada Lovelace signed/.test(document.body.innerText) &&
          document.querySelector("#verdict:not([hidden])") !== null
      )
      assert.isFalse(await isGreen(tab), title)
    }
    await tab.close()
  })

  it("is gone while a file is read, and nothing is green until it has been", async () => {
    const tab = await confirmed()
    await tab.evaluate(() => {
      const read = Blob.prototype.arrayBuffer
      Blob.prototype.arrayBuffer = async function () {
        await new Promise((resolve) => Object.assign(globalThis, { goOn: resolve }))
        return read.call(this)
      }
    })
    await give(tab, "proof-file", file("slow.proof.json", proofFile))
    await tab.waitForSelector("#reading:not([hidden])")
    assert.include(await textOf(tab, "#reading"), "Reading: slow.proof.json")
    assert.include(await textOf(tab, "#reading"), "Nothing is decided until it has been read.")
    assert.isUndefined(await headline(tab))
    await isNothingLeft(tab)
    await tab.close()
  })

  it("tells a proof and its file apart that are dropped together, in either order", async () => {
    for (const files of [FULL, FULL.toReversed()]) {
      const { page: tab } = await open(chromium, url)
      await drop(tab, files)
      await untilHeadline(tab, "Ada Lovelace signed")
      assert.match(await textOf(tab, "#verdict"), /Proof: good\.proof\.json\s+File: photo\.jpg/)
      await tab.close()
    }
  })

  it("names files that do not go together, uses none of them, and keeps the proof that is shown", async () => {
    const { page: tab } = await open(chromium, url)
    const cases = [
      [
        ["one.json", proofFile],
        ["two.json", proofFile]
      ],
      [
        ["photo.png", PHOTO],
        ["photo.jpg", asset],
        ["one.json", proofFile]
      ],
      [
        ["a.car", await carOf(blocksOf([{ proof: proofOfCommit(0) }]))],
        ["photo.png", PHOTO]
      ]
    ] as const
    for (const files of cases) {
      await drop(tab, files)
      await untilHeadline(tab, "These files do not go together")
      const said = await textOf(tab, "#verdict")
      for (const name of [files[0][0], files[1][0]]) assert.include(said, name)
    }
    await drop(tab, FULL)
    await untilHeadline(tab, "Ada Lovelace signed")
    await drop(tab, cases[0])
    await tab.waitForSelector("#notice:not([hidden])")
    assert.match(await textOf(tab, "#notice"), /one\.json · two\.json[\s\S]*still that of good\.proof\.json/)
    assert.include(await headline(tab), "Ada Lovelace signed")
    await tab.close()
  })

  it("says of what is no proof what it is and what to give instead, and keeps the proof that is shown", async () => {
    const tab = await confirmed()
    const given = [
      ["photo.png", PHOTO, "a picture"],
      ["empty.json", "", "an empty file"],
      ["cut.json", '{"assetTreeSha256":', "JSON that is damaged or cut off"],
      ["paper.pdf", "%PDF-1.7\n\x80", "a PDF document"],
      ["all.zip", "PK\x03\x04\x14\0", "an archive or a compressed file"],
      ["page.html", "<!doctype html><p>hello", "a web page without a proof in it"],
      ["record.json", '{"assetTreeSignature":"0x"}', "a commit record without its proof"],
      ["people.txt", `${author} Ada\n`, "a list of authors"]
    ] as const
    for (const [name, content, kind] of given) {
      await give(tab, "proof-file", file(name, Buffer.from(content as string, "latin1")))
      await tab.waitForFunction(
        (wanted) => document.querySelector<HTMLElement>("#notice")!.innerText.includes(wanted),
        {},
        `${name}: it looks like ${kind}.`
      )
      assert.match(await textOf(tab, "#notice"), /This is not a proof[\s\S]*often called NAME\.proof\.json/)
      assert.include(await headline(tab), "Ada Lovelace signed")
    }
    await give(tab, "proof-file", file("cut.proof.json", proofFile.slice(0, -40)))
    await untilHeadline(tab, "This proof cannot be read")
    await isNothingLeft(tab)
    await tab.close()
  })
})
