/** How a CAR is read, at the edges where one careless line would let it lie or hurt: one spelling of a length, a bounded header, every byte hashed when it counts. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { CarChunks } from "../../packages/verify/src/bulk/CarChunks.ts"
import { CHUNK_SIZE } from "../../packages/verify/src/bulk/LineChunks.ts"
import { HEADER_LIMIT, readHeader } from "../../packages/verify/src/car/CarFormat.ts"
import { readVarint } from "../../packages/verify/src/car/Varint.ts"
import { type CarBytes, carHistory } from "../../packages/verify/src/history/CarHistory.ts"
import type { HistorySource } from "../../packages/verify/src/history/HistorySource.ts"
import { UnusableInput } from "../../packages/verify/src/UnusableInput.ts"
import { utf8 } from "../core/verification/Fixtures.ts"
import { blocksOf, carOf, proofOfCommit } from "./HistoryFixtures.ts"

const car = Buffer.from(await carOf(blocksOf([0, 1].map((index) => ({ proof: proofOfCommit(index) })))))

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
const inMemory = (bytes: Uint8Array): CarBytes => ({
  size: bytes.length,
  at: (offset, length) => bytes.subarray(offset, offset + length),
  close: () => {}
})
const opened = (bytes: Uint8Array): HistorySource => carHistory(inMemory(bytes), sha256)

const refusalOf = (act: () => unknown): string => {
  try {
    act()
    return "read"
  } catch (error) {
    return error instanceof UnusableInput ? `${error.code}: ${error.message}` : String(error)
  }
}

/** What is read of `bytes` in chunks, and how much of them was taken to find out. */
const chunked = async (bytes: (offset: number, into: Uint8Array) => number) => {
  let taken = 0
  const source = new CarChunks(
    async (into) => {
      const length = bytes(taken, into)
      taken += length
      return length
    },
    { start: 0, end: undefined }
  )
  try {
    const faults: Array<string | undefined> = []
    for await (const { fault } of source.chunks(() => true)) faults.push(fault?.code)
    return { taken, result: faults.filter((code) => code !== undefined).join() || "read" }
  } catch (error) {
    return { taken, result: error instanceof UnusableInput ? `${error.code}: ${error.message}` : String(error) }
  }
}
const chunkedBytes = (bytes: Uint8Array) =>
  chunked((offset, into) => {
    const part = bytes.subarray(offset, offset + into.length)
    into.set(part)
    return part.length
  })

/** Where the lengths of the header and of each section stand, and where they end. */
const lengths = (() => {
  const found: Array<{ readonly start: number; readonly end: number }> = []
  for (let at = 0; at < car.length; ) {
    const read = readVarint(car, at)
    assert.isObject(read)
    if (typeof read !== "object") break
    found.push({ start: at, end: read.end })
    at = read.end + read.value
  }
  return found
})()

/** The same, but for the number that ends at `end`: it has a byte more. */
const padded = (bytes: Uint8Array, end: number): Uint8Array =>
  Buffer.concat([bytes.subarray(0, end - 1), Uint8Array.of(bytes[end - 1]! | 0x80, 0), bytes.subarray(end)])

describe("a varint", () => {
  it("is read in its shortest form only", () => {
    for (const [bytes, expected] of [
      [[0], { value: 0, end: 1 }],
      [[0x7f], { value: 127, end: 1 }],
      [[0x80, 1], { value: 128, end: 2 }],
      [[0x80, 0], "wrong"],
      [[0xff, 0], "wrong"],
      [[0x80, 0x80, 0], "wrong"],
      [[0x81, 0x80, 0x80, 0], "wrong"],
      [[0x80], "cut"],
      [[255, 255, 255, 255, 255, 255, 127], { value: 2 ** 49 - 1, end: 7 }],
      [[255, 255, 255, 255, 255, 255, 255, 0], "wrong"]
    ] as const) {
      assert.deepStrictEqual(readVarint(Uint8Array.from(bytes), 0), expected, String(bytes))
    }
  })

  it("of any length in a CAR has no longer form, even where everything else is whole", async () => {
    assert.strictEqual(
      refusalOf(() => opened(car)),
      "read"
    )
    assert.strictEqual((await chunkedBytes(car)).result, "read")
    assert.isAtLeast(lengths.length, 4)
    for (const { start, end } of lengths.slice(1)) {
      const changed = padded(car, end)
      assert.include(
        refusalOf(() => opened(changed)),
        "is no varint",
        `section at byte ${start}`
      )
      assert.strictEqual((await chunkedBytes(changed)).result, "car_malformed", `section at byte ${start}`)
    }
    const header = padded(car, lengths[0]!.end)
    assert.match(
      refusalOf(() => opened(header)),
      /container_unknown|its length is no varint/
    )
    assert.match((await chunkedBytes(header)).result, /its length is no varint/)
  })
})

describe("a CAR's header", () => {
  /** Its length, and the start of a map of two with the key "roots". */
  const headed = (length: number): Uint8Array => Uint8Array.of(...varint(length), 0xa2, 0x65, ...utf8("roots"))
  const varint = (value: number): ReadonlyArray<number> =>
    value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)]

  it("over 4,096 bytes is refused by its length, before a byte more is read", async () => {
    for (const length of [HEADER_LIMIT + 1, 100_000, 2 ** 20]) {
      assert.deepInclude(readHeader(headed(length)), { code: "car_malformed" }, String(length))
      const whole = Buffer.concat([headed(length), Buffer.alloc(length)])
      assert.include(
        refusalOf(() => opened(whole)),
        "its header is longer than 4096 bytes"
      )
      const endless = await chunked((offset, into) => {
        if (offset > 8 * CHUNK_SIZE) return 0
        into.set(offset === 0 ? headed(length) : [])
        return offset === 0 ? 512 : into.length
      })
      assert.include(endless.result, "its header is longer than 4096 bytes")
      assert.strictEqual(endless.taken, 512)
    }
    assert.strictEqual(readHeader(headed(HEADER_LIMIT)), "cut")
    assert.strictEqual(HEADER_LIMIT, 4096)
  })
})

describe("a history in a CAR", () => {
  it("hashes a proof again when it reads it, so that what changed since the first reading is not believed", () => {
    const bytes = Uint8Array.from(car)
    const source = opened(bytes)
    const names = source.index?.entries.map(({ proof }) => proof!) ?? []
    assert.lengthOf(names, 2)
    assert.isTrue(source.proof(names[0]!).ok)
    const [, , first, second] = lengths
    const place = bytes.indexOf(0x7b, first!.end + 36)
    const other = car.subarray(car.indexOf(0x7b, second!.end + 36))
    bytes.set(other.subarray(0, second!.start - place), place)
    const swapped = source.proof(names[0]!)
    assert.isFalse(swapped.ok)
    if (!swapped.ok) assert.strictEqual(swapped.problem.code, "block_hash_differs")
    assert.isTrue(source.proof(names[1]!).ok)
  })
})
