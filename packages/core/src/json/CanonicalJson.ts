/**
 * Canonical dag-json (https://ipld.io/specs/codecs/dag-json/spec/) as text: no white space, map keys in the byte order of their UTF-8 form.
 *
 * Asset trees are encoded by @ipld/dag-json (asset-tree/DagJson.ts). This is for what is signed beside them (acts, checkpoints, receipts,
 * statements), which verification writes again to hash it: the library would be a fifth of the verifier's bundle, sorts keys by UTF-16
 * units (an emoji before U+FFFD) where these documents have been signed in the specification's order, and takes fourteen times the time.
 * Tests hold that both write the same bytes for everything that a tree may hold. Links and bytes (maps with the key "/") never occur.
 */
import type { JsonValue } from "./JsonValue.ts"
import { compareUtf8 } from "./Utf8.ts"

/**
 * The canonical dag-json text of `value`.
 *
 * @throws TypeError for what dag-json cannot carry without change: a key "/", a number that is not finite, an integer
 * outside ±(2^53−1), a lone surrogate. The commit rules refuse all of these with the place named, before a tree is built.
 */
export const dagJsonText = (value: JsonValue): string => {
  if (value === null || typeof value === "boolean") return String(value)
  if (typeof value === "number") return numberText(value)
  if (typeof value === "string") return stringText(value)
  if (isArray(value)) return `[${value.map(dagJsonText).join(",")}]`
  const members = Object.keys(value)
    .sort(compareUtf8)
    .map((key) => {
      if (key === "/") throw new TypeError('dag-json reserves the key "/" for links and bytes.')
      return `${stringText(key)}:${dagJsonText(value[key]!)}`
    })
  return `{${members.join(",")}}`
}

const isArray: (value: JsonValue) => value is ReadonlyArray<JsonValue> = Array.isArray

const numberText = (value: number): string => {
  if (!Number.isFinite(value)) throw new TypeError("dag-json has no NaN and no infinity.")
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new TypeError("An integer outside ±(2^53−1) would lose digits.")
  }
  return Object.is(value, -0) ? "0" : String(value)
}

const stringText = (value: string): string => {
  if (!value.isWellFormed()) throw new TypeError("A lone surrogate has no UTF-8 form.")
  return JSON.stringify(value)
}
