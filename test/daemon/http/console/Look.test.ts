/** What the console and the explorer show over HTTP: small pictures for all, the daemon itself for a session alone, an asset's history as a page. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ASSET_CID, CODE, WALLET } from "../../../layers/DaemonServices.ts"
import { assertProblem, call, start } from "../../../layers/HttpFixture.ts"

const html = { accept: "text/html" }

const commit = (block: number, commitData: string) => ({
  txHash: `0x${String(block).padStart(64, "7")}`,
  blockNumber: block,
  blockHash: `0x${"b".repeat(64)}`,
  logIndex: 0,
  recorder: WALLET,
  commitData
})

describe("what is shown", () => {
  it.live("the daemon itself is shown to a session alone", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      assertProblem(yield* call(port, "/console/node"), 401, "session_over")
      const own = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` }
      const signedIn = yield* call(port, "/console/session", { headers: own, body: JSON.stringify({ code: CODE }) })
      const cookie = String(signedIn.headers["set-cookie"]).split(";")[0]!
      assertProblem(yield* call(port, "/console/node", { headers: { ...own, cookie } }), 403, "origin_not_allowed")
    }).pipe(Effect.scoped)
  )

  it.live("an asset without a small picture has none, which is no fault; neither has what is no CID", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const cid of [ASSET_CID, "..%2f..%2fetc", "x"]) {
        const answer = yield* call(port, `/console/thumbnails/${cid}`)
        assert.deepStrictEqual([answer.status, answer.text], [204, ""])
      }
    }).pipe(Effect.scoped)
  )

  it.live("the history of an asset is a page without scripts, and every word of it is text", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      const hostile = {
        abstract: "<img src=x onerror=alert(1)>\u202Egnp",
        actionName: "<b>",
        author: "<script>",
        assetTreeCid: "javascript:alert(1)",
        timestampCreated: 1e30
      }
      world.history = [
        commit(7, JSON.stringify(hostile)),
        commit(8, "no JSON <b>"),
        commit(9, '{"timestampCreated":0}')
      ]
      const answer = yield* call(port, `/explorer/asset/${ASSET_CID}`, { headers: html })
      assert.strictEqual(answer.status, 200)
      assert.include(answer.headers["content-security-policy"], "default-src 'none'; style-src 'unsafe-inline'")
      assert.notMatch(answer.text, /<img|<b>|<script|href="[^"]*javascript|\u202E/)
      assert.include(answer.text, "U+202E")
      assert.include(answer.text, "1970-01-01 00:00 UTC")
      assert.isBelow(answer.text.indexOf("block 9"), answer.text.indexOf("block 7"))
      const other = yield* call(port, `/explorer/asset/${ASSET_CID}?testnet=true&before=3:0`)
      assert.strictEqual(other.status, 200)
      assertProblem(yield* call(port, "/explorer/asset/x"), 404, "not_found")
    }).pipe(Effect.scoped)
  )

  it.live("/explorer leads to what is looked up, and says what it cannot read", () =>
    Effect.gen(function* () {
      const { port } = yield* start({ local: true })
      const hash = `0x${"7A".repeat(32)}`
      const asked = (q: string) => call(port, `/explorer?q=${encodeURIComponent(q)}`, { headers: html })
      assert.include((yield* call(port, "/explorer")).text, "<form")
      assert.strictEqual((yield* asked(hash)).headers.location, `/explorer/tx/${hash.toLowerCase()}`)
      assert.strictEqual((yield* asked(` ${ASSET_CID} `)).headers.location, `/explorer/asset/${ASSET_CID}`)
      const odd = yield* asked('"><script>\u202E')
      assert.strictEqual(odd.status, 404)
      assert.notMatch(odd.text, /<script|\u202E/)
      const gone = yield* call(port, `/explorer/tx/${hash}`, { headers: html })
      assert.deepStrictEqual([gone.status, gone.headers["content-type"]], [404, "text/html; charset=utf-8"])
      assertProblem(yield* call(port, `/explorer/tx/${hash}`), 404, "not_found")
    }).pipe(Effect.scoped)
  )
})
