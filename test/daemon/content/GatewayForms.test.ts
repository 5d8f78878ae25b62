/** Which form of a content is answered and how it is named: dag-json, `?format=` against `Accept`, file names, conditions, paths. */
import { assert, describe, it } from "@effect/vitest"
import * as DagPb from "@ipld/dag-pb"
import { ContentStore, cidOf, DAG_JSON_CODE, DAG_PB_CODE, RAW_CODE } from "@treemark/core"
import { Effect } from "effect"
import { UnixFS } from "ipfs-unixfs"
import { CID } from "multiformats/cid"
import { cidOfBlock } from "../../../packages/daemon/src/content/BlockCid.ts"
import { ask, FILE, refusal, register, TREE, TREE_CID, withGateway } from "./GatewayFixture.ts"

const DAG_JSON = "application/vnd.ipld.dag-json"
const ABSENT = cidOf(RAW_CODE, new TextEncoder().encode("absent"))

const keep = Effect.fnUntraced(function* (codec: number, bytes: Uint8Array) {
  const cid = cidOfBlock(codec, bytes).toString()
  yield* (yield* ContentStore).put(cid, bytes)
  return cid
})

const keepJson = (value: unknown) => keep(DAG_JSON_CODE, new TextEncoder().encode(JSON.stringify(value)))

describe("a tree", () => {
  it.live("is dag-json, or JSON, by Accept and by format, under a tag of its own each", () =>
    withGateway(() =>
      Effect.gen(function* () {
        yield* keep(DAG_JSON_CODE, TREE)
        for (const [path, accept, type, tag] of [
          [`${TREE_CID}?format=dag-json`, undefined, DAG_JSON, ".dag-json"],
          [TREE_CID, DAG_JSON, DAG_JSON, ".dag-json"],
          [`${TREE_CID}?format=json`, DAG_JSON, "application/json", ".json"],
          [TREE_CID, "application/json, text/plain, */*", "application/json", ".json"],
          [`${TREE_CID}?format=dag-json`, "application/vnd.ipld.raw", DAG_JSON, ".dag-json"],
          [TREE_CID, "*/*", DAG_JSON, ""]
        ] as const) {
          const answer = yield* ask(path, accept === undefined ? {} : { accept })
          assert.strictEqual(answer.headers["content-type"], type, `${path} ${accept}`)
          assert.strictEqual(answer.headers.etag, `"${TREE_CID}${tag}"`)
          assert.deepStrictEqual(new Uint8Array(answer.body), TREE)
          const named = tag === "" ? undefined : `inline; filename="${TREE_CID}.json"`
          assert.strictEqual(answer.headers["content-disposition"], named)
        }
      })
    )
  )

  it.live("is the only thing that is dag-json: format insists, Accept takes the file", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE, "video/mp4")
        for (const format of ["dag-json", "json"]) {
          assert.strictEqual(refusal(yield* ask(`${cid}?format=${format}`)), "UnsupportedFormat")
        }
        const file = yield* ask(cid, { accept: "application/json" })
        assert.strictEqual(file.headers["content-type"], "video/mp4")
        assert.strictEqual(file.headers.etag, `"${cid}"`)
        assert.isUndefined(file.headers["content-location"])
      })
    )
  )
})

describe("format", () => {
  it.live("goes before Accept, and the address of what Accept chose is told", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE)
        const [raw, car] = ["application/vnd.ipld.raw", "application/vnd.ipld.car"]
        for (const [query, accept, type, location] of [
          ["?format=raw", car, raw, "?format=raw"],
          ["?format=raw", raw, raw, undefined],
          ["?format=raw", "*/*", raw, undefined],
          ["", raw, raw, "?format=raw"],
          ["?dag-scope=block", `${car};dups=y`, car, "?dag-scope=block&format=car&car-dups=y"]
        ] as const) {
          const answer = yield* ask(`${cid}${query}`, { accept })
          assert.strictEqual(answer.headers["content-type"]?.split(";")[0], type)
          const told = location === undefined ? undefined : `/ipfs/${cid}${location}`
          assert.strictEqual(answer.headers["content-location"], told, `${query} ${accept}`)
        }
      })
    )
  )

  it.live(
    "of a CAR takes its parameters from the address before Accept, and of several the first that can be had",
    () =>
      withGateway(() =>
        Effect.gen(function* () {
          const cid = yield* register(FILE)
          const accept = "application/vnd.ipld.car;order=foo, application/vnd.ipld.car;order=dfs;dups=y;q=0.5"
          assert.match((yield* ask(cid, { accept })).headers["content-type"] ?? "", /dups=y$/)
          const answer = yield* ask(`${cid}?format=car&car-dups=n`, { accept: "application/vnd.ipld.car;dups=y" })
          assert.match(answer.headers["content-type"] ?? "", /dups=n$/)
          for (const query of ["car-version=2", "car-order=bfs", "car-dups=maybe"]) {
            assert.strictEqual(refusal(yield* ask(`${cid}?format=car&${query}`)), "UnsupportedFormat", query)
          }
        })
      )
  )
})

describe("the name of what is saved", () => {
  it.live("is the one asked for, in both forms where it is not plain, and nothing that breaks out of the header", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE)
        for (const [query, expected] of [
          ["filename=cat.jpg", 'inline; filename="cat.jpg"'],
          ["filename=cat.jpg&download=true", 'attachment; filename="cat.jpg"'],
          ["download=true", "attachment"],
          ["download=false", "inline"],
          ["download=maybe", undefined],
          ["filename=", undefined],
          ["filename=test%D1%82.pdf", `inline; filename="test_.pdf"; filename*=UTF-8''test%D1%82.pdf`],
          ["filename=a%22%0D%0Ab%27.txt", `inline; filename="a_b'.txt"; filename*=UTF-8''a%22b%27.txt`],
          ["filename=../../etc/passwd", 'inline; filename="passwd"'],
          ["format=raw&filename=block", 'attachment; filename="block"'],
          ["format=car&filename=all.car&download=false", 'attachment; filename="all.car"']
        ] as const) {
          assert.strictEqual((yield* ask(`${cid}?${query}`)).headers["content-disposition"], expected, query)
        }
      })
    )
  )
})

describe("a condition", () => {
  it.live("only-if-cached: what is here as ever, what is not is NotCached, with GET and HEAD", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE)
        const headers = { "cache-control": "max-age=0, only-if-cached" }
        assert.strictEqual((yield* ask(cid, headers)).status, 200)
        assert.strictEqual((yield* ask(cid, headers, "HEAD")).status, 200)
        assert.strictEqual(refusal(yield* ask(ABSENT, headers)), "NotCached")
        assert.strictEqual(refusal(yield* ask(`${ABSENT}?format=car`, headers)), "NotCached")
        assert.strictEqual(refusal(yield* ask(ABSENT, { "cache-control": "no-cache" })), "BlockNotFound")
        assert.strictEqual(refusal(yield* ask(cid, { "service-worker": "script" })), "UnsupportedFormat")
      })
    )
  )
})

describe("a path below a CID", () => {
  it.live("leads through folders, and tells what it led through", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const file = yield* register(FILE, "video/mp4")
        const Links = [{ Name: "ж.mp4", Tsize: 1, Hash: CID.parse(file) }]
        const Data = new UnixFS({ type: "directory" }).marshal()
        const folder = yield* keep(DAG_PB_CODE, DagPb.encode(DagPb.prepare({ Data, Links })))
        const path = `${folder}/%D0%B6.mp4`
        const answer = yield* ask(path)
        assert.isTrue(answer.body.equals(FILE))
        assert.strictEqual(answer.headers["content-type"], "video/mp4")
        assert.strictEqual(answer.headers["x-ipfs-path"], `/ipfs/${path}`)
        assert.strictEqual(answer.headers["x-ipfs-roots"], `${folder},${file}`)
        assert.strictEqual(answer.headers.etag, `"${path}"`)
        assert.strictEqual((yield* ask(path, { "if-none-match": `"${path}"` })).status, 304)
        const head = yield* ask(`${path}/?format=raw`, {}, "HEAD")
        assert.strictEqual(head.headers["content-disposition"], `attachment; filename="${file}.bin"`)
        assert.strictEqual((yield* ask(file)).headers["x-ipfs-roots"], file)
        assert.strictEqual((yield* ask(path, { range: "bytes=0-1" })).status, 206)
      })
    )
  )

  it.live("leads through links of dag-json, and ends nowhere else", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const file = yield* register(FILE, "video/mp4")
        const tree = yield* keepJson({
          assetCid: file,
          parts: [{ file: { "/": file } }],
          none: null,
          bytes: { "/": { bytes: "AA" } },
          gone: { "/": ABSENT }
        })
        const found = yield* ask(`${tree}/parts/0/file`)
        assert.isTrue(found.body.equals(FILE))
        assert.strictEqual(found.headers["x-ipfs-roots"], `${tree},${file}`)
        for (const [path, tag, told] of [
          ["assetCid", "PathInsideBlock", `/ipfs/${tree}/assetCid is`],
          ["none", "PathInsideBlock", ""],
          ["bytes", "PathInsideBlock", ""],
          ["parts", "PathInsideBlock", ""],
          ["parts/1", "PathNotFound", `/ipfs/${tree}/parts is here, but nothing in it is called "1"`],
          ["parts/length", "PathNotFound", ""],
          ["toString", "PathNotFound", ""],
          ["none/x", "PathNotFound", ""],
          ["assetCid/0", "PathNotFound", ""],
          ["parts/0/file/x", "PathNotFound", ""],
          ["gone", "BlockNotFound", ABSENT]
        ] as const) {
          const answer = yield* ask(`${tree}/${path}`)
          assert.strictEqual(refusal(answer), tag, path)
          assert.include(answer.body.toString(), told)
        }
        const headers = { "cache-control": "only-if-cached" }
        assert.strictEqual(refusal(yield* ask(`${tree}/gone`, headers)), "NotCached")
      })
    )
  )

  it.live("does not lead into files, folders in shards, or what is not of its form", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const file = yield* register(FILE)
        const Data = new UnixFS({ type: "hamt-sharded-directory", fanout: 256n, hashType: 0x22n }).marshal()
        const Links = [{ Name: "0Acat.jpg", Tsize: 1, Hash: CID.parse(file) }]
        const shard = yield* keep(DAG_PB_CODE, DagPb.encode(DagPb.prepare({ Data, Links })))
        const broken = yield* keep(DAG_JSON_CODE, new TextEncoder().encode("{"))
        for (const [path, tag] of [
          [`${file}/x`, "PathNotFound"],
          [`${shard}/cat.jpg`, "PathInsideBlock"],
          [`${shard}/0Acat.jpg`, "PathInsideBlock"],
          [`${broken}/x`, "PathNotFound"],
          ["nocid/x", "NotACid"]
        ] as const) {
          assert.strictEqual(refusal(yield* ask(path)), tag, path)
        }
      })
    )
  )
})
