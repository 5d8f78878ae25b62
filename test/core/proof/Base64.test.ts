/** Base64 in one spelling only: Buffer is the oracle for what the bytes are, and for which text is the canonical one. */
import { assert, describe, it } from "@effect/vitest"
import { base64Of, parseBase64 } from "../../../packages/core/src/proof/Base64.ts"

/** The bytes, when `text` is exactly what those bytes are written as. */
const oracle = (text: string): Uint8Array | undefined => {
  const bytes = Buffer.from(text, "base64")
  return bytes.toString("base64") === text ? new Uint8Array(bytes) : undefined
}

const hex = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString("hex")

describe("base64", () => {
  it("of bytes of every length reads back", () => {
    for (let length = 0; length < 300; length++) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 73 + length * 31) & 0xff)
      assert.strictEqual(base64Of(bytes), Buffer.from(bytes).toString("base64"))
      assert.deepStrictEqual(parseBase64(base64Of(bytes)), bytes)
    }
  })

  it("is read only in its canonical spelling: every text of four characters of these, and longer ones", () => {
    const characters = ["A", "Q", "g", "/", "+", "=", "\n", "-", "\u0141", "\u{1f469}"]
    for (const a of characters) {
      for (const b of characters) {
        for (const c of characters) {
          for (const d of characters) {
            for (const text of [a + b + c + d, `QUJD${a}${b}${c}${d}`, `${a}${b}${c}${d}QUJD`]) {
              assert.strictEqual(hex(parseBase64(text)), hex(oracle(text)), JSON.stringify(text))
            }
          }
        }
      }
    }
    for (const text of ["A", "AA", "AAA", "AAAAA", "=", "==", "===", "====", "A===", "AAAA====", "QQ==QQ=="]) {
      assert.deepStrictEqual(parseBase64(text), oracle(text), text)
    }
  })
})
