/** Unsigned varints (https://github.com/multiformats/unsigned-varint): 7 bits a byte, lowest first, in their shortest form. */

/** Seven bytes spell 49 bits, more than any length that is read, and an exact number. */
const LONGEST = 7

/** `cut`: the bytes end before it does. `wrong`: it runs on, or is longer than it need be. */
export type ReadVarint = { readonly value: number; readonly end: number } | "cut" | "wrong"

export const readVarint = (bytes: Uint8Array, start: number): ReadVarint => {
  let value = 0
  for (let index = 0; index < LONGEST; index++) {
    const byte = bytes[start + index]
    if (byte === undefined) return "cut"
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return byte === 0 && index > 0 ? "wrong" : { value, end: start + index + 1 }
  }
  return "wrong"
}
