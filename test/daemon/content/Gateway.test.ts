/** `/ipfs/{cid}` over a real socket: the plain file, ranges, the raw block, caching, and each refusal. */
import { unlink, writeFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import { ContentStore, DAG_PB_CODE } from "@treemark/core"
import { Effect } from "effect"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { cidOfBlock, isContentOf } from "../../../packages/daemon/src/content/BlockCid.ts"
import { blockFile, bytesOf, CHUNK, filesIn, keyStream } from "./ContentFixture.ts"
import { ask, FILE, logged, refusal, register, TREE, TREE_CID, withGateway } from "./GatewayFixture.ts"

describe("the plain file", () => {
  it.live("is put together from its blocks, under the type of its registration, to be cached for good", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE, "video/mp4")
        const { status, headers, body } = yield* ask(cid)
        assert.strictEqual(status, 200)
        assert.isTrue(body.equals(FILE))
        assert.strictEqual(headers["content-type"], "video/mp4")
        assert.strictEqual(headers["content-length"], String(FILE.length))
        assert.strictEqual(headers.etag, `"${cid}"`)
        assert.strictEqual(headers["cache-control"], "public, max-age=29030400, immutable")
        assert.strictEqual(headers["x-ipfs-path"], `/ipfs/${cid}`)
        assert.strictEqual(headers["accept-ranges"], "bytes")
        assert.isUndefined(headers["content-disposition"])
      })
    )
  )

  it.live("cannot run as a page: sandboxed without scripts or origin, and its type is not guessed", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(Buffer.from("<script>fetch('/account')</script>"), "text/html")
        const { headers } = yield* ask(cid)
        assert.strictEqual(headers["content-type"], "text/html")
        assert.strictEqual(headers["x-content-type-options"], "nosniff")
        const policy = headers["content-security-policy"]?.split("; ") ?? []
        assert.includeMembers(policy, ["sandbox", "default-src 'none'"])
        assert.notMatch(policy.join(), /allow-|script-src/)
      })
    )
  )

  it.live(
    "is the tree as dag-json for a tree, as JSON for a browser, which shows it, and bytes of no type for what is not registered itself",
    () =>
      withGateway((home) =>
        Effect.gen(function* () {
          yield* (yield* ContentStore).put(TREE_CID, TREE)
          const tree = yield* ask(TREE_CID)
          assert.strictEqual(tree.headers["content-type"], "application/vnd.ipld.dag-json")
          const shown = yield* ask(TREE_CID, { accept: "text/html,application/xhtml+xml,*/*;q=0.8" })
          assert.strictEqual(shown.headers["content-type"], "application/json")
          assert.deepStrictEqual(new Uint8Array(tree.body), TREE)
          yield* register(FILE, "video/mp4")
          const leaf = (yield* filesIn(`${home}/blocks`)).find((name) => name.startsWith("bafkrei"))!
          assert.strictEqual((yield* ask(leaf)).headers["content-type"], "application/octet-stream")
        })
      )
  )

  it.live("is found under any text form of its CID", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = CID.parse(yield* register(FILE, "video/mp4"))
        const form = cid.toV0().toString()
        const answer = yield* ask(form)
        assert.isTrue(answer.body.equals(FILE))
        assert.strictEqual(answer.headers["content-type"], "video/mp4")
        assert.strictEqual(answer.headers["x-ipfs-path"], `/ipfs/${form}`)
      })
    )
  )

  it.live("answers HEAD with the same headers and no body", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE, "video/mp4")
        const [get, head] = [yield* ask(cid), yield* ask(cid, {}, "HEAD")]
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.body.length, 0)
        for (const name of ["content-type", "content-length", "etag", "content-security-policy"]) {
          assert.strictEqual(head.headers[name], get.headers[name], name)
        }
      })
    )
  )

  it.live("of no bytes is answered with no bytes", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const answer = yield* ask(yield* register(new Uint8Array()))
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["content-length"], "0")
      })
    )
  )

  it.live("is not taken for whole when a block of it is damaged or missing: the connection is cut", () =>
    withGateway((home) =>
      Effect.gen(function* () {
        logged.length = 0
        const cid = yield* register(yield* bytesOf(keyStream("cut", 3 * CHUNK)))
        const leaf = (yield* filesIn(`${home}/blocks`)).find((name) => name.startsWith("bafkrei"))!
        const file = blockFile(`${home}/blocks`, leaf)
        yield* Effect.promise(() => writeFile(file, Buffer.alloc(CHUNK)))
        for (const path of [cid, `${cid}?format=car`]) {
          assert.strictEqual((yield* Effect.flip(ask(path)))._tag, "HttpClientError", path)
        }
        yield* Effect.promise(() => unlink(file))
        assert.strictEqual((yield* Effect.flip(ask(cid)))._tag, "HttpClientError")
        assert.strictEqual(logged.length, 3)
        for (const line of logged) assert.include(line, leaf)
      })
    )
  )
})

describe("a range of a file", () => {
  it.live("is answered with 206 and its place in the file", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE)
        const size = FILE.length
        for (const [range, start, end] of [
          ["bytes=0-0", 0, 1],
          [`bytes=${CHUNK - 1}-${CHUNK}`, CHUNK - 1, CHUNK + 1],
          [`bytes=${size - 7}-`, size - 7, size],
          ["bytes=-7", size - 7, size],
          [`bytes=-${size + 1}`, 0, size],
          [`bytes=5-${size + 99}`, 5, size]
        ] as const) {
          const answer = yield* ask(cid, { range })
          assert.strictEqual(answer.status, 206, range)
          assert.strictEqual(answer.headers["content-range"], `bytes ${start}-${end - 1}/${size}`)
          assert.strictEqual(answer.headers["content-length"], String(end - start))
          assert.isTrue(answer.body.equals(FILE.subarray(start, end)), range)
        }
      })
    )
  )

  it.live("outside the file is refused with its size", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE)
        for (const range of [`bytes=${FILE.length}-`, "bytes=-0"]) {
          const answer = yield* ask(cid, { range })
          assert.strictEqual(refusal(answer), "RangeNotSatisfiable", range)
          assert.include(answer.body.toString(), String(FILE.length))
        }
      })
    )
  )

  it.live("is ignored when it is several, not well formed, of another version, or asked with HEAD", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE)
        for (const range of ["bytes=0-1,3-4", "bytes=5-2", "bytes=", "bytes=-", "lines=1-2", "bytes=a-b"]) {
          assert.strictEqual((yield* ask(cid, { range })).status, 200, range)
        }
        const range = "bytes=0-0"
        assert.strictEqual((yield* ask(cid, { range, "if-range": '"another"' })).status, 200)
        assert.strictEqual((yield* ask(cid, { range, "if-range": `"${cid}"` })).status, 206)
        assert.strictEqual((yield* ask(cid, { range }, "HEAD")).status, 200)
      })
    )
  )
})

describe("a copy that the client has", () => {
  it.live("is confirmed with 304 when its tag is named, each form under its own", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE)
        for (const [path, tag] of [
          [cid, `"${cid}"`],
          [`${cid}?format=raw`, `"${cid}.raw"`],
          [`${cid}?format=car`, `W/"${cid}.car"`]
        ] as const) {
          assert.strictEqual((yield* ask(path)).headers.etag, tag)
          for (const known of [tag, `"a", ${tag}`, `W/${tag.replace("W/", "")}`, "*"]) {
            const answer = yield* ask(path, { "if-none-match": known })
            assert.strictEqual(answer.status, 304, known)
            assert.strictEqual(answer.body.length, 0)
            assert.strictEqual(answer.headers.etag, tag)
          }
          assert.strictEqual((yield* ask(path, { "if-none-match": '"another"' })).status, 200)
        }
        const confirmed = yield* ask(`${cid}?format=raw`, { "if-none-match": `"${cid}"` })
        assert.strictEqual(confirmed.status, 200)
      })
    )
  )
})

describe("the raw block", () => {
  it.live("is the block that the CID names, as a download", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE)
        const accept = { accept: "application/vnd.ipld.raw" }
        for (const answer of [yield* ask(`${cid}?format=raw`), yield* ask(cid, accept)]) {
          assert.strictEqual(answer.headers["content-type"], "application/vnd.ipld.raw")
          assert.strictEqual(answer.headers["content-disposition"], `attachment; filename="${cid}.bin"`)
          assert.isTrue(isContentOf(CID.parse(cid), answer.body))
        }
        assert.match((yield* ask(cid)).headers.vary ?? "", /accept/i)
      })
    )
  )

  it.live("is given for a block that is no file, and for an identity CID", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const inline = CID.createV1(DAG_PB_CODE, Digest.create(0, Buffer.from("no node"))).toString()
        assert.strictEqual((yield* ask(`${inline}?format=raw`)).body.toString(), "no node")
        assert.strictEqual(refusal(yield* ask(inline)), "UnsupportedFormat")
        assert.strictEqual((yield* ask(`${inline}?format=car`)).status, 200)
      })
    )
  )
})

describe("a refusal", () => {
  it.live("says of a text that it is no CID, of a CID that it is unknown or cannot be checked", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const sha512 =
          "bafkrgqbqt3gerhas23vuzrapkdeqf4vu2dwxp3srdj6hvg6nhsug2tgyn6mj3u23yx7utftq3i2ckw2fwdh5qmhid5qf3t35yvkc5e5ottlw6"
        for (const [path, tag] of [
          ["bafybeiintegrity123", "NotACid"],
          [`${TREE_CID}%2F..`, "NotACid"],
          [TREE_CID, "BlockNotFound"],
          [`${TREE_CID}?format=raw`, "BlockNotFound"],
          [`${TREE_CID}?format=car`, "BlockNotFound"],
          [cidOfBlock(DAG_PB_CODE, TREE).toString(), "BlockNotFound"],
          [sha512, "UnsupportedHash"]
        ] as const) {
          assert.strictEqual(refusal(yield* ask(path)), tag, path)
        }
      })
    )
  )

  it.live("says of a form that it is not served, whether it is asked for by the query or by Accept", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE)
        for (const query of ["format=tar", "format=", "format=car&dag-scope=none"]) {
          assert.strictEqual(refusal(yield* ask(`${cid}?${query}`)), "UnsupportedFormat", query)
        }
        for (const parameters of ["version=2", "order=bfs", "dups=maybe"]) {
          const answer = yield* ask(cid, { accept: `application/vnd.ipld.car; ${parameters}` })
          assert.strictEqual(refusal(answer), "UnsupportedFormat", parameters)
        }
      })
    )
  )
})
