/** The Data field of file nodes: the bytes that other implementations write, at every size a file can have. */
import { assert, describe, it } from "@effect/vitest"
import * as DagPb from "@ipld/dag-pb"
import { Schema } from "effect"
import { UnixFS } from "ipfs-unixfs"
import { cidOfBlock } from "../../../packages/daemon/src/content/BlockCid.ts"
import { decodeUnixfs, encodeUnixfs } from "../../../packages/daemon/src/content/UnixfsNode.ts"

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
const unhex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"))

/** Sums of 170 of these stay safe; halves and powers of two come up often. */
const Size = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 45 }))
const SmallSize = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000_000 }))
const sizes = <S extends Schema.Schema<number>>(size: S) => Schema.Array(size).check(Schema.isBetweenLength(1, 170))

describe("the UnixFS data of a file node", () => {
  it.prop("has the bytes that ipfs-unixfs writes, for files under 2 GiB", [sizes(SmallSize)], ([blockSizes]) => {
    const theirs = new UnixFS({ type: "file", blockSizes: blockSizes.map(BigInt) }).marshal()
    assert.strictEqual(hex(encodeUnixfs(blockSizes)), hex(theirs))
  })

  it.prop("is read back as it was written, for files of any size", [sizes(Size)], ([blockSizes]) => {
    const read = decodeUnixfs(encodeUnixfs(blockSizes))
    assert.deepStrictEqual(read?.blockSizes, blockSizes)
    assert.strictEqual(read?.data.length, 0)
  })

  it("has whole varints at the powers of two, where 32-bit arithmetic ends (bytes worked out by the protobuf rules)", () => {
    for (const [size, bytes] of [
      [2 ** 31 - 1, "ffffffff07"],
      [2 ** 31, "8080808008"],
      [2 ** 32 - 1, "ffffffff0f"],
      [2 ** 32, "8080808010"],
      [10 * 2 ** 30, "8080808028"],
      [2 ** 53 - 1, "ffffffffffffff0f"]
    ] as const) {
      assert.strictEqual(hex(encodeUnixfs([size])), `080218${bytes}20${bytes}`)
      assert.deepStrictEqual(decodeUnixfs(encodeUnixfs([size]))?.blockSizes, [size])
    }
  })

  it("lets dag-pb carry links to parts of the same sizes", () => {
    for (const size of [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 1]) {
      const link = { Name: "", Tsize: size, Hash: cidOfBlock(0x55, new Uint8Array()) }
      const read = DagPb.decode(DagPb.encode({ Data: encodeUnixfs([size]), Links: [link] }))
      assert.strictEqual(read.Links[0]?.Tsize, size)
    }
  })

  it("is read with bytes of its own, as packed sizes, and with fields that are not needed", () => {
    const own = new UnixFS({ type: "file", data: Uint8Array.of(1, 2, 3), mtime: { secs: 5n }, mode: 0o644 }).marshal()
    assert.deepStrictEqual(decodeUnixfs(own), { data: Uint8Array.of(1, 2, 3), blockSizes: [] })
    const packed = unhex("0802220480800105")
    assert.deepStrictEqual(decodeUnixfs(packed)?.blockSizes, [16_384, 5])
  })

  it("is none for a directory, and for what is cut off, too large or no protobuf", () => {
    const directory = new UnixFS({ type: "directory" }).marshal()
    const broken = ["", "08", "08021a05aa", `080220${"ff".repeat(9)}01`, "0802220580", "080225", "ffff"]
    for (const bytes of [directory, ...broken.map(unhex)]) assert.isUndefined(decodeUnixfs(bytes), hex(bytes))
  })
})
