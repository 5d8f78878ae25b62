/** The page in Chromium, from a file, as a recipient opens it: verdicts, the asset beside the proof, what it says about both. */
import { readFileSync, truncateSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser } from "puppeteer-core"
import { proofPage } from "../../packages/verify/src/ProofPage.ts"
import { asset, author, proofFile, stranger, utf8 } from "../core/verification/Fixtures.ts"
import { verifyPage } from "../layers/Built.ts"
import { give, isBrowserMissing, open, startOwnBrowser, textOf, untilCompared, untilVerdict } from "./Browser.ts"
import { proofFor, tampered, written } from "./WebProofs.ts"

/** sha256 of 2^29 zero bytes, from `head -c 512M /dev/zero | sha256sum`. */
const ZEROS_SHA256 = "9acca8e8c22201155389f65abbf6bc9723edc7384ead80503839f49dcc56d767"
const PHOTO = new URL("../../packages/daemon/sample/espresso.png", import.meta.url)

describe.skipIf(isBrowserMissing)("the page that verifies, opened from a file", () => {
  let chromium: Awaited<ReturnType<typeof startOwnBrowser>>
  let page = ""
  let empty = ""

  beforeAll(async () => {
    chromium = await startOwnBrowser()
    page = verifyPage()
    empty = `file://${written(chromium.folder, "verify.html", page)}`
  })
  afterAll(() => chromium?.close())

  const file = (name: string, content: string | Uint8Array) => written(chromium.folder, name, content)
  const withProof = (name: string, proof: string) =>
    `file://${file(name, proofPage(page, utf8(proof), "a.proof.json"))}`

  it("is one file under 200 kB", () => {
    assert.isBelow(Buffer.byteLength(page), 200_000)
    assert.notMatch(page, /\b(src|srcset|action)="?https?:/)
  })

  it("takes a proof from the picker and puts the verdict first, in words", async () => {
    const { errors, page: tab } = await open(chromium, empty)
    await give(tab, "proof-file", file("good.json", proofFile))
    await untilVerdict(tab, "valid")
    const verdict = await textOf(tab, "#verdict")
    assert.match(verdict, /The record holds\. Two questions are open: your file, and whose key this is/)
    assert.include(verdict, "verdict valid, file not-given, who unknown, when claimed")
    assert.include(await textOf(tab, "#answer-who"), author)
    assert.strictEqual(await textOf(tab, "#tree-title"), "The text that was signed")
    assert.strictEqual(await tab.$eval(":focus", (focused) => focused.id), "verdict-title")
    assert.match(
      await textOf(tab, "#announce"),
      /The record holds\. Two questions are open[\s\S]*verdict valid, file not-given/
    )
    assert.deepStrictEqual(errors, [])
    await tab.close()
  })

  it("takes a proof as pasted text, and a page with a proof inside as that proof", async () => {
    const { page: tab } = await open(chromium, empty)
    await tab.click("#paste-box summary")
    await tab.$eval("#proof-text", (box, text) => Object.assign(box, { value: text }), proofFile)
    await tab.click("#proof-text-check")
    await untilVerdict(tab, "valid")
    await tab.click("#again")
    await give(tab, "proof-file", file("page.html", proofPage(page, utf8(tampered(proofFile)), "a.proof.json")))
    await untilVerdict(tab, "invalid")
    await tab.close()
  })

  it("says that a proof that was changed does not hold, and why", async () => {
    const { page: tab } = await open(chromium, withProof("tampered.html", tampered(proofFile)))
    await untilVerdict(tab, "invalid")
    assert.match(await textOf(tab, "#verdict"), /Do not rely on this[\s\S]*another fingerprint than the one named/)
    assert.match(await tab.$eval("#checks", (checks) => checks.textContent ?? ""), /tree_sha256_differs/)
    assert.strictEqual(await textOf(tab, "#tree-title"), "The text in this proof")
    await tab.close()
  })

  it("refuses what is no proof with a reason, when nothing else is shown", async () => {
    const { page: tab } = await open(chromium, empty)
    await give(tab, "proof-file", file("record.json", '{"assetTreeSignature":"0"}'))
    await untilVerdict(tab, "problem")
    assert.match(await textOf(tab, "#verdict"), /This is not a proof[\s\S]*it looks like a commit record/)
    assert.isTrue(await tab.$eval("#result", (result) => (result as HTMLElement).hidden))
    await tab.close()
  })

  it("compares the asset: the right one, then another one", async () => {
    const { errors, page: tab } = await open(chromium, withProof("asset.html", proofFile))
    await give(tab, "asset-file", file("right.bin", asset))
    await untilCompared(tab)
    await untilVerdict(tab, "valid")
    assert.include(await textOf(tab, "#answer-file"), "Yes, byte for byte.")
    await give(tab, "asset-file", file("wrong.bin", "another file"))
    await untilVerdict(tab, "invalid")
    assert.include(await textOf(tab, "#answer-file"), "No. It is another file.")
    assert.deepStrictEqual(errors, [])
    await tab.close()
  })

  it("shows what the person's own trust changes: an expected signer, authors, a checkpoint", async () => {
    const { page: tab } = await open(chromium, withProof("trust.html", proofFile))
    await tab.type("#expected", stranger)
    await tab.keyboard.press("Tab")
    await untilVerdict(tab, "unconfirmed")
    assert.include(await textOf(tab, "#verdict"), "Not signed by the key that you expect")
    await tab.$eval("#expected", (field) => Object.assign(field, { value: "0x12" }).dispatchEvent(new Event("change")))
    await untilVerdict(tab, "valid")
    assert.match(await textOf(tab, "#expected-state"), /40 hexadecimal digits/)
    await give(tab, "authors-file", file("authors", `${stranger} "Somebody Else"\n`))
    await untilVerdict(tab, "unconfirmed")
    assert.include(await textOf(tab, "#verdict"), "The key is not in your list of authors.")
    assert.include(await textOf(tab, "#authors-state"), "In use: authors")
    await give(tab, "checkpoint-file", file("not-one.json", "{}"))
    await tab.waitForSelector("#notice:not([hidden])")
    assert.match(
      await textOf(tab, "#notice"),
      /not a checkpoint that can be read[\s\S]*not-one\.json: it looks like JSON/
    )
    await tab.close()
  })

  it("saves the proof that is inside, byte for byte", async () => {
    const odd = `${proofFile}  \r\n`
    const { page: tab } = await open(chromium, withProof("save.html", odd))
    await untilVerdict(tab, "valid")
    // The page's own policy forbids fetch, so the blob is followed the way a person does.
    const client = await tab.createCDPSession()
    await client.send("Browser.setDownloadBehavior", {
      behavior: "allow",
      downloadPath: chromium.folder,
      eventsEnabled: true
    })
    const done = new Promise<void>((resolve) =>
      client.on("Browser.downloadProgress", ({ state }) => state === "completed" && resolve())
    )
    await tab.click("#save")
    await done
    assert.strictEqual(readFileSync(`${chromium.folder}/a.proof.json`, "utf8"), odd)
    await tab.close()
  })

  it("reads an asset of 512 MB without holding it in memory", { timeout: 600_000 }, async () => {
    const zeros = file("zeros.bin", "")
    truncateSync(zeros, 2 ** 29)
    const big = withProof("big.html", proofFor(utf8("x"), { assetSha256: ZEROS_SHA256, assetCid: "not comparable" }))
    const { page: tab } = await open(chromium, big)
    const before = heaviest(chromium.browser)
    await give(tab, "asset-file", zeros)
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, heaviest(chromium.browser))
    }, 100)
    await untilCompared(tab).finally(() => clearInterval(watch))
    assert.include(await textOf(tab, "#answer-file"), "Yes, byte for byte.")
    assert.isBelow(most - before, 80)
    await tab.close()
  })

  it("draws a picture, and shows markup as text", async () => {
    const photo = readFileSync(PHOTO)
    const { errors, page: tab } = await open(chromium, withProof("photo.html", proofFor(photo)))
    await give(tab, "asset-file", file("photo.exe", photo))
    await tab.waitForFunction(`document.querySelector("#preview img")?.naturalWidth > 100`)
    const markup = '<svg xmlns="http://www.w3.org/2000/svg" onload="parent.document.title=1"><script>1</script></svg>'
    await give(tab, "asset-file", file("picture.svg", markup))
    await tab.waitForSelector("#preview pre")
    assert.strictEqual(await textOf(tab, "#preview pre"), markup)
    assert.strictEqual(await tab.$("#preview svg"), null)
    assert.deepStrictEqual(errors, [])
    await tab.close()
  })

  it("does not draw a small file that names a huge picture", async () => {
    const bomb = Buffer.from(readFileSync(PHOTO))
    bomb.writeUInt32BE(60_000, 16)
    bomb.writeUInt32BE(60_000, 20)
    const { page: tab } = await open(chromium, withProof("bomb.html", proofFor(bomb)))
    await give(tab, "asset-file", file("bomb.png", bomb))
    await tab.waitForFunction(`document.querySelector("#preview").textContent.includes("too large to show")`)
    await untilVerdict(tab, "valid")
    await tab.close()
  })
})

/** Resident memory of the heaviest process of this browser, in MB; the renderer's, when one grows. */
const heaviest = (browser: Browser): number => {
  const children = (id: number): ReadonlyArray<number> =>
    read(`/proc/${id}/task/${id}/children`)
      .split(" ")
      .filter((child) => child !== "")
      .flatMap((child) => [Number(child), ...children(Number(child))])
  const sizes = children(browser.process()!.pid!).map((id) =>
    Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${id}/status`))?.[1] ?? 0)
  )
  return Math.max(0, ...sizes) / 1000
}

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
