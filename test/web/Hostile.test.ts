/** The console against assets and words that mean harm: nothing of them runs, nothing is asked of anybody else, no bomb is drawn. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { commitRequest } from "../end-to-end/Treemarkd.ts"
import { photoWith, png, smallJpeg } from "../layers/Photos.ts"
import { RunningDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { isBrowserMissing, open, startBrowser, textOf } from "./Browser.ts"
import { enter } from "./ConsoleRig.ts"

const UNSEEN = "in\u202Evoice \u2066x\u200B <img src=x onerror=\"document.title='owned'\">"

const HIDDEN = ["\u202E", "\u2066", "\u200B", "\u0007"]

/** Name, declared type, bytes, and whether a picture of it is drawn. */
const filesCalling = (
  out: string
): ReadonlyArray<readonly [name: string, type: string, bytes: string | Uint8Array, isDrawn: boolean]> => {
  const RUN = runOf(out)
  return [
    [`${UNSEEN}.html`, "text/html", `<script>${RUN}</script><img src="${out}">`, false],
    [
      "logo.svg",
      "image/svg+xml",
      `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><script>${RUN}</script><image href="${out}"/></svg>`,
      false
    ],
    ["form.pdf", "application/pdf", `%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(${RUN})>>>>endobj`, false],
    ["both.gif", "image/gif", `GIF89a=0;${RUN};/*`, false],
    ["script.png", "image/png", `<script>${RUN}</script>`, false],
    ["worker.js", "text/javascript", RUN, false],
    ["bomb.png", "image/png", png(50, 1, 60_000), false],
    ["a whole picture of 64.02 megapixels in 64 kB.png", "image/png", png(8_001, 0), false],
    ["bomb.jpg", "image/jpeg", smallJpeg(65_000, 65_000), false],
    ["bomb in the small picture.jpg", "image/jpeg", photoWith({ small: smallJpeg(60_000, 60_000) }), false],
    ["honest.png", "image/png", png(300, 90), true],
    ["a png by bytes.jpg", "image/jpeg", png(310, 60), true]
  ]
}

const runOf = (out: string): string => `top.document.title = 'owned'; fetch('${out}')`

const browser = Effect.acquireRelease(
  Effect.promise(() => startBrowser()),
  ({ close }) => Effect.promise(close)
)

const listener = Effect.acquireRelease(
  Effect.callback<{ readonly server: Server; readonly called: Array<string> }>((resume) => {
    const called: Array<string> = []
    const server = createServer((request, answer) => {
      called.push(request.url ?? "")
      answer.setHeader("access-control-allow-origin", "*").end("reached")
    }).listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, called })))
  }),
  ({ server }) => Effect.sync(() => void server.close())
)

withDaemon()("assets and words that mean harm", (it) => {
  it.effect.skipIf(isBrowserMissing)(
    "run nothing and reach nobody, in the list, in their views, on the ledger's pages",
    () =>
      Effect.gen(function* () {
        const { call, createAccount, home, url } = yield* RunningDaemon
        const { token } = yield* createAccount({ name: "Ada", credits: "5" })
        const authorization = `token ${token}`
        const { called, server } = yield* listener
        const out = `http://127.0.0.1:${(server.address() as AddressInfo).port}/out`
        const [files, RUN] = [filesCalling(out), runOf(out)]
        const cids: Array<string> = []
        for (const [name, type, bytes] of files) {
          const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`
          const headers = { authorization, "content-type": type, "content-disposition": disposition }
          const answer = yield* call("/assets", { body: bytes, headers })
          assert.strictEqual(answer.status, 201, answer.text)
          const asset = answer.json() as never
          cids.push((asset as { readonly assetCid: string }).assetCid)
          if (cids.length > 1) continue
          const words = {
            ...commitRequest(asset),
            assetCreator: "\u202EdA </bdi><b>",
            headline: `</title><script>${RUN}</script>`,
            abstract: UNSEEN,
            commitMessage: `\u0007${UNSEEN}`,
            licenseDocument: `javascript:${RUN}`,
            custom: { [`\u202E<b>`]: UNSEEN, __proto__x: [`${RUN}`] }
          }
          const committed = yield* call("/commit", { body: words, headers: { authorization } })
          assert.strictEqual(committed.status, 200, committed.text)
        }
        const chromium = yield* browser
        yield* Effect.promise(async () => {
          const { errors, page, requests } = await enter(chromium, home, "Ada")
          const dialogs: Array<string> = []
          page.on("dialog", (dialog) => {
            dialogs.push(dialog.message())
            void dialog.dismiss()
          })
          const drawn = files.filter(([, , , isDrawn]) => isDrawn).length
          await page.waitForFunction(
            (all) =>
              document.querySelectorAll(".tiles li").length === all && !document.querySelector(".tiles .waiting"),
            {},
            files.length
          )
          assert.strictEqual((await page.$$(".tiles img")).length, drawn)
          const sources = await page.$$eval("img", (all) => all.map(({ src }) => src))
          assert.isTrue(sources.every((src) => src.startsWith("blob:")))
          const unsafe =
            "iframe, object, embed, base, meta[http-equiv], main a[href^='javascript'], main script, main b"
          for (const [at, cid] of cids.entries()) {
            await page.evaluate((hash) => (location.hash = hash), `#/assets/${cid}`)
            await page.waitForFunction(
              (shown) => document.querySelector("#asset-facts + dl")?.textContent?.includes(shown),
              {},
              cid
            )
            await page.waitForSelector(files[at]![3] ? ".frame-picture img" : ".frame-picture .kind")
            assert.isNull(await page.$(unsafe), files[at]![0])
          }
          await page.evaluate((hash) => (location.hash = hash), `#/assets/${cids[0]}`)
          await page.waitForFunction(() => /U\+202E/.test(document.querySelector(".timeline dl")?.textContent ?? ""))
          for (const hidden of HIDDEN) assert.notInclude(await textOf(page, "main"), hidden)
          assert.notInclude(await page.title(), "owned")
          // No asset can be the program of a worker, or of the page.
          const tried = await page.evaluate(async (worker) => {
            try {
              new Worker(worker)
              return "made"
            } catch {
              return "refused"
            }
          }, `/ipfs/${cids[5]}`)
          assert.strictEqual(tried, "refused")
          assert.deepStrictEqual(dialogs, [])
          assert.deepStrictEqual(
            requests.filter((asked) => !asked.startsWith(`${url}/`)),
            []
          )
          assert.isTrue(
            errors.every((error) => /TrustedScriptURL/.test(error)),
            errors.join("\n")
          )
          const seen = await open(chromium, `${url}/explorer/asset/${cids[0]}`)
          assert.match(await textOf(seen.page, ".timeline"), /U\+202E/)
          for (const hidden of HIDDEN) assert.notInclude(await seen.page.content(), hidden)
          assert.isNull(await seen.page.$("script, main b, main img, a[href^='javascript']"))
          // The files themselves, opened as pages of this very origin, run in a sandbox without scripts.
          for (const cid of cids.slice(0, 6)) {
            const alone = await chromium.browser.newPage()
            await alone.goto(`${url}/ipfs/${cid}`).catch(() => undefined)
            assert.notInclude(await alone.title(), "owned")
            await alone.close()
          }
          assert.deepStrictEqual(called, [])
        })
      })
  )
})
