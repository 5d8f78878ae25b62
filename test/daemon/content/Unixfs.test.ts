/** Files to UnixFS graphs and back: CIDs that other implementations give, and reading from any place. */
import { readFileSync } from "node:fs"
import { unlink, writeFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import * as DagPb from "@ipld/dag-pb"
import { cidOf, DAG_PB_CODE, RAW_CODE, StorageUnavailable } from "@treemark/core"
import { MemoryBlockstore } from "blockstore-core"
import { Effect, Schema, Stream } from "effect"
import { importBytes } from "ipfs-unixfs-importer"
import { fixedSize } from "ipfs-unixfs-importer/chunker"
import { balanced } from "ipfs-unixfs-importer/layout"
import { cidOfBlock } from "../../../packages/daemon/src/content/BlockCid.ts"
import { BlockMissing } from "../../../packages/daemon/src/content/BlockErrors.ts"
import { BlockFolder } from "../../../packages/daemon/src/content/BlockFolder.ts"
import { type ImportShape, importFile } from "../../../packages/daemon/src/content/UnixfsImport.ts"
import { encodeUnixfs } from "../../../packages/daemon/src/content/UnixfsNode.ts"
import { blockFile, bytesOf, CHUNK, filesIn, keyStream, readStored, sha256Hex, withBlocks } from "./ContentFixture.ts"

const importInto = Effect.fnUntraced(function* <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  options?: Parameters<typeof importFile>[2]
) {
  const batch = yield* (yield* BlockFolder).batch
  const file = yield* importFile(bytes, batch, options)
  yield* batch.flush
  return file
})

const cidByImporter = (bytes: Uint8Array, { chunkSize, maxChildren }: ImportShape) =>
  Effect.promise(async () => {
    const options = { chunker: fixedSize({ chunkSize }), layout: balanced({ maxChildrenPerNode: maxChildren }) }
    return (await importBytes(bytes, new MemoryBlockstore(), options)).cid.toString()
  })

/** The node over four leaves of ten bytes each. */
const nodeOver = (bytes: Uint8Array) => {
  const leaves = [0, 10, 20, 30].map((start) => cidOfBlock(RAW_CODE, bytes.subarray(start, start + 10)))
  const links = leaves.map((leaf) => ({ Name: "", Tsize: 10, Hash: leaf }))
  return DagPb.encode({ Data: encodeUnixfs([10, 10, 10, 10]), Links: links })
}

const numbersFiles = JSON.parse(
  readFileSync(new URL("../../vectors/numbers-file-cids.json", import.meta.url), "utf8")
) as ReadonlyArray<{
  readonly id: string
  readonly input: { readonly bytes_base64?: string }
  readonly expected: { readonly cid?: string; readonly sha256?: string }
}>

describe("import of files", () => {
  for (const { id, input, expected } of numbersFiles) {
    if (input.bytes_base64 === undefined) continue
    const bytes = Buffer.from(input.bytes_base64, "base64")
    it.live(`gives the published CID and sha256 of: ${id}`, () =>
      withBlocks(() =>
        Effect.gen(function* () {
          const file = yield* importInto(Stream.succeed(bytes))
          if (expected.cid !== undefined) assert.strictEqual(file.cid.toString(), expected.cid)
          assert.strictEqual(file.sha256, expected.sha256)
          assert.strictEqual(file.size, bytes.length)
        })
      )
    )
  }

  it.live("gives the CID of kubo for a short text (kubo test/cli/add_test.go)", () =>
    withBlocks(() =>
      Effect.gen(function* () {
        const file = yield* importInto(Stream.make(Buffer.from("hello "), Buffer.from("world")))
        assert.strictEqual(file.cid.toString(), "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e")
      })
    )
  )

  it.live("gives the CIDs of kubo at 174 chunks and at 175 (kubo test/cli/add_test.go, chunks of 1 MiB)", () =>
    withBlocks(() =>
      Effect.gen(function* () {
        const shape = { chunkSize: 1 << 20, maxChildren: 174 }
        const full = yield* importInto(keyStream("v1-seed", 174 << 20), { shape })
        assert.strictEqual(full.cid.toString(), "bafybeigwduxcf2aawppv3isnfeshnimkyplvw3hthxjhr2bdeje4tdaicu")
        const over = yield* importInto(keyStream("v1-seed", 175 << 20), { shape })
        assert.strictEqual(over.cid.toString(), "bafybeidhd7lo2n2v7lta5yamob3xwhbxcczmmtmhquwhjesi35jntf7mpu")
      })
    )
  )

  it.live("by default cuts and links as ipfs-unixfs-importer does, over more than 174 chunks too", () =>
    withBlocks(() =>
      Effect.gen(function* () {
        for (const size of [CHUNK, CHUNK + 1, 174 * CHUNK, 175 * CHUNK + 5]) {
          const bytes = yield* bytesOf(keyStream("sizes", size))
          const file = yield* importInto(Stream.succeed(bytes))
          assert.strictEqual(
            file.cid.toString(),
            yield* Effect.promise(async () => (await importBytes(bytes, new MemoryBlockstore())).cid.toString())
          )
          assert.strictEqual(file.sha256, sha256Hex(bytes))
          assert.strictEqual(file.size, size)
        }
      })
    )
  )

  it.effect.prop(
    "any bytes, in any pieces, under any shape give the CID that ipfs-unixfs-importer gives, and are read back",
    [
      Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))),
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
      Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 4 }))
    ],
    ([lengths, chunkSize, maxChildren]) =>
      withBlocks(() =>
        Effect.gen(function* () {
          const size = lengths.reduce((sum, length) => sum + length, 0)
          const bytes = yield* bytesOf(keyStream("any", size))
          let taken = 0
          const pieces = lengths.map((length) => {
            taken += length
            return bytes.subarray(taken - length, taken)
          })
          const shape = { chunkSize, maxChildren }
          const file = yield* importInto(Stream.fromIterable(pieces), { shape })
          assert.strictEqual(file.cid.toString(), yield* cidByImporter(bytes, shape))
          assert.deepStrictEqual(yield* readStored(file.cid), bytes)
        })
      ),
    { arbitrary: { runs: 60 } }
  )

  it.live("tells how many bytes are stored, chunk by chunk", () =>
    withBlocks(() =>
      Effect.gen(function* () {
        const heard: Array<number> = []
        yield* importInto(keyStream("progress", 2 * CHUNK + 10), { onProgress: (stored) => heard.push(stored) })
        assert.deepStrictEqual(heard, [CHUNK, 2 * CHUNK, 2 * CHUNK + 10])
      })
    )
  )

  it.live("ends with the source's own failure", () =>
    withBlocks(() =>
      Effect.gen(function* () {
        const broken = Stream.concat(keyStream("broken", CHUNK), Stream.fail("the line broke"))
        assert.strictEqual(yield* Effect.flip(importInto(broken)), "the line broke")
      })
    )
  )

  it.live("imports a file that comes byte by byte", () =>
    withBlocks(() =>
      Effect.gen(function* () {
        const bytes = yield* bytesOf(keyStream("drops", CHUNK + 3))
        const file = yield* importInto(Stream.fromIterable(Array.from(bytes, (byte) => Uint8Array.of(byte))))
        assert.strictEqual(file.sha256, sha256Hex(bytes))
        assert.deepStrictEqual(yield* readStored(file.cid), bytes)
      })
    )
  )
})

describe("reading of stored files", () => {
  it.live("gives any part of a file of several levels", () =>
    withBlocks(() =>
      Effect.gen(function* () {
        const bytes = yield* bytesOf(keyStream("parts", 1_000))
        const { cid } = yield* importInto(Stream.succeed(bytes), { shape: { chunkSize: 7, maxChildren: 3 } })
        for (const [start, end] of [
          [0, 0],
          [0, 1],
          [6, 8],
          [500, 900],
          [999, 1_000],
          [0, 1_000]
        ] as const) {
          assert.deepStrictEqual(yield* readStored(cid, start, end), bytes.subarray(start, end))
        }
      })
    )
  )

  it.live("needs only the blocks that hold the part", () =>
    withBlocks((folder) =>
      Effect.gen(function* () {
        const bytes = yield* bytesOf(keyStream("part", 100))
        const { cid } = yield* importInto(Stream.succeed(bytes), { shape: { chunkSize: 10, maxChildren: 4 } })
        const kept = new Set([cid.toString()])
        const leaf = cidOf(RAW_CODE, bytes.subarray(50, 60))
        const parent = cidOf(DAG_PB_CODE, nodeOver(bytes.subarray(40, 80)))
        kept.add(leaf).add(parent)
        for (const name of yield* filesIn(folder)) {
          if (!kept.has(name)) yield* Effect.promise(() => unlink(blockFile(folder, name)))
        }
        assert.sameMembers([...(yield* filesIn(folder))], [...kept])
        assert.deepStrictEqual(yield* readStored(cid, 50, 60), bytes.subarray(50, 60))
      })
    )
  )

  it.live("stops at a block that was changed on the disk", () =>
    withBlocks((folder) =>
      Effect.gen(function* () {
        const { cid } = yield* importInto(keyStream("tampered", 3 * CHUNK))
        const leaf = (yield* filesIn(folder)).find((name) => name.startsWith("bafkrei"))!
        yield* Effect.promise(() => writeFile(blockFile(folder, leaf), Buffer.alloc(CHUNK)))
        const error = yield* Effect.flip(readStored(cid))
        assert.instanceOf(error, StorageUnavailable)
        assert.include(error.message, leaf)
      })
    )
  )

  it.live("names the block that is missing, and the one it is a part of", () =>
    withBlocks((folder) =>
      Effect.gen(function* () {
        const { cid } = yield* importInto(keyStream("missing", 3 * CHUNK))
        const leaf = (yield* filesIn(folder)).find((name) => name.startsWith("bafkrei"))!
        yield* Effect.promise(() => unlink(blockFile(folder, leaf)))
        const error = yield* Effect.flip(readStored(cid))
        assert.instanceOf(error, StorageUnavailable)
        assert.instanceOf(error.cause, BlockMissing)
        assert.include(error.cause.message, leaf)
        assert.include(error.cause.message, cid.toString())
      })
    )
  )
})
