/**
 * Canonical dag-json (https://ipld.io/specs/codecs/dag-json/spec/): no white space, map keys in the byte order of their
 * UTF-8 form. Written here because @ipld/dag-json 11 sorts keys by UTF-16 units (an emoji before U+FFFD) and spends about
 * fourteen times the time; the library is the oracle in the tests. Links and bytes (maps with the key "/") never occur in a tree.
 */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | ReadonlyArray<JsonValue>
  | { readonly [key: string]: JsonValue }

/**
 * Compares two strings by the bytes of their UTF-8 form, which is the order of their code points.
 * UTF-16 units differ from it only where a surrogate (U+D800…DFFF) meets U+E000…FFFF, so those are swapped.
 */
export const compareUtf8 = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return codePointRank(left) - codePointRank(right)
  }
  return a.length - b.length
}

const codePointRank = (unit: number): number => (unit < 0xd800 ? unit : unit >= 0xe000 ? unit - 0x2000 : unit + 0x2000)

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

/** The canonical dag-json bytes of `value` (UTF-8). Same refusals as {@link dagJsonText}. */
export const encodeDagJson = (value: JsonValue): Uint8Array => new TextEncoder().encode(dagJsonText(value))

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
