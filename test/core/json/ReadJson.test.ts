import { assert, describe, it } from "@effect/vitest"
import { readJsonObject } from "@treemark/core/verify"
import { utf8 } from "../verification/Fixtures.ts"

const codeOf = (text: string): string => {
  const reading = readJsonObject(utf8(text))
  return reading.ok ? "read" : reading.code
}

describe("JSON files of strangers", () => {
  it("read as JSON.parse reads them when nothing about them is doubtful", () => {
    for (const text of [
      "{}",
      ' {"a":[{"a":1},{"a":2}],"b":{"a":"{\\"a\\":1}"},"":0}\n',
      '{"a\\"b":1,"a":2,"\\\\":3}',
      '{"x":"👩‍🔬","y":"\\ud83d\\ude00","z":1e400}',
      '{"10":1,"2":2,"constructor":3}'
    ]) {
      const reading = readJsonObject(utf8(text))
      assert.isTrue(reading.ok, text)
      if (reading.ok) assert.deepStrictEqual(reading.value, JSON.parse(text))
    }
  })

  it("are refused when a key occurs twice, however it is spelled and wherever", () => {
    for (const text of [
      '{"a":1,"a":1}',
      '{"a":1,"\\u0061":2}',
      '{"b":[{"c":{"x":1,"y":[],"x":2}}]}',
      '{"__proto__":1,"__proto__":2}',
      '{"\\"":1,"\\u0022":2}',
      '{"":1,"":2}',
      '{"a":1,"a":2,"b":"x\\\\","c":"y\\\\"}'
    ]) {
      assert.strictEqual(codeOf(text), "duplicate_key", text)
    }
  })

  it("keep a key named __proto__ as plain data", () => {
    const reading = readJsonObject(utf8('{"__proto__":{"creatorWallet":"x"}}'))
    assert.isTrue(reading.ok && Object.hasOwn(reading.value, "__proto__"))
    assert.isTrue(reading.ok && reading.value.creatorWallet === undefined)
  })

  it("nest at most 64 levels, and a hundred thousand levels cost nothing", () => {
    const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`
    assert.strictEqual(codeOf(nested(64)), "read")
    assert.strictEqual(codeOf(nested(65)), "too_deep")
    assert.strictEqual(codeOf(nested(100_000)), "too_deep")
    assert.strictEqual(codeOf('{"a":'.repeat(100_000)), "too_deep")
  })

  it("are refused with half a surrogate pair, in a key or a value", () => {
    for (const text of ['{"a":"\\ud800"}', '{"\\udfff":1}', '{"a":["x\\ude00\\ud83d"]}']) {
      assert.strictEqual(codeOf(text), "not_json", text)
    }
  })

  it("are refused when they are not JSON or not UTF-8", () => {
    for (const text of [
      "",
      "{",
      '{"a"',
      '{"a":"',
      '{"a":1}}',
      "{'a':1}",
      '{"a":01}',
      '{"a":"\n"}',
      '{"a":NaN}',
      "\ufeff{}",
      '{"a":1,}',
      '{"\\'
    ]) {
      assert.strictEqual(codeOf(text), "not_json", text)
    }
    for (const bytes of [[0x7b, 0x22, 0xc0, 0x80, 0x22, 0x7d], [0xff], [0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]]) {
      const reading = readJsonObject(Uint8Array.from(bytes))
      assert.strictEqual(reading.ok ? "read" : reading.code, "not_utf8")
    }
  })

  it("are refused when they hold anything but one object", () => {
    for (const text of ["[]", "null", "1", '"a"', "true"]) assert.strictEqual(codeOf(text), "not_object", text)
  })
})
