import { assert, describe, it } from "@effect/vitest"
import { fastestSign, nativeSign, nobleSign } from "../../../packages/daemon/src/wallets/DigestSigning.ts"

/** Bytes that differ from call to call and not from run to run. */
const bytes = (seed: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => (seed * 131 + i * 89 + 7) % 251)

describe("signing a digest", () => {
  it("gives with libsecp256k1 the very signature that noble gives", () => {
    const native = nativeSign()
    assert.isDefined(native, "the optional package secp256k1 has a binary for this platform")
    for (let seed = 1; seed <= 200; seed++) {
      const [digest, key] = [bytes(seed), bytes(seed * 7 + 1)]
      const [ours, theirs] = [native!(digest, key), nobleSign(digest, key)]
      assert.deepStrictEqual(
        [Buffer.from(ours.r), Buffer.from(ours.s), ours.yParity],
        [Buffer.from(theirs.r), Buffer.from(theirs.s), theirs.yParity]
      )
    }
  })

  it("takes libsecp256k1 where it is there, and leaves the key as it was", () => {
    const key = bytes(3)
    const { s } = fastestSign()(bytes(9), key)
    assert.deepStrictEqual(key, bytes(3))
    assert.isBelow(s[0]!, 0x80)
  })
})
