/** The page over a running daemon: served at /verify, and written by `treemarkd proof --html` for a commit that was really made. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { bytesOf, commitRequest, parsed } from "../end-to-end/Treemarkd.ts"
import { RunningDaemon, withSharedDaemon } from "../layers/RunningDaemon.ts"
import { give, isBrowserMissing, open, startBrowser, textOf, untilCompared, untilVerdict } from "./Browser.ts"
import { written } from "./WebProofs.ts"

const json = Effect.fnUntraced(function* (home: string, ...args: ReadonlyArray<string>) {
  const ended = yield* parsed([...args, "--home", home, "--json"])
  assert.strictEqual(ended.code, 0, ended.stderr)
  return ended.json() as Record<string, string>
})

const browser = Effect.acquireRelease(
  Effect.promise(() => startBrowser()),
  ({ close }) => Effect.promise(close)
)

withSharedDaemon()("the page that verifies, from the daemon", (it) => {
  it.effect("is at /verify for everybody, without a token or a cookie, under the policy that it carries", () =>
    Effect.gen(function* () {
      const { call } = yield* RunningDaemon
      const answer = yield* call("/verify")
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["content-type"], "text/html; charset=utf-8")
      assert.isUndefined(answer.headers["set-cookie"])
      const carried = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(answer.text)?.[1]
      assert.match(
        String(carried),
        /^default-src 'none'; script-src 'sha256-[^']+' 'sha256-[^']+'; .*connect-src 'self'/
      )
      assert.strictEqual(answer.headers["content-security-policy"], `${carried}; frame-ancestors 'none'`)
    })
  )

  it.effect.skipIf(isBrowserMissing)(
    "verifies a real commit: served, linked from its transaction's page, and as the one file that a recipient opens",
    () =>
      Effect.gen(function* () {
        const { home, url } = yield* RunningDaemon
        const chromium = yield* browser
        const photo = written(home, "photo.txt", bytesOf("in a browser"))
        yield* json(home, "account", "create", "--name", "sender", "--credits", "5")
        const asset = yield* json(home, "asset", "register", photo)
        const request = written(home, "request.json", JSON.stringify(commitRequest(asset as never)))
        const { assetTreeCid = "", explorer = "" } = yield* json(home, "commit", request, "--account", "sender")
        const [proof, page, checkpoint] = ["p.json", "p.html", "c.json"].map((name) => join(home, name)) as [
          string,
          string,
          string
        ]
        yield* json(home, "proof", assetTreeCid, "--out", proof)
        yield* json(home, "proof", assetTreeCid, "--html", "--out", page)
        yield* json(home, "checkpoint", "export", "--out", checkpoint)
        // A proof is content like any other: a link to the page can name it.
        const { assetCid = "" } = yield* json(home, "asset", "register", proof)
        assert.isBelow(readFileSync(page).length, 200_000)
        const inside = /"proof":"([^"]+)"/.exec(readFileSync(page, "utf8"))?.[1] ?? ""
        assert.strictEqual(Buffer.from(inside, "base64").toString("utf8"), readFileSync(proof, "utf8"))

        yield* Effect.promise(async () => {
          const { errors, page: tab, requests } = await open(chromium, `file://${page}`)
          await untilVerdict(tab, "valid")
          await give(tab, "asset-file", photo)
          await untilCompared(tab)
          await give(tab, "checkpoint-file", checkpoint)
          await tab.waitForFunction(`document.querySelectorAll("#facts .worth.ledger").length > 3`)
          assert.include(await textOf(tab, "#answer-file"), "Yes, byte for byte.")
          assert.match(await textOf(tab, "#answer-when"), /Since \d+ \w+ \d{4} at [\d:]+ UTC at the latest/)
          assert.include(await textOf(tab, "#preview pre"), "in a browser")
          assert.deepStrictEqual([errors, requests], [[], []])

          const served = await open(chromium, `${url}/verify`)
          await give(served.page, "proof-file", proof)
          await untilVerdict(served.page, "valid")
          await give(served.page, "asset-file", photo)
          await untilCompared(served.page)
          assert.deepStrictEqual([served.errors, served.requests], [[], []])

          const linked = await open(chromium, `${url}/verify?proof=/ipfs/${assetCid}`)
          await untilVerdict(linked.page, "valid")
          assert.deepStrictEqual([linked.errors, linked.requests], [[], [`${url}/ipfs/${assetCid}`]])

          const transaction = await open(chromium, explorer)
          await Promise.all([transaction.page.waitForNavigation(), transaction.page.click('a[href="/verify"]')])
          assert.strictEqual(transaction.page.url(), `${url}/verify`)
          await give(transaction.page, "proof-file", proof)
          await untilVerdict(transaction.page, "valid")
          assert.deepStrictEqual(transaction.errors, [])
        })
      })
  )
})
