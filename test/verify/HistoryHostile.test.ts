/** CARs that are made to hurt: each is refused with its code at its byte, in bounded time and memory. */
import { assert, describe, it } from "@effect/vitest"
import { CarWriter } from "@ipld/car"
import { CID } from "multiformats/cid"
import { cidOf, DAG_JSON_CODE } from "../../packages/core/src/asset-tree/Cid.ts"
import { utf8 } from "../core/verification/Fixtures.ts"
import { dice } from "./BulkProofs.ts"
import { treemarkVerify } from "./Command.ts"
import { blocksOf, carOf, proofOfCommit, rawBlock, writeBytes } from "./HistoryFixtures.ts"

const blocks = blocksOf([0, 1].map((index) => ({ proof: proofOfCommit(index) })))
const car = Buffer.from(await carOf(blocks))

const withRoots = async (roots: ReadonlyArray<string>): Promise<Uint8Array> => {
  const { writer, out } = CarWriter.create(roots.map((root) => CID.parse(root)))
  const parts: Array<Uint8Array> = []
  await Promise.all([
    writer.close(),
    (async () => {
      for await (const part of out) parts.push(part)
    })()
  ])
  return Buffer.concat(parts)
}

const dagJson = (text: string) => ({ cid: cidOf(DAG_JSON_CODE, utf8(text)), bytes: utf8(text) })

const history = (bytes: Uint8Array) => {
  const run = treemarkVerify(["history", writeBytes(bytes), "--json"])
  return { ...run, json: JSON.parse(run.stdout) }
}

describe("a hostile CAR", () => {
  const [root] = blocks
  const cases: ReadonlyArray<readonly [title: string, code: string, bytes: () => Uint8Array | Promise<Uint8Array>]> = [
    ["nothing", "container_unknown", () => new Uint8Array()],
    ["gzip", "container_unknown", () => Uint8Array.of(0x1f, 0x8b, 8, 0, ...new Uint8Array(90))],
    ["a CAR of version 2", "container_unknown", () => Uint8Array.of(0x0a, 0xa1, 0x67, ...utf8("version"), 2)],
    [
      "a header that says it has 2^48 bytes",
      "container_unknown",
      () => Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 1, ...car)
    ],
    ["a header of 100 kB", "car_malformed", () => withRoots(Array.from({ length: 2500 }, () => root!.cid))],
    ["a header that is cut off", "car_malformed", () => car.subarray(0, 40)],
    ["no root", "car_malformed", () => withRoots([])],
    ["two roots", "car_malformed", () => withRoots([root!.cid, root!.cid])],
    ["a root that is raw", "car_malformed", () => carOf([rawBlock(utf8("{}")), ...blocks])],
    ["a varint that runs on", "car_malformed", () => Buffer.concat([car, Buffer.alloc(40, 0xff)])],
    ["a varint in a longer form than need be", "car_malformed", () => Buffer.concat([car, Uint8Array.of(0x80, 0)])],
    [
      "a section of 2^49 bytes",
      "block_too_large",
      () => Buffer.concat([car, Uint8Array.of(255, 255, 255, 255, 255, 255, 127)])
    ],
    ["a section that is cut off", "car_malformed", () => car.subarray(0, car.length - 1)],
    ["an empty section", "car_malformed", () => Buffer.concat([car, Uint8Array.of(0)])],
    ["a section without a CID", "car_malformed", () => Buffer.concat([car, Uint8Array.of(4, 7, 7, 7, 7)])],
    [
      "a CID whose digest has 2^28 bytes",
      "car_malformed",
      () => Buffer.concat([car, Uint8Array.of(8, 1, 0x55, 0, 255, 255, 255, 127, 1)])
    ],
    ["an index that nests too deep", "history_not_json", () => carOf([dagJson("[".repeat(100_000))])],
    [
      "a link that says more than a CID",
      "history_members",
      () =>
        carOf([
          dagJson(Buffer.from(root!.bytes).toString().replace('"proof":{"/":', '"proof":{"!":1,"/":')),
          ...blocks.slice(1)
        ])
    ],
    ["an index with a key twice", "history_not_json", () => carOf([dagJson('{"a":1,"a":2}')])]
  ]
  for (const [title, code, bytes] of cases) {
    it(`is unusable: ${title}`, async () => {
      const run = history(await bytes())
      assert.strictEqual(run.code, 2)
      assert.strictEqual(run.json.error.code, code)
    })
  }

  it("that is changed in any one byte is never valid, and never ends the command otherwise than with a code", () => {
    const roll = dice(5)
    assert.strictEqual(history(car).code, 0)
    for (let round = 0; round < 12; round++) {
      const changed = Buffer.from(car)
      const at = roll(changed.length)
      changed[at] = changed[at]! ^ (1 << roll(8))
      const run = history(changed)
      assert.include([1, 2], run.code, `byte ${at}`)
      assert.isTrue(run.json.error !== undefined || run.json.summary.verdict === "invalid")
    }
  })
})
