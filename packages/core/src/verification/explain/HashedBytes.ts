/** The bytes that go into a hash, shown by their length, their beginning and their end, as hexdump(1) shows them. */
import { bytesToHex } from "@noble/hashes/utils.js"
import type { BytesExcerpt, HashedBytes } from "./Explanation.ts"

const SHOWN = 16

export const hashedBytes = (label: string, hash: HashedBytes["hash"], bytes: Uint8Array): HashedBytes => ({
  label,
  hash,
  length: bytes.length,
  first: excerpt(bytes.subarray(0, SHOWN)),
  last: bytes.length > SHOWN ? excerpt(bytes.subarray(Math.max(SHOWN, bytes.length - SHOWN))) : null
})

const excerpt = (bytes: Uint8Array): BytesExcerpt => ({
  hex: bytesToHex(bytes),
  text: Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("")
})
