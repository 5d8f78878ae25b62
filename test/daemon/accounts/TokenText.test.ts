/** The text of access tokens: its form, its checksum, its hash. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result, Schema } from "effect"
import { hashOfToken, makeToken, parseToken } from "../../../packages/daemon/src/accounts/TokenText.ts"

const Byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const Random = Schema.Array(Byte).check(Schema.isBetweenLength(32, 32))
const Position = Schema.Int.check(Schema.isBetween({ minimum: 4, maximum: 52 }))

const textOf = (random: ReadonlyArray<number>) => Redacted.value(makeToken(Uint8Array.from(random)))
const refusalOf = (text: string) => {
  const parsed = parseToken(Redacted.make(text))
  return Result.isFailure(parsed) ? parsed.failure.reason : "accepted"
}

describe("access token text", () => {
  it("is 53 characters, fixed for given bytes (CRC-32 computed with Python's zlib)", () => {
    assert.strictEqual(textOf(new Array(32).fill(0)), "tmk_00000000000000000000000000000000000000000002eIzD5")
    assert.strictEqual(textOf(new Array(32).fill(255)), "tmk_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp115FYSt")
  })

  it.prop("any 32 bytes make a token of one form that is read back as the sha256 of its text", [Random], ([random]) => {
    const token = makeToken(Uint8Array.from(random))
    const text = Redacted.value(token)
    assert.match(text, /^tmk_[0-9A-Za-z]{49}$/)
    const hash = createHash("sha256").update(text).digest("hex")
    assert.strictEqual(hashOfToken(token), hash)
    assert.strictEqual(Result.getOrNull(parseToken(token)), hash)
  })

  it.prop(
    "a token with any one character changed is told by its checksum",
    [Random, Position, Byte],
    ([random, at, n]) => {
      const text = textOf(random)
      const other = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".replace(text.charAt(at), "")
      const mistyped = text.slice(0, at) + other.charAt(n % other.length) + text.slice(at + 1)
      assert.strictEqual(refusalOf(mistyped), "checksum")
    }
  )

  it.prop("a token with two neighbours swapped is told by its checksum", [Random, Position], ([random, at]) => {
    const text = textOf(random)
    const swapped = text.slice(0, at - 1) + text.charAt(at) + text.charAt(at - 1) + text.slice(at + 1)
    assert.strictEqual(refusalOf(swapped), swapped === text ? "accepted" : at === 4 ? "prefix" : "checksum")
  })

  it.prop("different bytes make different tokens", [Random, Random], ([one, other]) => {
    assert.strictEqual(textOf(one) === textOf(other), one.join() === other.join())
  })

  it("says what is wrong with a text that is no token, and never repeats it", () => {
    const text = textOf(new Array(32).fill(7))
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["", "prefix"],
      ["Bearer x", "prefix"],
      [text.toUpperCase(), "prefix"],
      [` ${text}`, "prefix"],
      [text.slice(0, -1), "length"],
      [`${text}0`, "length"],
      [`${text}\n`, "length"],
      [`${text.slice(0, -1)}é`, "characters"],
      [`${text.slice(0, -1)}\n`, "characters"]
    ]
    for (const [wrong, reason] of cases) {
      assert.strictEqual(refusalOf(wrong), reason, JSON.stringify(wrong))
      const parsed = parseToken(Redacted.make(wrong))
      if (Result.isFailure(parsed) && wrong.length > 8) assert.notInclude(parsed.failure.message, wrong.slice(4, -1))
    }
  })

  it("does not show itself when it is logged, and needs 32 bytes", () => {
    assert.notInclude(`${makeToken(new Uint8Array(32))}`, "tmk_")
    assert.throws(() => makeToken(new Uint8Array(31)), RangeError)
  })
})
