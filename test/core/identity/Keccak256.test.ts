/** keccak-256 is the one that others compute: published digests, and @noble/hashes on every length about a block's and on random bytes. */
import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { keccak256 } from "../../../packages/core/src/identity/Keccak256.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

describe("keccak-256", () => {
  it("gives the published digests", () => {
    const vectors: ReadonlyArray<readonly [string, string]> = [
      ["", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"],
      ["abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"],
      ["Transfer(address,address,uint256)", "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"],
      ["testing", "5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02"]
    ]
    for (const [text, digest] of vectors) assert.strictEqual(hex(keccak256(utf8(text))), digest)
  })

  it("agrees with @noble/hashes on every length to four blocks, and on 5,000 texts of random bytes", () => {
    let state = 3
    const byte = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state >>> 24
    }
    for (let length = 0; length <= 4 * 136 + 2; length++) {
      const bytes = Uint8Array.from({ length }, byte)
      assert.strictEqual(hex(keccak256(bytes)), hex(keccak_256(bytes)), `${length} bytes`)
    }
    for (let round = 0; round < 5000; round++) {
      const bytes = Uint8Array.from({ length: byte() }, byte)
      assert.strictEqual(hex(keccak256(bytes)), hex(keccak_256(bytes)))
    }
    const large = new Uint8Array(100_000).fill(255)
    assert.strictEqual(hex(keccak256(large)), hex(keccak_256(large)))
  })

  it("keeps nothing of one call for the next, and gives bytes of its own", () => {
    const first = keccak256(utf8("one"))
    const copy = hex(first)
    const part = new Uint8Array(300).fill(7).subarray(3, 40)
    assert.strictEqual(hex(keccak256(part)), hex(keccak_256(part)))
    assert.strictEqual(hex(first), copy)
    assert.strictEqual(hex(keccak256(utf8("one"))), copy)
  })
})
