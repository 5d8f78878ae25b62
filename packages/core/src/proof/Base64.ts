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
  try {
    const binary = atob(text)
    if (btoa(binary) !== text) return undefined
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
    return bytes
  } catch {
    return undefined
  }
}
