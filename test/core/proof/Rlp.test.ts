/** RLP against ethereum/tests' published vectors, and against another implementation on random and broken input. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { RLP } from "@ethereumjs/rlp"
import { bytesToHex, type Hex, hexToBytes } from "viem"
import { decodeRlp, encodeRlp, integerOf, type RlpItem, rlpInteger } from "../../../packages/core/src/proof/Rlp.ts"
import { seeded } from "./Seeded.ts"

type HexItem = Hex | ReadonlyArray<HexItem>
interface Vector {
  readonly id: string
  readonly input: { readonly rlp: Hex }
  readonly expected: { readonly valid: boolean; readonly item?: HexItem }
}
const vectors: ReadonlyArray<Vector> = JSON.parse(readFileSync("test/vectors/rlp.json", "utf8"))

const asHex = (item: RlpItem): HexItem => (item instanceof Uint8Array ? bytesToHex(item) : item.map(asHex))
const asBytes = (item: HexItem): RlpItem => (typeof item === "string" ? hexToBytes(item) : item.map(asBytes))

describe("RLP", () => {
  for (const { id, input, expected } of vectors) {
    it(`${expected.valid ? "reads and writes" : "refuses"} ${id} of ethereum/tests`, () => {
      const item = decodeRlp(hexToBytes(input.rlp))
      assert.deepStrictEqual(item === undefined ? undefined : asHex(item), expected.item)
      if (expected.item !== undefined) assert.strictEqual(bytesToHex(encodeRlp(asBytes(expected.item))), input.rlp)
    })
  }

  it("agrees with another implementation on random items, and reads back what it wrote", () => {
    const random = seeded(1)
    const make = (depth: number): RlpItem =>
      depth > 0 && random(3) === 0
        ? Array.from({ length: random(5) }, () => make(depth - 1))
        : Uint8Array.from({ length: [0, 1, 2, 55, 56, 57, 300, 70_000][random(8)]! }, () => random(256))
    for (let round = 0; round < 200; round++) {
      const item = make(5)
      const encoded = encodeRlp(item)
      assert.deepStrictEqual(encoded, RLP.encode(item as Parameters<typeof RLP.encode>[0]))
      assert.deepStrictEqual(asHex(decodeRlp(encoded)!), asHex(item))
    }
  })

  it("has one spelling: whatever bytes are read encode to themselves, and what is not read is refused quietly", () => {
    const random = seeded(2)
    let read = 0
    for (let round = 0; round < 20_000; round++) {
      const bytes = Uint8Array.from({ length: 1 + random(12) }, () =>
        random(2) === 0 ? 0xc0 + random(5) : random(256)
      )
      const item = decodeRlp(bytes)
      if (item === undefined) continue
      read++
      assert.deepStrictEqual(encodeRlp(item), bytes)
    }
    assert.isAbove(read, 500)
  })

  it("refuses bytes left over, lists deeper than 16, and lengths beyond the input, at once", () => {
    const nested = (depth: number): Uint8Array => {
      let item: RlpItem = []
      for (let at = 1; at < depth; at++) item = [item]
      return encodeRlp(item)
    }
    assert.isDefined(decodeRlp(nested(16)))
    assert.isUndefined(decodeRlp(nested(17)))
    assert.isUndefined(decodeRlp(new Uint8Array(1_000_000).fill(0xc1)))
    assert.isUndefined(decodeRlp(Uint8Array.of(0xc0, 0)))
    assert.isUndefined(decodeRlp(new Uint8Array()))
    for (const prefix of [0xb8, 0xbb, 0xbf, 0xf8, 0xfb, 0xff]) {
      assert.isUndefined(decodeRlp(Uint8Array.of(prefix, 255, 255, 255, 255, 255, 255, 255, 255)), String(prefix))
    }
  })

  it("knows whole numbers without leading zeros, up to 2^53 - 1", () => {
    for (const value of [0, 1, 127, 128, 255, 256, 300, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      assert.strictEqual(integerOf(rlpInteger(value)), value)
    }
    assert.isUndefined(integerOf(Uint8Array.of(0)))
    assert.isUndefined(integerOf(Uint8Array.of(0, 1)))
    assert.isUndefined(integerOf(rlpInteger(2n ** 53n)))
    assert.isUndefined(integerOf(rlpInteger(2n ** 64n)))
    assert.isUndefined(integerOf([]))
  })
})
