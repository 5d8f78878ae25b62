/** Assets and their history, the account, the service itself, JSON-RPC, the explorer page, the gateway's refusals. */
import { assert, describe, it } from "@effect/vitest"
import { cidOf, DAG_JSON_CODE, RAW_CODE } from "@treemark/core"
import { Context, Duration, Effect } from "effect"
import { UploadLimits } from "../../../packages/daemon/src/http/assets/AssetsHandlers.ts"
import { COMMITTER } from "../../layers/CommitPorts.ts"
import { ASSET_CID, ASSET_SHA256, explorerTransaction, TOKEN, WALLET } from "../../layers/DaemonServices.ts"
import { assertProblem, call, start } from "../../layers/HttpFixture.ts"

const AUTHORIZED = { authorization: `token ${TOKEN}` }

describe("POST /assets", () => {
  it.live("registers the body under its Content-Type: 201 with CID, sha256, type and size", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const headers = { ...AUTHORIZED, "content-type": "image/png" }
      const answer = yield* call(port, "/assets", { body: Buffer.alloc(200_000), headers })
      assert.strictEqual(answer.status, 201)
      assert.deepStrictEqual(answer.json(), {
        assetCid: ASSET_CID,
        assetSha256: ASSET_SHA256,
        encodingFormat: "image/png",
        size: 200_000,
        cid: ASSET_CID
      })
    }).pipe(Effect.scoped)
  )

  it.live("passes the file on while it comes, in chunks, of any size", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      const chunks = Array.from({ length: 64 }, () => Buffer.alloc(65_536))
      assert.strictEqual((yield* call(port, "/assets", { chunks, headers: AUTHORIZED })).status, 201)
      assert.isAbove(world.uploaded.length, 8)
      assert.strictEqual(
        world.uploaded.reduce((sum, size) => sum + size),
        64 * 65_536
      )
    }).pipe(Effect.scoped)
  )

  it.live("needs a token, before it reads anything", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      assertProblem(yield* call(port, "/assets", { body: "x" }), 401, "missing_token")
      assert.deepStrictEqual(world.uploaded, [])
    }).pipe(Effect.scoped)
  )

  it.live("a configured limit is kept, told by Content-Length or found while it comes", () =>
    Effect.gen(function* () {
      const limits = { bytes: 100_000, idle: Duration.seconds(5) }
      const { port } = yield* start({ references: Context.make(UploadLimits, limits) })
      const send = (bytes: number) => call(port, "/assets", { body: Buffer.alloc(bytes), headers: AUTHORIZED })
      assert.strictEqual((yield* send(100_000)).status, 201)
      assertProblem(yield* send(100_001), 413, "payload_too_large")
      const chunks = [Buffer.alloc(100_000), Buffer.alloc(1)]
      assertProblem(yield* call(port, "/assets", { chunks, headers: AUTHORIZED }), 413, "payload_too_large")
    }).pipe(Effect.scoped)
  )
})

describe("GET /assets/{assetCid}/commits", () => {
  const event = (commitData: string) => ({
    txHash: `0x${"7a".repeat(32)}`,
    blockNumber: 5,
    blockHash: `0x${"bb".repeat(32)}`,
    logIndex: 0,
    recorder: COMMITTER,
    commitData
  })

  it.live("gives each commit with its record parsed, oldest first; a record that is no JSON object as text", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      world.history = [event('{"assetTreeCid":"bafy","timestampCreated":1}'), event("hello"), event("[1]")]
      const answer = yield* call(port, `/assets/${ASSET_CID}/commits`)
      assert.strictEqual(answer.status, 200)
      const common = { txHash: `0x${"7a".repeat(32)}`, blockNumber: 5, recorder: COMMITTER }
      assert.deepStrictEqual(answer.json(), {
        commits: [
          { ...common, commit: { assetTreeCid: "bafy", timestampCreated: 1 } },
          { ...common, commitData: "hello" },
          { ...common, commitData: "[1]" }
        ]
      })
    }).pipe(Effect.scoped)
  )

  it.live("testnet=true asks the test network, and other values are refused together with a bad CID", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      world.history = [event("{}")]
      const onTestnet = yield* call(port, `/assets/${ASSET_CID}/commits?testnet=true`)
      assert.deepStrictEqual(onTestnet.json(), { commits: [] })
      const onMainnet = yield* call(port, `/assets/${ASSET_CID}/commits?testnet=false`)
      assert.strictEqual((onMainnet.json().commits as ReadonlyArray<unknown>).length, 1)
      const { errors } = assertProblem(yield* call(port, "/assets/nocid/commits?testnet=yes"), 400, "invalid_fields")
      assert.deepStrictEqual(
        (errors as Array<{ path: string }>).map(({ path }) => path),
        ["/assetCid", "/testnet"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("GET /account", () => {
  it.live("answers id, name, wallet, exact credits and the balance with 4 decimals", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const answer = yield* call(port, "/account", { headers: AUTHORIZED })
      assert.deepStrictEqual(answer.json(), {
        id: "acc_00000000000000000001",
        name: "alice",
        wallet: WALLET,
        credits: "0.125",
        balance: "1.5000",
        storage: { used: 12_000, limit: null, token: { used: 2_000, limit: null } }
      })
      assertProblem(yield* call(port, "/account"), 401, "missing_token")
    }).pipe(Effect.scoped)
  )
})

describe("the service", () => {
  it.live("/health answers while the process lives, /version says which it is", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      assert.deepStrictEqual((yield* call(port, "/health")).json(), { status: "ok" })
      const { name, version } = (yield* call(port, "/version")).json()
      assert.strictEqual(name, "treemark")
      assert.match(String(version), /^\d+\.\d+\.\d+/)
    }).pipe(Effect.scoped)
  )

  it.live("/ready is 200 with its checks, and 503 that names what fails", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      const ready = yield* call(port, "/ready")
      assert.strictEqual(ready.status, 200)
      assert.deepStrictEqual(ready.json(), { status: "ready", checks: world.checks })
      world.checks = [...world.checks, { name: "testnet", ok: false, detail: "does not answer; start its node." }]
      const { detail } = assertProblem(yield* call(port, "/ready"), 503, "not_ready")
      assert.include(String(detail), "testnet: does not answer")
    }).pipe(Effect.scoped)
  )
})

describe("JSON-RPC of the embedded chains", () => {
  it.live("passes calls to the chain of the role, and answers 204 where no answer is wanted", () =>
    Effect.gen(function* () {
      const { port } = yield* start({ local: true })
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId" })
      for (const role of ["mainnet", "testnet"]) {
        const answer = yield* call(port, `/rpc/${role}`, { body })
        assert.deepStrictEqual(answer.json().result, { role, body: JSON.parse(body) })
      }
      assert.strictEqual((yield* call(port, "/rpc/mainnet", { body: "[]" })).status, 204)
    }).pipe(Effect.scoped)
  )

  it.live("broken JSON is a JSON-RPC error, another type 415, over 1 MiB 413", () =>
    Effect.gen(function* () {
      const { port } = yield* start({ local: true })
      const broken = yield* call(port, "/rpc/mainnet", { body: "{" })
      assert.strictEqual(broken.status, 200)
      assert.strictEqual((broken.json().error as { code: number }).code, -32_700)
      const headers = { "content-type": "text/plain" }
      assertProblem(yield* call(port, "/rpc/mainnet", { body: "{}", headers }), 415, "unsupported_media_type")
      const large = Buffer.alloc(1_048_577)
      assertProblem(yield* call(port, "/rpc/mainnet", { body: large }), 413, "payload_too_large")
    }).pipe(Effect.scoped)
  )
})

describe("the explorer page", () => {
  const path = `/explorer/mainnet/tx/0x${"7a".repeat(32)}`

  it.live("shows the transaction, its commit record and a link to the tree, without scripts", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start({ local: true })
      world.transaction = explorerTransaction(JSON.stringify({ assetTreeCid: ASSET_CID, author: WALLET }))
      const { headers, status, text } = yield* call(port, path)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "text/html; charset=utf-8")
      assert.include(headers["content-security-policy"], "default-src 'none'; style-src 'unsafe-inline'")
      for (const shown of [
        `0x${"7a".repeat(32)}`,
        COMMITTER,
        WALLET,
        "success",
        "40000",
        "0.004",
        `href="/ipfs/${ASSET_CID}"`
      ]) {
        assert.include(text, shown)
      }
      assert.notInclude(text, "<script")
      assert.include(text, 'name="viewport"')
    }).pipe(Effect.scoped)
  )

  it.live("escapes all that comes from the ledger, and links to nothing but CIDs", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start({ local: true })
      const hostile = { '<img src=x onerror="a">': "<b>", assetTreeCid: "javascript:alert(1)" }
      for (const commitData of [JSON.stringify(hostile), "<script>alert(1)</script>"]) {
        world.transaction = explorerTransaction(commitData)
        const { text } = yield* call(port, path)
        assert.notMatch(text, /<img|<b>|<script|href="javascript|href="\/ipfs\/javascript/)
        assert.include(text, "local &lt;mainnet&gt;")
      }
    }).pipe(Effect.scoped)
  )

  it.live("a transaction nobody knows is 404 not_found", () =>
    Effect.gen(function* () {
      const { port } = yield* start({ local: true })
      assertProblem(yield* call(port, path), 404, "not_found")
      assertProblem(yield* call(port, "/explorer/elsewhere/tx/0x1"), 404, "not_found")
    }).pipe(Effect.scoped)
  )
})

describe("GET /ipfs/{cid}", () => {
  it.live("serves a tree that was committed, sandboxed", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const body = JSON.stringify({
        encodingFormat: "image/png",
        assetCid: ASSET_CID,
        assetTimestampCreated: 1,
        assetCreator: "A",
        assetSha256: ASSET_SHA256
      })
      const receipt = (yield* call(port, "/commit", { body, headers: AUTHORIZED })).json()
      const tree = yield* call(port, `/ipfs/${receipt.assetTreeCid}`)
      assert.strictEqual(tree.status, 200)
      assert.strictEqual(tree.json().assetCid, ASSET_CID)
      assert.include(tree.headers["content-security-policy"], "sandbox")
      assert.include(tree.headers["cache-control"], "immutable")
      const past = yield* call(port, `/ipfs/${receipt.assetTreeCid}`, { headers: { range: "bytes=99999-" } })
      assertProblem(past, 416, "range_not_satisfiable")
      assert.strictEqual(past.headers["content-range"], `bytes */${tree.text.length}`)
      const block = yield* call(port, `/ipfs/${receipt.assetTreeCid}?format=raw`)
      assert.strictEqual(cidOf(DAG_JSON_CODE, new TextEncoder().encode(block.text)), receipt.assetTreeCid)
      assertProblem(yield* call(port, `/ipfs/${receipt.assetTreeCid}/assetCid`), 501, "not_implemented")
      assertProblem(yield* call(port, `/ipfs/${receipt.assetTreeCid}/nothing`), 404, "not_found")
    }).pipe(Effect.scoped)
  )

  it.live("refuses what is no CID, what it does not hold, and formats it does not serve", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      assertProblem(yield* call(port, "/ipfs/nocid"), 400, "invalid_fields")
      assertProblem(yield* call(port, `/ipfs/${"a".repeat(3000)}`), 400, "invalid_fields")
      assertProblem(yield* call(port, "/ipfs/%"), 400, "bad_request")
      assertProblem(yield* call(port, "/ipfs/%zz"), 400, "bad_request")
      assertProblem(yield* call(port, `/ipfs/${ASSET_CID}?format=zip`), 400, "invalid_fields")
      const absent = cidOf(RAW_CODE, new TextEncoder().encode("absent"))
      assertProblem(yield* call(port, `/ipfs/${absent}`), 404, "not_found")
      assertProblem(yield* call(port, "/ipfs"), 404, "not_found")
      assertProblem(yield* call(port, `/ipfs/${absent}/a/b`), 404, "not_found")
      assertProblem(yield* call(port, "/ipfs/nocid/a"), 400, "invalid_fields")
      const onlyHere = { headers: { "cache-control": "only-if-cached" } }
      assertProblem(yield* call(port, `/ipfs/${absent}`, onlyHere), 412, "not_cached")
      const probe = yield* call(port, `/ipfs/${absent}`, { method: "HEAD", ...onlyHere })
      assert.deepStrictEqual([probe.status, probe.text], [412, ""])
      const unknown = yield* call(port, `/ipfs/${absent}?format=car&entity-bytes=x`)
      assert.deepInclude(assertProblem(unknown, 400, "invalid_fields").errors, {
        path: "/entity-bytes",
        message: unknown.json().detail
      })
    }).pipe(Effect.scoped)
  )
})
