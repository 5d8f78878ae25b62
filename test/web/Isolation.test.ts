/** What the page and everything in it cannot do: reach the network, run what a proof or an asset holds, hide or reorder text. */
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { proofPage } from "../../packages/verify/src/ProofPage.ts"
import { asset, proofFile, utf8 } from "../core/verification/Fixtures.ts"
import { verifyPage } from "../layers/Built.ts"
import { type Chromium, give, isBrowserMissing, open, startBrowser, untilCompared, untilVerdict } from "./Browser.ts"
import { proofFor, written } from "./WebProofs.ts"

const WEB = new URL("../../packages/verify/web/", import.meta.url)

describe("the page's sources", () => {
  it("put no text in as markup and load nothing", () => {
    const unsafe =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|fetch\(|XMLHttpRequest|WebSocket|setAttribute\("on/
    const sources = readdirSync(WEB).filter((name) => name.endsWith(".ts"))
    assert.isAbove(sources.length, 10)
    // The proof that a link names is asked for in one place, which only a page that a daemon serves may do.
    assert.deepStrictEqual(
      sources.filter((name) => unsafe.test(readFileSync(new URL(name, WEB), "utf8"))),
      ["FromAddress.ts"]
    )
  })

  it("reach core's verification and files of this package that run anywhere, and nothing else", () => {
    const reached = new Set<string>()
    const others = new Set<string>()
    const walk = (file: URL) => {
      if (reached.has(file.href)) return
      reached.add(file.href)
      const imports = readFileSync(file, "utf8").matchAll(/^import (?!type )(?:[^"]*? from )?"([^"]+)"/gms)
      for (const [, to] of imports) {
        if (to!.startsWith(".")) walk(new URL(to!, file))
        else others.add(to!)
      }
    }
    walk(new URL("main.ts", WEB))
    assert.isAbove(reached.size, 30)
    assert.deepStrictEqual([...others], ["@treemark/core/verify"])
  })
})

describe("a page with a proof inside", () => {
  it("holds no byte of the proof as it was, and differs from the empty page in its data block alone", async () => {
    const page = verifyPage()
    const hostile = "</script><script>alert(1)</script><!--<script>$&$`$1"
    const made = proofPage(page, utf8(hostile), '</script>"<img>.json')
    assert.notInclude(made, "alert(1)")
    const block = /<script type="application\/json" id="embedded-proof">[^<]*<\/script>/
    assert.strictEqual(made.replace(block, ""), page.replace(block, ""))
    assert.throws(() => proofPage(made, utf8("{}"), "again.json"), /no empty place/)
  })
})

describe.skipIf(isBrowserMissing)("the page that verifies, in a hostile world", () => {
  let chromium: Chromium
  let page = ""

  beforeAll(async () => {
    chromium = await startBrowser()
    page = verifyPage()
  })
  afterAll(() => chromium?.close())

  const withProof = (name: string, proof: string) =>
    `file://${written(chromium.folder, name, proofPage(page, utf8(proof), "a.proof.json"))}`

  it("asks for nothing: not when opened, not for the proof, not for the asset", async () => {
    const { errors, page: tab, requests } = await open(chromium, withProof("quiet.html", proofFile))
    await give(tab, "asset-file", written(chromium.folder, "asset.bin", asset))
    await untilCompared(tab)
    assert.deepStrictEqual(requests, [])
    assert.deepStrictEqual(errors, [])
    await tab.close()
  })

  it("refuses every way to the network by its own policy", async () => {
    let asked = 0
    const server = createServer((_, answer) => {
      asked++
      answer.setHeader("access-control-allow-origin", "*").end("reached")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as { readonly port: number }
    const { errors, page: tab } = await open(chromium, withProof("cut.html", proofFile))
    const tried = await tab.evaluate(async (origin) => {
      const failed = (attempt: Promise<unknown>) =>
        attempt.then(
          () => "reached",
          () => "refused"
        )
      const image = new Image()
      const loaded = new Promise((resolve, reject) => Object.assign(image, { onload: resolve, onerror: reject }))
      image.src = `${origin}/image`
      const script = document.createElement("script")
      const ran = new Promise((resolve, reject) => Object.assign(script, { onload: resolve, onerror: reject }))
      script.src = `${origin}/script`
      document.body.append(script)
      const frame = document.createElement("iframe")
      frame.src = `${origin}/frame`
      document.body.append(frame)
      const form = document.createElement("form")
      form.action = `${origin}/form`
      document.body.append(form)
      form.submit()
      navigator.sendBeacon(`${origin}/beacon`)
      return Promise.all([failed(fetch(`${origin}/fetch`)), failed(loaded), failed(ran)])
    }, `http://127.0.0.1:${port}`)
    await new Promise((resolve) => setTimeout(resolve, 300))
    server.close()
    assert.deepStrictEqual(tried, ["refused", "refused", "refused"])
    assert.isAbove(errors.filter((error) => /Content Security Policy/i.test(error)).length, 4)
    assert.strictEqual(asked, 0)
    await tab.close()
  })

  it("runs no script but its own, wherever one is put", async () => {
    const { page: tab } = await open(chromium, withProof("scripts.html", proofFile))
    await tab.evaluate(`{
      const script = document.createElement("script")
      script.textContent = "globalThis.ran = true"
      document.body.append(script)
      const button = document.createElement("button")
      button.setAttribute("onclick", "globalThis.ran = true")
      document.body.append(button)
      button.click()
    }`)
    assert.isUndefined(await tab.evaluate("globalThis.ran"))
    await tab.close()
  })

  it("shows every string of the tree as text, what is unseen by its code, what is long cut", async () => {
    const hostile = '</script><img src=x onerror="globalThis.ran=1"><b>bold</b>'
    const unseen = "in\u202Evoice\u200B\u001b[31m\nnew\u2066line\u00ad\uFEFF\u{E0041}\u3164\u00a0."
    const proof = proofFor(asset, {
      headline: hostile,
      abstract: unseen,
      assetCreator: `Ada 👩‍🔬 ${"a".repeat(100_000)}`,
      encodingFormat: `Z${"\u0301".repeat(300)}`
    })
    const { errors, page: tab } = await open(chromium, withProof("hostile.html", proof), { width: 360 })
    await untilVerdict(tab, "valid")
    const facts = await tab.$eval("#facts", (found) => found.textContent ?? "")
    assert.include(facts, hostile)
    assert.include(facts, "inU+202EvoiceU+200BU+001B[31mU+000AnewU+2066lineU+00ADU+FEFFU+E0041U+3164U+00A0.")
    assert.include(facts, "Ada 👩‍🔬 aaaa")
    assert.include(facts, "… 100,010 characters")
    assert.isBelow(facts.length, 4_000)
    assert.include(facts, "Z300 marks")
    assert.strictEqual(await tab.$("main b, #facts img"), null)
    assert.isUndefined(await tab.evaluate("globalThis.ran"))
    assert.strictEqual(await tab.evaluate("document.documentElement.scrollWidth"), 360)
    assert.deepStrictEqual(errors, [])
    await tab.close()
  })
})
