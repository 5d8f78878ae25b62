/** `/ipfs/{cid}` over a real socket: the plain file, ranges, the raw block, the CAR, caching, and each refusal. */
import { unlink, writeFile } from "node:fs/promises"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { CarReader } from "@ipld/car"
import { ContentStore, cidOf, DAG_JSON_CODE, DAG_PB_CODE } from "@treemark/core"
import { MemoryBlockstore } from "blockstore-core"
import { Effect, Layer, Logger, Stream } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { exporter } from "ipfs-unixfs-exporter"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { Assets } from "../../../packages/daemon/src/content/Assets.ts"
import { cidOfBlock, isContentOf } from "../../../packages/daemon/src/content/BlockCid.ts"
import { gatewayResponse } from "../../../packages/daemon/src/content/Gateway.ts"
import { tempFolder } from "../store/TempStore.ts"
import { assetsLayer, blockFile, bytesOf, CHUNK, filesIn, keyStream } from "./ContentFixture.ts"

/** The route alone, with errors answered as their tag and message, so that the test sees which one it was. */
const route = HttpRouter.add(
  "GET",
  "/ipfs/:cid",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { cid = "" } = yield* HttpRouter.params
    return yield* gatewayResponse(request, cid)
  }).pipe(
    Effect.catch((error) => Effect.succeed(HttpServerResponse.text(`${error._tag}: ${error.message}`, { status: 400 })))
  )
)

/** CIDs with longer hashes, and identity CIDs, are longer than the router's default of 100 characters. */
const SERVING = { disableLogger: true, disableListenLog: true, routerConfig: { maxParamLength: 500 } }

/** What the daemon's log would hold. */
const logged: Array<string> = []

/** Runs `use` against a served, empty store in the folder it is told. */
const withGateway = <A, E>(
  use: (home: string) => Effect.Effect<A, E, HttpClient.HttpClient | Layer.Success<ReturnType<typeof assetsLayer>>>
) =>
  Effect.gen(function* () {
    const home = yield* tempFolder
    const served = HttpRouter.serve(route, SERVING).pipe(
      Layer.provideMerge(assetsLayer(home)),
      Layer.provideMerge(NodeHttpServer.layerTest),
      Layer.provideMerge(Logger.layer([Logger.make(({ message }) => logged.push(String(message)))]))
    )
    return yield* use(home).pipe(Effect.provide(served))
  }).pipe(Effect.scoped)

const ask = Effect.fnUntraced(function* (
  path: string,
  headers: { readonly [name: string]: string } = {},
  method: "GET" | "HEAD" = "GET"
) {
  const request = HttpClientRequest.make(method)(`/ipfs/${path}`).pipe(HttpClientRequest.setHeaders(headers))
  const response = yield* (yield* HttpClient.HttpClient).execute(request)
  const body = Buffer.from(yield* response.arrayBuffer)
  return { status: response.status, headers: response.headers as Record<string, string | undefined>, body }
})

const register = Effect.fnUntraced(function* (bytes: Uint8Array, contentType?: string) {
  const input = { bytes: Stream.succeed(bytes), fileName: undefined, contentType, accountId: undefined }
  return (yield* (yield* Assets).register(input)).assetCid
})

/** Two full chunks of the same bytes and a bit: three leaves, two of them one block. */
const FILE = Buffer.concat([Buffer.alloc(CHUNK, 1), Buffer.alloc(CHUNK, 1), Buffer.from("the end")])

const TREE = new TextEncoder().encode('{"assetCid":"bafy"}')
const TREE_CID = cidOf(DAG_JSON_CODE, TREE)

const allOf = <A>(values: AsyncIterable<A>) => Stream.runCollect(Stream.orDie(Stream.fromAsyncIterable(values, String)))

const refusal = (answer: { readonly body: Buffer }) => answer.body.toString().split(":", 1)[0]

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

  it.live("is the tree as JSON for a tree, and bytes of no type for what is not registered itself", () =>
    withGateway((home) =>
      Effect.gen(function* () {
        yield* (yield* ContentStore).put(TREE_CID, TREE)
        const tree = yield* ask(TREE_CID)
        assert.strictEqual(tree.headers["content-type"], "application/json")
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

describe("the CAR", () => {
  const read = Effect.fnUntraced(function* (body: Buffer) {
    const car = yield* Effect.promise(() => CarReader.fromBytes(body))
    const roots = yield* Effect.promise(() => car.getRoots())
    const blocks = yield* allOf(car.blocks())
    for (const { cid, bytes } of blocks) assert.isTrue(isContentOf(cid, bytes), cid.toString())
    return { roots: roots.map(String), blocks }
  })

  it.live(
    "holds the whole graph under its root, each block once, and another implementation puts the file together",
    () =>
      withGateway(() =>
        Effect.gen(function* () {
          const cid = yield* register(FILE)
          const answer = yield* ask(`${cid}?format=car`)
          assert.strictEqual(answer.headers["content-type"], "application/vnd.ipld.car; version=1; order=dfs; dups=n")
          assert.strictEqual(answer.headers["content-disposition"], `attachment; filename="${cid}.car"`)
          assert.strictEqual(answer.headers["accept-ranges"], "none")
          const { roots, blocks } = yield* read(answer.body)
          assert.deepStrictEqual(roots, [cid])
          assert.strictEqual(blocks[0]?.cid.toString(), cid)
          assert.strictEqual(blocks.length, 3)
          const store = new MemoryBlockstore()
          for (const block of blocks) yield* Effect.promise(async () => store.put(block.cid, block.bytes))
          const entry = yield* Effect.promise(async () => exporter(cid, store))
          assert.strictEqual(entry.type, "file")
          if (entry.type !== "file") return
          assert.isTrue(Buffer.concat(yield* allOf(entry.content())).equals(FILE))
        })
      )
  )

  it.live("holds the blocks of a graph of several levels, parents first", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(yield* bytesOf(keyStream("levels", 175 * CHUNK)))
        const { blocks } = yield* read((yield* ask(`${cid}?format=car`)).body)
        assert.strictEqual(blocks.length, 1 + 2 + 175)
        const codecs = blocks.map((block) => block.cid.code === DAG_PB_CODE)
        assert.deepStrictEqual(
          [codecs[0], codecs[1], codecs[2], codecs[176], codecs[177]],
          [true, true, false, true, false]
        )
      })
    )
  )

  it.live("follows the parameters of the Accept header and dag-scope", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE)
        const twice = yield* ask(cid, { accept: "application/vnd.ipld.car; version=1; order=dfs; dups=y" })
        assert.strictEqual(twice.headers["content-type"], "application/vnd.ipld.car; version=1; order=dfs; dups=y")
        assert.strictEqual((yield* read(twice.body)).blocks.length, 4)
        const root = yield* read((yield* ask(`${cid}?format=car&dag-scope=block`)).body)
        assert.deepStrictEqual(
          root.blocks.map((block) => block.cid.toString()),
          [cid]
        )
        const entity = yield* read((yield* ask(`${cid}?format=car&dag-scope=entity`)).body)
        assert.strictEqual(entity.blocks.length, 3)
        const preferred = yield* ask(cid, {
          accept: "application/vnd.ipld.raw;q=0.5, application/vnd.ipld.car, */*;q=0.1"
        })
        assert.match(preferred.headers["content-type"] ?? "", /^application\/vnd\.ipld\.car;/)
      })
    )
  )

  it.live("of a tree is its one block", () =>
    withGateway(() =>
      Effect.gen(function* () {
        yield* (yield* ContentStore).put(TREE_CID, TREE)
        const { roots, blocks } = yield* read((yield* ask(`${TREE_CID}?format=car`)).body)
        assert.deepStrictEqual([roots, blocks.length], [[TREE_CID], 1])
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
