/** `treemark-verify bulk` of a CAR: every raw block is a proof, every block is hashed, nothing is held that is longer than a proof. */
import { rmSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { PROOF_LIMIT } from "@treemark/core/verify"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { cidOf, DAG_JSON_CODE } from "../../packages/core/src/asset-tree/Cid.ts"
import { CarChunks } from "../../packages/verify/src/bulk/CarChunks.ts"
import type { Blocks } from "../../packages/verify/src/bulk/Chunk.ts"
import { CHUNK_SIZE } from "../../packages/verify/src/bulk/LineChunks.ts"
import { readVarint } from "../../packages/verify/src/car/Varint.ts"
import { utf8 } from "../core/verification/Fixtures.ts"
import { dice, invalidLine, unconfirmedLine, validLine } from "./BulkProofs.ts"
import { type RunOptions, treemarkVerify } from "./Command.ts"
import { carOf, rawBlock, writeBytes } from "./HistoryFixtures.ts"

const bulk = (args: ReadonlyArray<string>, options: RunOptions = {}) => {
  const run = treemarkVerify(["bulk", ...args, "--json"], options)
  const lines = run.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  return { ...run, results: lines.slice(0, -1), summary: lines.at(-1).summary, error: lines.at(-1).error }
}

const line = (index: number): string => {
  if (index === 7) return invalidLine(index)
  return index === 9 ? unconfirmedLine(index) : validLine(index)
}
const texts = Array.from({ length: 60 }, (_, index) => line(index))
const proofs = texts.map((text) => rawBlock(utf8(text)))
const dagJson = (text: string) => ({ cid: cidOf(DAG_JSON_CODE, utf8(text)), bytes: utf8(text) })
const damaged = {
  cid: proofs[3]!.cid,
  bytes: Uint8Array.from(proofs[3]!.bytes, (byte, at) => (at === 100 ? byte ^ 1 : byte))
}
const identity = { cid: CID.createV1(0x55, Digest.create(0, utf8("12"))).toString(), bytes: utf8("12") }

/** Bytes of a header with one root, a raw CID. */
const HEADER = 59

const varint = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))]

describe("bulk, of a CAR", () => {
  it("gives each raw block the result that its line has, in the order of the file, on any number of workers", async () => {
    const car = writeBytes(await carOf(proofs))
    const lines = bulk(["-"], { input: texts.join("\n") })
    for (const args of [[car], [car, "--workers", "1"], ["-"]]) {
      const run = bulk(args, { input: args[0] === "-" ? await carOf(proofs) : "" })
      assert.strictEqual(run.code, 1)
      assert.deepStrictEqual(
        run.results.map(({ block: _, offset: __, cid: ___, ...result }) => result),
        lines.results.map(({ line: _, offset: __, ...result }) => result)
      )
      assert.deepStrictEqual(
        run.results.map(({ block, cid }) => [block, cid]),
        proofs.map(({ cid }, at) => [at + 1, cid])
      )
      assert.deepInclude(run.summary, { total: 60, valid: 58, invalid: 1, unconfirmed: 1, unusable: 0, skipped: 0 })
    }
  })

  it("passes blocks of other codecs over, hashed, and tells of blocks that do not have their hash or another than sha256", async () => {
    const bad = { ...dagJson('{"a":1}'), bytes: utf8('{"a":2}') }
    const run = bulk(["-"], { input: await carOf([dagJson("{}"), proofs[0]!, damaged, bad, identity, proofs[1]!]) })
    assert.strictEqual(run.code, 2)
    assert.deepStrictEqual(
      run.results.map(({ block, error, verdict }) => [block, verdict ?? error.code]),
      [
        [2, "valid"],
        [3, "block_hash_differs"],
        [4, "block_hash_differs"],
        [5, "block_hash_unknown"],
        [6, "valid"]
      ]
    )
    assert.strictEqual(run.summary.skipped, 1)
    const plain = treemarkVerify(["bulk", "-"], { input: await carOf([damaged]) })
    assert.match(plain.stdout, /^✗ block 1 bafk\w+: unusable \[block_hash_differs\] /)
  })

  it("in shards gives every block once", async () => {
    const car = writeBytes(await carOf(proofs))
    const whole = bulk([car]).results
    for (const count of [2, 5]) {
      const shards = Array.from({ length: count }, (_, at) => bulk([car, "--shard", `${at + 1}/${count}`]))
      assert.deepStrictEqual(
        shards.flatMap(({ results }) => results),
        whole
      )
    }
    assert.strictEqual(bulk([car, "--range", "0-100"]).error.code, "usage")
    rmSync(car)
  }, 600_000)

  it("says where a CAR cannot be read on, keeps what came before, and never holds a block that is too long", async () => {
    const good = await carOf(proofs.slice(0, 2))
    const followedBy = (...bytes: ReadonlyArray<number>) => Buffer.concat([good, Uint8Array.from(bytes)])
    const long = PROOF_LIMIT + 30 * 1024 * 1024
    const overlong = Buffer.concat([
      good,
      Uint8Array.from(varint(long)),
      Buffer.alloc(long),
      (await carOf(proofs.slice(4, 5))).subarray(HEADER)
    ])
    const cases: ReadonlyArray<readonly [string, Uint8Array, ReadonlyArray<string>]> = [
      ["a varint that runs on", followedBy(...Array.from({ length: 20 }, () => 0xff)), ["car_malformed"]],
      ["a varint in a longer form than need be", followedBy(0x85, 0x80, 0x00, 1, 2, 3), ["car_malformed"]],
      ["an empty section", followedBy(0), ["car_malformed"]],
      ["a length of which nothing follows", followedBy(...varint(1000)), ["car_malformed"]],
      ["a length of 2^49", followedBy(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f), ["block_too_large"]],
      ["no CID", followedBy(5, 9, 9, 9, 9, 9), ["car_malformed"]],
      ["a CID of version 2", followedBy(5, 2, 0x55, 0x12, 32, 1), ["car_malformed"]],
      ["a digest of megabytes", followedBy(9, 1, 0x55, 0, 0xff, 0xff, 0x7f, 1, 2, 3), ["car_malformed"]],
      ["cut off", good.subarray(0, good.length - 7), ["car_malformed"]],
      ["a block that is too long", overlong, ["block_too_large", "valid"]]
    ]
    for (const [title, input, rest] of cases) {
      const run = bulk(["-"], { input })
      assert.strictEqual(run.code, 2, title)
      const kept = title === "cut off" ? ["valid"] : ["valid", "valid"]
      assert.deepStrictEqual(
        run.results.map(({ error, verdict }) => verdict ?? error.code),
        [...kept, ...rest],
        title
      )
      for (const { error } of run.results) if (error !== undefined) assert.isNotEmpty(error.message)
    }
  }, 600_000)

  it("refuses what is no CAR of version 1, and anything compressed, before anything is verified", async () => {
    const car = Buffer.from(await carOf(proofs.slice(0, 1)))
    const version = Buffer.from(car)
    version[version.indexOf("version") + 7] = 2
    const cases: ReadonlyArray<readonly [string, Uint8Array, string, RegExp]> = [
      ["version 2", Uint8Array.of(0x0a, 0xa1, 0x67, ...utf8("version"), 2), "container_unknown", /CAR of version 2/],
      ["version 2 in the header", version, "car_version", /version 2/],
      ["gzip", Uint8Array.of(0x1f, 0x8b, 8, 0), "container_unknown", /gunzip -c/],
      ["zstd", Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd), "container_unknown", /zstdcat/],
      ["zip", Uint8Array.of(0x50, 0x4b, 3, 4), "container_unknown", /zip/],
      ["a header cut off", car.subarray(0, 30), "car_malformed", /header/],
      ["a header of another kind", Buffer.from(car).fill(0, 12, 50), "car_malformed", /header/]
    ]
    for (const [title, input, code, message] of cases) {
      const run = title === "gzip" ? bulk([writeBytes(input)]) : bulk(["-"], { input })
      assert.deepStrictEqual([run.code, run.error?.code], [2, code], title)
      assert.match(run.stderr, message)
    }
  }, 600_000)
})

describe("chunks of a CAR", () => {
  it("hold every section once and whole, with its place, however the bytes arrive and wherever parts meet", async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const roll = dice(seed)
      const blocks = Array.from({ length: roll(60) }, () =>
        rawBlock(new Uint8Array(roll(seed % 5 === 0 ? 300_000 : 3000)).fill(seed))
      )
      const car = await carOf([rawBlock(utf8("root")), ...blocks])
      const sizes = Array.from({ length: 4 }, () => 1 + roll(seed % 3 === 0 ? 5000 : 400_000))
      const cuts = [0, ...Array.from({ length: roll(5) }, () => roll(car.length + 1)), car.length].toSorted(
        (a, b) => a - b
      )
      const seen: Array<Blocks> = []
      for (const [index, start] of cuts.slice(0, -1).entries()) {
        const end = index === cuts.length - 2 ? undefined : cuts[index + 1]!
        let [at, turn] = [0, 0]
        const source = new CarChunks(
          async (into) => {
            const length = Math.min(sizes[turn++ % sizes.length]!, into.length, car.length - at)
            into.set(car.subarray(at, at + length))
            at += length
            return length
          },
          { start, end }
        )
        for await (const chunk of source.chunks(() => seed % 2 === 0)) {
          assert.isAtLeast(chunk.offset, start)
          assert.isAtMost(chunk.buffer.byteLength, CHUNK_SIZE * 2)
          seen.push(chunk)
        }
      }
      const held = Buffer.concat(seen.map(({ buffer, length }) => new Uint8Array(buffer, 0, length)))
      assert.isTrue(held.equals(car.subarray(car.length - held.length)))
      assert.strictEqual(seen[0]?.block, 1)
      let sections = 0
      for (const { block, length, offset, buffer } of seen) {
        assert.strictEqual(block, sections + 1)
        assert.isTrue(Buffer.from(buffer, 0, length).equals(car.subarray(offset, offset + length)))
        for (let place = 0; place < length; sections++) {
          const read = readVarint(new Uint8Array(buffer), place)
          assert.isObject(read)
          if (typeof read === "object") place = read.end + read.value
        }
      }
      assert.strictEqual(sections, blocks.length + 1)
    }
  })
})
