/** UTF-8 as JSON and its canonical forms need it: decoded without mercy, and as the order of keys. */

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of `bytes`, a byte order mark as the character it is; `undefined` when they are not UTF-8. */
export const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** Where UTF-8 ends to make sense: the offset of a byte that cannot follow those before it, or the length when the end is missing. */
export const firstBadByte = (bytes: Uint8Array): number => {
  let good = 0
  let bad = bytes.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (isBeginning(bytes.subarray(0, middle))) good = middle
    else bad = middle
  }
  return good
}

const isBeginning = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

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

const codePointRank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
