/**
 * The checksum of an asset tree: sha256 of its exact bytes, as 64 lower-case hex digits. The same hash is the digest inside
 * the tree's CID, and the hex text is what the author signs.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"

const HEX_64 = /^[0-9a-fA-F]{64}$/

/** Whether `text` is a sha256 in hexadecimal: 64 digits in any letter case, no `0x`. */
export const isSha256Text = (text: string): boolean => HEX_64.test(text)

/** sha256 of `bytes` as 32 bytes. */
export const sha256Of = (bytes: Uint8Array): Uint8Array => sha256(bytes)

/** sha256 of `bytes` as 64 lower-case hex digits. */
export const checksumOf = (bytes: Uint8Array): string => bytesToHex(sha256(bytes))
