/** Changes and JSON Patches (RFC 6902): whoever applies the patch to the one value has the other. */
import { assert, describe, it } from "@effect/vitest"
import { JsonPatch as Applier } from "effect"
import { changesOf, jsonPatchOf } from "../../../packages/core/src/history/JsonPatch.ts"
import type { JsonValue } from "../../../packages/core/src/json/JsonValue.ts"
import { custom, type Json, json } from "../Generators.ts"

/** Applied by Effect's applier, which shares no code with ours. */
const applied = (from: Json, to: Json): unknown =>
  Applier.apply(JSON.parse(JSON.stringify(jsonPatchOf(from, to))), from)

/** JSON text that is the same for equal values; -0 has no JSON text of its own. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))
      : part
  )

const assertPatch = (from: Json, to: Json) => assert.strictEqual(canonical(applied(from, to)), canonical(to))

describe("a JSON Patch between two values", () => {
  it.prop("makes the second of the first, whatever they are", [json, json], ([from, to]) => assertPatch(from, to))

  it.prop("makes the second of the first where much is the same", [custom, custom, custom], ([base, left, right]) => {
    const items = [...Object.values(base), ...Object.values(left)]
    assertPatch({ ...base, ...left, items }, { ...base, ...right, items: items.slice(1) })
    assertPatch({ base: { ...base, left } }, { base: { ...base, right } })
    assertPatch([base, left, right, base], [base, right, base])
  })

  it.prop("is empty for equal values, in whatever order their keys stand", [custom], ([value]) => {
    const reversed = Object.fromEntries(Object.entries(value).reverse())
    assert.deepStrictEqual(jsonPatchOf(value, reversed), [])
    assert.deepStrictEqual(jsonPatchOf([value], [JSON.parse(JSON.stringify(value))]), [])
  })

  it("is the least for a member, and keeps what two lists begin and end with", () => {
    assert.deepStrictEqual(jsonPatchOf({ a: 1, b: { c: 2 } }, { a: 1, b: { c: 3 }, d: null }), [
      { op: "replace", path: "/b/c", value: 3 },
      { op: "add", path: "/d", value: null }
    ])
    assert.deepStrictEqual(jsonPatchOf([1, 2, 3, 4], [1, 4]), [
      { op: "remove", path: "/2" },
      { op: "remove", path: "/1" }
    ])
    assert.deepStrictEqual(jsonPatchOf(["x", "z"], ["x", "y", "y", "z"]), [
      { op: "add", path: "/1", value: "y" },
      { op: "add", path: "/2", value: "y" }
    ])
    assert.deepStrictEqual(jsonPatchOf("a", { a: 1 }), [{ op: "replace", path: "", value: { a: 1 } }])
  })

  it("escapes keys as JSON pointers do, and takes any key for a key", () => {
    const from: JsonValue = { "a/b": 1, "m~n": 2, "": 3 }
    const to: JsonValue = JSON.parse('{"a/b":2,"":4,"__proto__":{"x":1},"constructor":5}')
    assert.deepStrictEqual(
      jsonPatchOf(from, to).map(({ op, path }) => `${op} ${path}`),
      ["replace /a~1b", "remove /m~0n", "replace /", "add /__proto__", "add /constructor"]
    )
    assertPatch(from, to)
    assertPatch(to, from)
  })

  it("comes with the values before and after for people", () => {
    assert.deepStrictEqual(changesOf({ a: [1, 2], b: 1 }, { a: [2], c: 1 }), [
      { path: "/a/0", before: 1, after: undefined },
      { path: "/b", before: 1, after: undefined },
      { path: "/c", before: undefined, after: 1 }
    ])
  })
})
