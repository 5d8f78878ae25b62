/** `/ipfs/{cid}?format=car`: which blocks, in which order, and what of a graph is asked for (dag-scope, entity-bytes). */
import { assert, describe, it } from "@effect/vitest"
import * as DagPb from "@ipld/dag-pb"
import { ContentStore, DAG_PB_CODE, RAW_CODE } from "@treemark/core"
import { MemoryBlockstore } from "blockstore-core"
import { Effect } from "effect"
import { UnixFS } from "ipfs-unixfs"
import { exporter } from "ipfs-unixfs-exporter"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { cidOfBlock } from "../../../packages/daemon/src/content/BlockCid.ts"
import { bytesOf, CHUNK, keyStream } from "./ContentFixture.ts"
import { allOf, ask, FILE, readCar, refusal, register, TREE, TREE_CID, withGateway } from "./GatewayFixture.ts"

describe("the CAR", () => {
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
          const { roots, blocks } = yield* readCar(answer.body)
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
        const { blocks } = yield* readCar((yield* ask(`${cid}?format=car`)).body)
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
        assert.strictEqual((yield* readCar(twice.body)).blocks.length, 4)
        const root = yield* readCar((yield* ask(`${cid}?format=car&dag-scope=block`)).body)
        assert.deepStrictEqual(
          root.blocks.map((block) => block.cid.toString()),
          [cid]
        )
        const entity = yield* readCar((yield* ask(`${cid}?format=car&dag-scope=entity`)).body)
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
        const { roots, blocks } = yield* readCar((yield* ask(`${TREE_CID}?format=car`)).body)
        assert.deepStrictEqual([roots, blocks.length], [[TREE_CID], 1])
      })
    )
  )
})

/** A dag-pb node of type `type` with links of these names, put into the store. */
const folder = Effect.fnUntraced(function* (
  type: "directory" | "hamt-sharded-directory",
  links: ReadonlyArray<readonly [string, string]>
) {
  const Links = links.map(([Name, cid]) => ({ Name, Tsize: 1, Hash: CID.parse(cid) }))
  const Data =
    type === "hamt-sharded-directory" ? new UnixFS({ type, fanout: 256n, hashType: 0x22n }) : new UnixFS({ type })
  const bytes = DagPb.encode(DagPb.prepare({ Data: Data.marshal(), Links }))
  const cid = cidOfBlock(DAG_PB_CODE, bytes).toString()
  yield* (yield* ContentStore).put(cid, bytes)
  return cid
})

const cidsOf = Effect.fnUntraced(function* (path: string) {
  return (yield* readCar((yield* ask(path)).body)).blocks.map(({ cid }) => cid.toString())
})

describe("dag-scope=entity", () => {
  it.live("of a folder is its own block, all is what it holds too; of shards all of them and no file", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const file = yield* register(FILE)
        const small = yield* folder("directory", [["file.bin", file]])
        assert.deepStrictEqual(yield* cidsOf(`${small}?format=car&dag-scope=entity`), [small])
        assert.strictEqual((yield* cidsOf(`${small}?format=car`)).length, 4)
        const shard = yield* folder("hamt-sharded-directory", [["0Afile.bin", file]])
        const root = yield* folder("hamt-sharded-directory", [
          ["1Bfile.bin", file],
          ["2C", shard]
        ])
        assert.deepStrictEqual(yield* cidsOf(`${root}?format=car&dag-scope=entity`), [root, shard])
        yield* (yield* ContentStore).put(TREE_CID, TREE)
        assert.deepStrictEqual(yield* cidsOf(`${TREE_CID}?format=car&dag-scope=entity`), [TREE_CID])
      })
    )
  )
})

describe("entity-bytes", () => {
  it.live("sends the blocks that the bytes are in, and those between them and the root, and no other", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const bytes = yield* bytesOf(keyStream("entity", 176 * CHUNK))
        const cid = yield* register(bytes)
        const all = (yield* readCar((yield* ask(`${cid}?format=car`)).body)).blocks.map((one) => one.cid.toString())
        // Root, first part with 174 leaves, second part with two.
        assert.strictEqual(all.length, 1 + 1 + 174 + 1 + 2)
        const [root = "", first = "", leaf = "", next = ""] = all
        const [second = "", last = "", end = ""] = all.slice(-3)
        for (const [asked, expected] of [
          ["0:0", [root, first, leaf]],
          [`0:${CHUNK - 1}`, [root, first, leaf]],
          [`${CHUNK - 1}:${CHUNK}`, [root, first, leaf, next]],
          [`${CHUNK}:${CHUNK}`, [root, first, next]],
          ["-1:*", [root, second, end]],
          [`-${CHUNK + 1}:-${CHUNK + 1}`, [root, second, last]],
          [`${175 * CHUNK}:*`, [root, second, end]],
          [`${174 * CHUNK}:${1e12}`, [root, second, last, end]],
          [`${175 * CHUNK}:-${CHUNK}`, [root, second, end]],
          [`-${1e12}:0`, [root, first, leaf]]
        ] as const) {
          assert.deepStrictEqual(yield* cidsOf(`${cid}?format=car&entity-bytes=${asked}`), [...expected], asked)
        }
        assert.strictEqual((yield* cidsOf(`${cid}?format=car&entity-bytes=0:*`)).length, all.length)
        const empty = `${cid}?format=car&entity-bytes=-5:3`
        assert.deepStrictEqual(yield* cidsOf(empty), [root])
      })
    )
  )

  it.live("sends a block that occurs twice once, and again when that is asked for", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE)
        const asked = `${cid}?format=car&entity-bytes=5:${CHUNK + 5}`
        assert.strictEqual((yield* cidsOf(asked)).length, 2)
        assert.strictEqual((yield* cidsOf(`${asked}&car-dups=y`)).length, 3)
      })
    )
  )

  it.live("is refused when it is no range, or lies outside; a tag of its own; nothing where there are no bytes", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const cid = yield* register(FILE)
        for (const text of [
          "",
          "1",
          "1-2",
          "a:b",
          "*:5",
          "5:4",
          "-4:-5",
          "0x1:*",
          ":5",
          `${FILE.length}:*`,
          `0:-${FILE.length + 1}`
        ]) {
          const answer = yield* ask(`${cid}?format=car&entity-bytes=${text}`)
          assert.strictEqual(refusal(answer), "UnsupportedFormat", text)
        }
        const tags = new Set<string | undefined>()
        const queries = [
          "",
          "&dag-scope=block",
          "&dag-scope=entity",
          "&entity-bytes=0:1",
          "&entity-bytes=0:2",
          "&car-dups=y"
        ]
        for (const query of queries) tags.add((yield* ask(`${cid}?format=car${query}`)).headers.etag)
        assert.strictEqual(tags.size, queries.length)
        yield* (yield* ContentStore).put(TREE_CID, TREE)
        assert.deepStrictEqual(yield* cidsOf(`${TREE_CID}?format=car&entity-bytes=99:*`), [TREE_CID])
        const none = yield* register(new Uint8Array())
        assert.deepStrictEqual(yield* cidsOf(`${none}?format=car&entity-bytes=0:*`), [none])
      })
    )
  )
})

describe("what stands in its CID", () => {
  it.live("is in no CAR: not as a link, and not as the root, which the probe asks for", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const inline = CID.createV1(RAW_CODE, Digest.create(0, Buffer.from("small"))).toString()
        const holder = yield* folder("directory", [["small.txt", inline]])
        assert.deepStrictEqual(yield* cidsOf(`${holder}?format=car&car-dups=y`), [holder])
        const probe = yield* ask("bafkqaaa?format=car")
        assert.strictEqual(probe.status, 200)
        assert.deepStrictEqual(yield* readCar(probe.body), { roots: ["bafkqaaa"], blocks: [] })
        const empty = yield* ask("bafkqaaa?format=raw")
        assert.deepStrictEqual([empty.status, empty.body.length], [200, 0])
      })
    )
  )
})

describe("a CAR below a CID", () => {
  it.live("begins with the blocks that the path leads through", () =>
    withGateway(() =>
      Effect.gen(function* () {
        const file = yield* register(FILE)
        const other = yield* register(Buffer.from("another"))
        const inner = yield* folder("directory", [["photo one.jpg", file]])
        const outer = yield* folder("directory", [
          ["a", inner],
          ["b", other]
        ])
        const path = `${outer}/a/photo%20one.jpg?format=car`
        assert.deepStrictEqual((yield* cidsOf(path)).slice(0, 3), [outer, inner, file])
        assert.strictEqual((yield* cidsOf(path)).length, 5)
        assert.deepStrictEqual(yield* cidsOf(`${path}&dag-scope=block`), [outer, inner, file])
        assert.strictEqual((yield* cidsOf(`${path}&entity-bytes=0:0`)).length, 4)
      })
    )
  )
})
