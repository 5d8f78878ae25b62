/** `custom`: any JSON object that canonical dag-json carries without change, as an object or inside a string. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dagJsonText } from "../../../packages/core/src/json/CanonicalJson.ts"
import { decodeCommitRequest } from "../../../packages/core/src/rules/CommitRules.ts"
import { custom, type Json, type JsonObject, order, plainBody, reordered } from "../Generators.ts"

const outcome = (given: unknown) =>
  Effect.runSync(
    decodeCommitRequest({ ...plainBody, custom: given }).pipe(
      Effect.match({
        onSuccess: (request) => ({ custom: request.custom, problems: [] as ReadonlyArray<string> }),
        onFailure: (error) => ({
          custom: undefined,
          problems: error.problems.map(({ path, message }) => `${path} ${message}`)
        })
      })
    )
  )

const problems = (given: unknown) => outcome(given).problems
const INTEGER = "must be an integer within ±9007199254740991 (2^53−1), for others lose digits; write it as a string"

/** An object that nests `levels` deep, itself being the first. */
const nested = (levels: number): Json => (levels === 1 ? {} : { a: nested(levels - 1) })

describe("custom", () => {
  it.prop("is kept as it is, and every such value has a dag-json form", [custom], ([value]) => {
    const { generatedBy: _, assetSourceType: __, ...plain } = value
    assert.deepStrictEqual(outcome(plain).custom, plain)
    assert.deepStrictEqual(outcome(JSON.stringify(plain)).custom, JSON.parse(JSON.stringify(plain)))
    assert.isString(dagJsonText(plain))
  })

  it("may hold an empty key, __proto__ and keys that merely contain a slash", () => {
    const given = '{"":1,"__proto__":{"x":1},"a/b":2,"//":3}'
    const { custom: kept } = outcome(given)
    assert.deepStrictEqual(Object.keys(kept!), ["", "__proto__", "a/b", "//"])
    assert.strictEqual(Object.getPrototypeOf(kept), Object.prototype)
    assert.deepStrictEqual(outcome(JSON.parse(given)).custom, kept)
  })

  it("loses assetSourceType at its top, whatever that holds, and nowhere else", () => {
    for (const forged of ["forged", 2 ** 53, { "/": 1 }, null]) {
      const given = { assetSourceType: forged, a: { assetSourceType: "kept" } }
      assert.deepStrictEqual(outcome(given).custom, { a: { assetSourceType: "kept" } })
    }
    assert.deepStrictEqual(outcome('{"__proto__":1,"assetSourceType":"x"}').custom, JSON.parse('{"__proto__":1}'))
  })

  it("refuses the key / at any depth, with the place as a JSON pointer", () => {
    const message = 'must not have the key "/": dag-json reserves it for links and bytes'
    assert.deepStrictEqual(problems({ "/": "bafk" }), [`/custom/~1 ${message}`])
    assert.deepStrictEqual(problems({ "a/b": [{ "~": { "/": { bytes: "" } } }] }), [`/custom/a~1b/0/~0/~1 ${message}`])
    assert.deepStrictEqual(problems('{"a":{"/":1}}'), [`/custom/a/~1 ${message}`])
  })

  it("refuses keys of one object that codecs order differently, wherever, and takes them apart or with others", () => {
    const message = (first: string, second: string) =>
      `must not have both the keys "${first}" and "${second}": programs disagree which of them comes first (UTF-8 or UTF-16 order), and so about the tree's CID; rename one`
    const disputed = { "🎨": 1, "\ufffd": 2, a: 3 }
    assert.deepStrictEqual(problems(disputed), [`/custom ${message("\ufffd", "🎨")}`])
    assert.deepStrictEqual(problems({ x: [{}, disputed] }), [`/custom/x/1 ${message("\ufffd", "🎨")}`])
    assert.deepStrictEqual(problems(JSON.stringify(disputed)), [`/custom ${message("\ufffd", "🎨")}`])
    const apart = { "🎨": { "\ufffd": 1 }, 中: 2, "🎩": 3 }
    assert.deepStrictEqual(outcome(apart).custom, apart)
  })

  it("refuses integers outside ±(2^53−1) and numbers no double can hold, as an object and as a string", () => {
    const edges = { most: Number.MAX_SAFE_INTEGER, least: Number.MIN_SAFE_INTEGER, fraction: 1e-300 }
    assert.deepStrictEqual(outcome(edges).custom, edges)
    for (const integer of [
      "9007199254740992",
      "9007199254740993",
      "-9007199254740992",
      "1e16",
      "12345678901234567890"
    ]) {
      assert.deepStrictEqual(problems(JSON.parse(`{"n":[0,${integer}]}`)), [`/custom/n/1 ${INTEGER}`])
      assert.deepStrictEqual(problems(`{"n":[0,${integer}]}`), [`/custom/n/1 ${INTEGER}`])
    }
    for (const given of ['{"n":1e400}', '{"n":-1e400}']) {
      assert.deepStrictEqual(problems(given), [
        "/custom/n must be a number that a double can hold; write it as a string"
      ])
      assert.deepStrictEqual(problems(JSON.parse(given)), problems(given))
    }
  })

  it("may nest 32 levels deep and no deeper, as an object and as a string", () => {
    assert.deepStrictEqual(outcome(nested(32)).custom, nested(32) as JsonObject)
    assert.deepStrictEqual(outcome(JSON.stringify(nested(32))).custom, nested(32) as JsonObject)
    const refusal = [`/custom${"/a".repeat(32)} must not nest deeper than 32 levels, custom itself being the first`]
    assert.deepStrictEqual(problems(nested(33)), refusal)
    assert.deepStrictEqual(problems(JSON.stringify(nested(33))), refusal)
    let deep: Json = {}
    for (let level = 1; level < 100_000; level++) deep = { a: deep }
    assert.deepStrictEqual(problems(deep), refusal)
    assert.match(problems('{"a":'.repeat(100_000))[0]!, /nest deeper than 64 levels/)
  })

  it("refuses half of a surrogate pair in values and keys", () => {
    assert.deepStrictEqual(
      problems({ a: ["ok", "\udc00"], "\ud800": 1 }).map((problem) => problem.split(" ")[0]),
      ["/custom/a/1", "/custom/\ud800"]
    )
    assert.match(
      problems('{"a":"\\ud800"}')[0]!,
      /^\/custom must be a JSON object, or a string that holds one; in this string: The string contains half of a surrogate pair \(line 1, column 6\)/
    )
  })

  it("refuses a string that holds no JSON object, and says where", () => {
    const expected = "/custom must be a JSON object, or a string that holds one"
    assert.deepStrictEqual(problems('{"a":1,"a":2}'), [
      `${expected}; in this string: The key "a" occurs twice in one object (line 1, column 8).`
    ])
    for (const other of ["[]", "1", "null", '"{}"'])
      assert.deepStrictEqual(problems(other), [`${expected}; this string holds none`])
    assert.include(problems("")[0], "The JSON ends too early")
    for (const other of [[], [{}], 1, true]) assert.deepStrictEqual(problems(other), [expected])
  })

  it("refuses what JSON does not have, for callers who pass live objects", () => {
    const given = { date: new Date(0), none: undefined, big: 1n, call: () => 1, map: new Map(), list: [undefined, 1] }
    assert.deepStrictEqual(
      problems(given),
      ["big", "call", "date", "list/0", "map", "none"].map((place) => `/custom/${place} must be a JSON value`)
    )
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    assert.include(problems(cyclic)[0], "deeper than 32 levels")
  })

  it.prop("breaks the same rules in every order of its members", [custom, order], ([value, way]) => {
    const broken = { z: { "/": value, n: [2 ** 60, "\ud800"] }, value, "/": [{ b: 1e30, a: -1e30 }], generatedBy: 1 }
    assert.deepStrictEqual(problems(reordered(broken, way)), problems(broken))
  })

  it("answers thousands of broken rules in bounded size, and the same ones in every order", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`key ${i}`, 2 ** 53]))
    const listed = problems(many)
    assert.isAtMost(listed.length, 102)
    assert.match(listed[0]!, /breaks .*more rules than are listed here/)
    assert.deepStrictEqual(problems(Object.fromEntries(Object.entries(many).reverse())), listed)
    const wide = { ["k".repeat(30_000)]: Array.from({ length: 5_000 }, () => 2 ** 53) }
    assert.isBelow(problems(wide).join("").length, 200_000)
  })
})
