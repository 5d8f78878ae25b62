/**
 * Canonical dag-json: the published codec fixtures, @ipld/dag-json as oracle wherever it sorts keys as the specification says,
 * and the byte order of keys where it does not (vectors' README, point 9).
 */
import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as oracle from "@ipld/dag-json"
import { checksumOf } from "../../../packages/core/src/asset-tree/Checksum.ts"
import { DAG_JSON_CODE, parseCid, treeCidOf } from "../../../packages/core/src/asset-tree/Cid.ts"
import { encodeDagJson } from "../../../packages/core/src/asset-tree/DagJson.ts"
import { dagJsonText } from "../../../packages/core/src/json/CanonicalJson.ts"
import { compareUtf8 } from "../../../packages/core/src/json/Utf8.ts"
import { custom, type Json, json, order, reordered, text } from "../Generators.ts"

interface Vector {
  readonly id: string
  readonly input: { readonly utf8?: string }
  readonly expected: { readonly cid?: string; readonly sha256?: string }
}

const fixtures = (
  JSON.parse(readFileSync(new URL("../../vectors/dag-json.json", import.meta.url), "utf8")) as ReadonlyArray<Vector>
).filter(({ input, expected }) => input.utf8 !== undefined && expected.cid !== undefined)

const isLinkOrBytes = ({ input }: Vector): boolean => input.utf8!.includes('"/":')
const isBigInteger = ({ input }: Vector): boolean =>
  /^-?\d+$/.test(input.utf8!) && !Number.isSafeInteger(Number(input.utf8))
const plain = fixtures.filter((vector) => !isLinkOrBytes(vector) && !isBigInteger(vector))

describe("canonical dag-json", () => {
  it("has fixtures of each kind", () => {
    assert.strictEqual(plain.length, 23)
    assert.isAtLeast(fixtures.filter(isLinkOrBytes).length, 10)
    assert.isAtLeast(fixtures.filter(isBigInteger).length, 4)
  })

  it.each(plain)("gives the published bytes, sha256 and CID of $id", ({ input, expected }) => {
    const bytes = encodeDagJson(JSON.parse(input.utf8!))
    assert.strictEqual(new TextDecoder().decode(bytes), input.utf8)
    assert.strictEqual(dagJsonText(JSON.parse(input.utf8!)), input.utf8)
    assert.strictEqual(checksumOf(bytes), expected.sha256)
    assert.strictEqual(treeCidOf(bytes), expected.cid)
  })

  it.each(fixtures.filter((vector) => isLinkOrBytes(vector) || isBigInteger(vector)))(
    "refuses $id, which no asset tree may hold",
    ({ input }) => {
      assert.throws(() => dagJsonText(JSON.parse(input.utf8!)), TypeError)
    }
  )

  it("gives every tree that was made before the very bytes that were signed", () => {
    const before = new URL("../../vectors/made-by-80e359a/", import.meta.url)
    const proofs = globSync("**/*.proof.json", { cwd: before }).map((file) =>
      readFileSync(new URL(file, before), "utf8")
    )
    const trees = proofs
      .map((text) => JSON.parse(text).tree as { readonly cid: string; readonly bytes: string })
      .filter(({ cid }) => parseCid(cid)?.codec === DAG_JSON_CODE)
      .map(({ bytes }) => Buffer.from(bytes, "base64").toString("utf8"))
    assert.isAtLeast(trees.length, 5)
    for (const tree of trees) assert.strictEqual(Buffer.from(encodeDagJson(JSON.parse(tree))).toString("utf8"), tree)
  })

  it.prop("is what @ipld/dag-json writes, unless a key is outside the basic plane", [json], ([value]) => {
    if (keysOf(value).some(hasSurrogates)) return
    assert.strictEqual(dagJsonText(value), new TextDecoder().decode(oracle.encode(value)))
  })

  it.prop("has the same bytes from the encoder of trees, for whatever custom may hold", [custom], ([value]) => {
    assert.strictEqual(new TextDecoder().decode(encodeDagJson(value)), dagJsonText(value))
  })

  it("writes numbers as it always has, in both", () => {
    for (const value of [
      -0,
      5e-324,
      1e-7,
      1.5e-7,
      123456.789,
      1 / 3,
      0.1,
      -1,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER
    ]) {
      assert.strictEqual(new TextDecoder().decode(encodeDagJson({ value })), dagJsonText({ value }))
    }
  })

  it.prop("has the keys of every map in the order of their UTF-8 bytes", [json], ([value]) => {
    for (const keys of keyListsOf(dagJsonText(value))) {
      const bytes = keys.map((key) => Buffer.from(key, "utf8"))
      for (let i = 1; i < bytes.length; i++) assert.isBelow(Buffer.compare(bytes[i - 1]!, bytes[i]!), 0)
    }
  })

  it.prop("compares two keys as their UTF-8 bytes compare", [text(0, 4), text(0, 4)], ([a, b]) => {
    assert.strictEqual(Math.sign(compareUtf8(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)))
  })

  it("compares the last units before surrogates and the first after them, where both differ from anything random", () => {
    const units = ["\u0000", "\uc000", "\ud7ff", "\ue000", "\uf7ff", "\uffff", "\u{10000}", "\u{10ffff}"]
    for (const [one, a] of units.entries()) {
      for (const [other, b] of units.entries()) {
        assert.strictEqual(Math.sign(compareUtf8(a, b)), Math.sign(one - other), JSON.stringify([a, b]))
      }
    }
  })

  it("sorts U+FFFD before an emoji, which @ipld/dag-json does not", () => {
    const map = { "🎨": 1, "\ufffd": 2 }
    assert.strictEqual(dagJsonText(map), '{"\ufffd":2,"🎨":1}')
    assert.notStrictEqual(dagJsonText(map), new TextDecoder().decode(oracle.encode(map)))
  })

  it.prop("is the same for every order of members, and reads back as the same value", [json, order], ([value, way]) => {
    const written = dagJsonText(value)
    assert.strictEqual(dagJsonText(reordered(value, way)), written)
    assert.strictEqual(dagJsonText(JSON.parse(written)), written)
  })

  it("refuses what it cannot carry without change", () => {
    const refused: ReadonlyArray<Json> = [
      { "/": "text" },
      [{ a: { "/": 1 } }],
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 53,
      -(2 ** 53),
      1e300,
      "\ud800",
      { "\udc00": 1 }
    ]
    for (const value of refused) assert.throws(() => dagJsonText(value), TypeError, undefined, JSON.stringify(value))
    assert.strictEqual(
      dagJsonText([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, -0]),
      "[9007199254740991,-9007199254740991,0]"
    )
  })
})

const hasSurrogates = (key: string): boolean => /[\ud800-\udfff]/.test(key)

const keysOf = (value: Json): ReadonlyArray<string> =>
  value === null || typeof value !== "object"
    ? []
    : [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keysOf)]

/** The keys of every map in the order in which they stand in the text; JSON.parse puts keys like "10" first, so it is read by hand. */
const keyListsOf = (written: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lists: Array<Array<string>> = []
  const open: Array<Array<string> | undefined> = []
  for (const [token, colon] of [...written.matchAll(/"(?:[^"\\]|\\.)*"(:?)|[{}[\]]/g)].map((match) => [
    match[0],
    match[1]
  ])) {
    if (token === "{") lists.push([])
    if (token === "{" || token === "[") open.push(token === "{" ? lists.at(-1) : undefined)
    else if (token === "}" || token === "]") open.pop()
    else if (colon === ":") open.at(-1)!.push(JSON.parse(token!.slice(0, -1)))
  }
  return lists
}
