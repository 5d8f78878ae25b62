/**
 * Strict JSON: JSONTestSuite cases with their origin, JSON.parse as oracle for everything it accepts, and the refusals that
 * JSON.parse does not know.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { MalformedJson, parseStrictJson, parseStrictJsonText } from "../../../packages/core/src/rules/StrictJson.ts"
import { processorTime } from "../../layers/Timing.ts"
import { json, text } from "../Generators.ts"

interface Vector {
  readonly id: string
  readonly input: { readonly base64?: string }
  readonly expected: { readonly "Node 24 JSON.parse(lossy utf8)"?: "accept" | "reject" }
}

const vectors = (
  JSON.parse(readFileSync(new URL("../../vectors/json-torture.json", import.meta.url), "utf8")) as ReadonlyArray<Vector>
).filter(({ input }) => input.base64 !== undefined)

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const refusalOf = (given: string | Uint8Array, maxDepth = 64): string => {
  const parsed = parseStrictJson(typeof given === "string" ? bytesOf(given) : given, { maxDepth })
  return Result.isFailure(parsed) ? parsed.failure.message : `accepted ${JSON.stringify(parsed.success)}`
}

/** Cases where implementations may differ, and what is decided here. */
const DECISIONS: { readonly [id: string]: string } = {
  "i_number_double_huge_neg_exp.json": "[0]",
  "i_number_real_neg_overflow.json": "[-Infinity]",
  "i_number_real_pos_overflow.json": "[Infinity]",
  "i_number_real_underflow.json": "[0]",
  "i_string_1st_surrogate_but_2nd_missing.json": "half of a surrogate pair",
  "i_string_UTF-16LE_with_BOM.json": "not UTF-8",
  "i_string_incomplete_surrogates_escape_valid.json": "half of a surrogate pair",
  "i_string_invalid_lonely_surrogate.json": "half of a surrogate pair",
  "i_string_invalid_surrogate.json": "half of a surrogate pair",
  "i_string_inverted_surrogates_U+1D11E.json": "half of a surrogate pair",
  "i_string_iso_latin_1.json": "not UTF-8",
  "i_string_lone_utf8_continuation_byte.json": "not UTF-8",
  "i_string_not_in_unicode_range.json": "not UTF-8",
  "i_string_utf16LE_no_BOM.json": "not UTF-8",
  "i_structure_UTF-8_BOM_empty_object.json": "byte order mark",
  "transform number_-9223372036854775809.json": "[-9223372036854776000]",
  "transform number_1e-999.json": "[0]",
  "transform number_9223372036854775807.json": "[9223372036854776000]",
  "transform object_same_key_unclear_values.json": "twice",
  "transform string_1_escaped_invalid_codepoint.json": "half of a surrogate pair"
}

describe("strict JSON", () => {
  it("has a decision for every case of the torture list", () => {
    assert.deepStrictEqual(vectors.map(({ id }) => id).sort(), Object.keys(DECISIONS).sort())
  })

  it.each(vectors)("decides $id", ({ id, input }) => {
    const parsed = parseStrictJson(Buffer.from(input.base64!, "base64"))
    const decision = DECISIONS[id]!
    if (Result.isSuccess(parsed)) assert.strictEqual(`[${String(parsed.success)}]`, decision)
    else assert.include(parsed.failure.message, decision)
  })

  it.prop("reads what JSON.stringify writes, compact or spread over lines", [json], ([value]) => {
    for (const spaces of [0, 3]) {
      const parsed = parseStrictJson(bytesOf(JSON.stringify(value, null, spaces)))
      assert.deepStrictEqual(Result.getOrThrow(parsed), JSON.parse(JSON.stringify(value)))
    }
  })

  it.prop(
    "accepts a text with one character changed only when JSON.parse does, with the same value",
    [json, text(1, 1), text(1, 1)],
    ([value, from, to]) => {
      const written = JSON.stringify(value).replaceAll(from, to)
      const parsed = parseStrictJsonText(written)
      if (Result.isSuccess(parsed)) assert.deepStrictEqual(parsed.success, JSON.parse(written))
      else if (!/twice|surrogate|byte order/.test(parsed.failure.message)) assert.throws(() => JSON.parse(written))
    }
  )

  it("refuses what JSON.parse refuses, and says what and where", () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["", "The JSON ends too early (line 1, column 1)."],
      [" \n ", "The JSON ends too early (line 2, column 2)."],
      ["{", "A key in double quotes is missing (line 1, column 2)."],
      ['{"a"', "The JSON ends too early (line 1, column 5)."],
      ['{"a" 1}', "A colon is missing after the key (line 1, column 6)."],
      ['{"a":1', "The JSON ends too early (line 1, column 7)."],
      ['{"a":1 "b":2}', "A comma or } is missing (line 1, column 8)."],
      ['{"a":1,}', "A key in double quotes is missing (line 1, column 8)."],
      ["{'a':1}", "A key in double quotes is missing (line 1, column 2)."],
      ["{a:1}", "A key in double quotes is missing (line 1, column 2)."],
      ["[1,]", "Here is no JSON value (line 1, column 4)."],
      ["[,1]", "Here is no JSON value (line 1, column 2)."],
      ["[1 2]", "A comma or ] is missing (line 1, column 4)."],
      ["[1}", "A comma or ] is missing (line 1, column 3)."],
      ["[]]", "Something follows the end of the JSON (line 1, column 3)."],
      ["{}\n{}", "Something follows the end of the JSON (line 2, column 1)."],
      ["01", "Something follows the end of the JSON (line 1, column 2)."],
      ["1.", "Something follows the end of the JSON (line 1, column 2)."],
      ["[1e]", "A comma or ] is missing (line 1, column 3)."],
      ["+1", "Here is no JSON value (line 1, column 1)."],
      [".5", "Here is no JSON value (line 1, column 1)."],
      ["-", "Here is no JSON value (line 1, column 1)."],
      ["NaN", "Here is no JSON value (line 1, column 1)."],
      ["nul", "Here is no JSON value (line 1, column 1)."],
      ["truefalse", "Something follows the end of the JSON (line 1, column 5)."],
      ["\u00a01", "Here is no JSON value (line 1, column 1)."],
      ["// no\n1", "Here is no JSON value (line 1, column 1)."],
      ['"abc', "The string is not closed (line 1, column 1)."],
      ['"a\nb"', "A control character in a string must be written as an escape such as \\n (line 1, column 3)."],
      ['"\\x"', "There is no such escape in JSON (line 1, column 2)."],
      ['"\\', "There is no such escape in JSON (line 1, column 2)."],
      ['"\\u12"', "\\u must be followed by 4 hexadecimal digits (line 1, column 2)."],
      ['"\\u+123"', "\\u must be followed by 4 hexadecimal digits (line 1, column 2)."]
    ]
    for (const [given, message] of cases) {
      assert.throws(() => JSON.parse(given), SyntaxError, undefined, given)
      assert.strictEqual(refusalOf(given), message, given)
    }
  })

  it("refuses every control character in a string, and takes each as an escape", () => {
    for (let unit = 0; unit <= 0x1f; unit++) {
      assert.include(refusalOf(`"${String.fromCharCode(unit)}"`), "control character", String(unit))
      const escaped = `"\\u${unit.toString(16).padStart(4, "0")}"`
      assert.strictEqual(Result.getOrThrow(parseStrictJsonText(escaped)), String.fromCharCode(unit))
    }
    assert.include(refusalOf('" \u007f"'), "accepted")
  })

  it("refuses a key twice in one object, at any depth, comparing unescaped keys", () => {
    assert.strictEqual(refusalOf('{"a":1,"a":1}'), 'The key "a" occurs twice in one object (line 1, column 8).')
    assert.strictEqual(
      refusalOf('{"a":1,\n "\\u0061":2}'),
      'The key "a" occurs twice in one object (line 2, column 2).'
    )
    assert.include(refusalOf('[[{"x":{"":1,"":2}}]]'), 'The key "" occurs twice')
    assert.include(refusalOf('{"__proto__":1,"__proto__":2}'), "twice")
    assert.include(refusalOf(`{"${"k".repeat(500)}":1,"${"k".repeat(500)}":2}`), `"${"k".repeat(60)}…"`)
    assert.include(refusalOf('[{"a":1},{"a":1},{"a":{"a":1}}]'), "accepted")
  })

  it("reads __proto__, constructor and hasOwnProperty as keys like any other", () => {
    const given = '{"__proto__":{"admin":true},"constructor":1,"hasOwnProperty":2}'
    const value = Result.getOrThrow(parseStrictJsonText(given)) as { readonly [key: string]: unknown }
    assert.deepStrictEqual(Object.keys(value), ["__proto__", "constructor", "hasOwnProperty"])
    assert.strictEqual(Object.getPrototypeOf(value), Object.prototype)
    assert.isUndefined(value.admin)
    assert.strictEqual(JSON.stringify(value), given)
  })

  it("counts nesting: at the limit accepted, one level more refused with its place", () => {
    for (const maxDepth of [1, 32, 64]) {
      const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
      assert.include(refusalOf(nested(maxDepth), maxDepth), "accepted")
      assert.strictEqual(
        refusalOf(nested(maxDepth + 1), maxDepth),
        `Arrays and objects nest deeper than ${maxDepth} levels (line 1, column ${maxDepth + 1}).`
      )
    }
    assert.include(refusalOf(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`), "deeper than 64")
    assert.include(refusalOf(`[${"[],".repeat(1000)}[]]`, 2), "accepted")
  })

  it("survives 100,000 levels, refused or allowed, in linear time", () => {
    for (const open of ["[", '{"a":']) assert.include(refusalOf(open.repeat(100_000)), "deeper than 64")
    const parsed = parseStrictJsonText("[".repeat(100_000) + "]".repeat(100_000), { maxDepth: 100_000 })
    assert.isTrue(Result.isSuccess(parsed))
    const time = (given: string) => {
      const started = processorTime()
      parseStrictJsonText(given)
      return processorTime() - started
    }
    const hostile = ['"\\n', '{"a":"', "[1,", " ", '"a",', "\\u0041"].map(
      (piece) => (length: number) => `["${piece.repeat(length)}`
    )
    for (const make of hostile) assert.isBelow(time(make(200_000)), 2_000)
  })

  it("names the byte where UTF-8 breaks, and a byte order mark", () => {
    const latin1 = new Uint8Array([0x7b, 0x22, 0xe9, 0x22, 0x7d])
    assert.strictEqual(refusalOf(latin1), "The JSON is not UTF-8 (near byte 4).")
    assert.strictEqual(refusalOf(new Uint8Array([0x22, 0xff])), "The JSON is not UTF-8 (near byte 2).")
    assert.strictEqual(refusalOf(new Uint8Array([0x22, 0xe2, 0x82])), "The JSON is not UTF-8 (near byte 4).")
    assert.include(refusalOf(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])), "not UTF-8")
    assert.include(refusalOf(new Uint8Array([0x22, 0xc0, 0x80, 0x22])), "not UTF-8")
    assert.include(refusalOf("\ufeff{}"), "A byte order mark stands before the JSON")
    assert.include(refusalOf('{"\ufeff":"\ufeff"}'), "accepted")
  })

  it("keeps from the rules no number that lost digits: such integers stay outside ±(2^53−1)", () => {
    const read = (given: string) => Result.getOrThrow(parseStrictJsonText(given)) as number
    for (const given of [
      "9007199254740992",
      "9007199254740993",
      "-9007199254740993",
      "1e16",
      "9007199254740992.0",
      "1e400"
    ]) {
      assert.isFalse(Number.isSafeInteger(read(given)), given)
    }
    assert.strictEqual(read("9007199254740991"), Number.MAX_SAFE_INTEGER)
    assert.isTrue(Object.is(read("-0"), -0))
    assert.strictEqual(read("1E+2"), 100)
  })

  it("answers a failure with the code of the HTTP answer", () => {
    const failure = Result.getOrThrow(Result.flip(parseStrictJsonText("{")))
    assert.instanceOf(failure, MalformedJson)
    assert.strictEqual(failure.code, "malformed_json")
  })
})
