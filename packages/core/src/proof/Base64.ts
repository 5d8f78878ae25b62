/** Base64 (RFC 4648, section 4) with padding, in one spelling only, so that a proof's tree bytes have exactly one text. */

const CHUNK = 0x8000

/** The base64 text of `bytes`. */
export const base64Of = (bytes: Uint8Array): string => {
  let binary = ""
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(binary)
}

/** The bytes of a base64 text; `undefined` when it is not base64, or not the canonical spelling (white space, missing padding, spare bits). */
export const parseBase64 = (text: string): Uint8Array | undefined => {
  if (text.length % 4 !== 0) return undefined
  const padding = paddingOf(text)
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  const valueAt = (index: number): number => VALUES[text.charCodeAt(index)] ?? NONE
  const whole = padding === 0 ? text.length : text.length - 4
  let at = 0
  for (let index = 0; index < whole; index += 4) {
    const [a, b, c, d] = [valueAt(index), valueAt(index + 1), valueAt(index + 2), valueAt(index + 3)]
    if ((a | b | c | d) > MOST) return undefined
    bytes[at++] = (a << 2) | (b >> 4)
    bytes[at++] = (b << 4) | (c >> 2)
    bytes[at++] = (c << 6) | d
  }
  if (padding === 0) return bytes
  const [a, b, c] = [valueAt(whole), valueAt(whole + 1), padding === 1 ? valueAt(whole + 2) : 0]
  const spare = padding === 1 ? c & 3 : b & 15
  if ((a | b | c) > MOST || spare !== 0) return undefined
  bytes[at++] = (a << 2) | (b >> 4)
  if (padding === 1) bytes[at] = (b << 4) | (c >> 2)
  return bytes
}

const paddingOf = (text: string): number => {
  if (!text.endsWith("=")) return 0
  return text.endsWith("==") ? 2 : 1
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const MOST = 63
const NONE = 0xff
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = ALPHABET.indexOf(String.fromCharCode(code))
  return value === -1 ? NONE : value
})
