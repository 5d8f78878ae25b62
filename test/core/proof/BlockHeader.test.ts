import { assert, describe, it } from "@effect/vitest"
import { bytesToHex, keccak256 } from "viem"
import { readHeader } from "../../../packages/core/src/proof/BlockHeader.ts"
import { encodeRlp, type RlpItem, rlpInteger } from "../../../packages/core/src/proof/Rlp.ts"

const word = (fill: number, length = 32) => new Uint8Array(length).fill(fill)
const fields: ReadonlyArray<RlpItem> = [
  ...[word(1), word(2), word(3, 20), word(4), word(5), word(6), word(7, 256)],
  ...[0, 9, 30_000_000, 21_000, 1_700_000_000].map(rlpInteger),
  ...[word(8, 3), word(9), word(0, 8)]
]

describe("a block header", () => {
  it("gives its hash, number, time and roots, whatever follows its first 15 items", () => {
    for (const further of [[], [rlpInteger(7)], [rlpInteger(0), word(1), word(2, 500)]]) {
      const raw = encodeRlp([...fields, ...further])
      assert.deepStrictEqual(readHeader(raw), {
        hash: keccak256(raw),
        number: 9,
        timestamp: 1_700_000_000,
        transactionsRoot: word(5),
        receiptsRoot: word(6)
      })
    }
  })

  it("with an item missing, of another length, or a list in its place, is none", () => {
    for (const [index, field] of fields.entries()) {
      const bytes = field as Uint8Array
      assert.isUndefined(readHeader(encodeRlp(fields.toSpliced(index, 1))), `without item ${index}`)
      assert.isUndefined(readHeader(encodeRlp(fields.with(index, [bytes]))), `a list for item ${index}`)
      const isAnyLength = [7, 8, 9, 10, 11, 12].includes(index)
      if (!isAnyLength) {
        for (const other of [bytes.subarray(1), Uint8Array.of(...bytes, 1), new Uint8Array()]) {
          assert.isUndefined(readHeader(encodeRlp(fields.with(index, other))), `item ${index} of ${other.length}`)
        }
      }
    }
    assert.isUndefined(readHeader(encodeRlp([...fields, [word(1)]])))
  })

  it("whose number or time is no whole number up to 2^53 - 1 is none", () => {
    for (const index of [8, 11]) {
      for (const value of [Uint8Array.of(0), Uint8Array.of(0, 9), rlpInteger(2n ** 53n), word(1)]) {
        assert.isUndefined(readHeader(encodeRlp(fields.with(index, value))), bytesToHex(value))
      }
      assert.isDefined(readHeader(encodeRlp(fields.with(index, rlpInteger(2n ** 53n - 1n)))))
    }
  })
})
