/**
 * Content identifiers (CID, also called Nid): https://github.com/multiformats/cid. A tree is named by a CIDv1 with the codec
 * dag-json (0x0129) and the sha256 of its bytes; trees of older clients by raw (0x55).
 */
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { sha256Of } from "./Checksum.ts"

export const DAG_JSON_CODE = 0x0129
export const RAW_CODE = 0x55
export const DAG_PB_CODE = 0x70
export const SHA2_256_CODE = 0x12

/** A CID taken apart: its version, the code of its content's codec, and its multihash. `digest` is the bare hash. */
export interface ParsedCid {
  readonly version: 0 | 1
  readonly codec: number
  readonly hash: number
  readonly digest: Uint8Array
}

/** Base58 and base36 take time that grows with the square of the length, so hostile text must not be long. */
const LONGEST_SLOW_BASE = 1024

/**
 * Takes `text` apart; `undefined` when multiformats does not parse it as a CID, it has padding or capitals in a base of small letters,
 * or it is over 1,024 characters and not base32.
 */
export const parseCid = (text: string): ParsedCid | undefined => {
  if (latest?.text !== text) latest = { text, parsed: parseUsual(text) ?? parse(text) }
  return latest.parsed
}

/** The checks of one tree ask for the same CID several times in a row. */
let latest: { readonly text: string; readonly parsed: ParsedCid | undefined } | undefined

/** Length of a CIDv1 of sha256 in base32, with a codec of one byte (raw) or two (dag-json). */
const USUAL_LENGTHS = [59, 61]
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
const BASE32_VALUES = Array.from({ length: 128 }, (_, code) => BASE32.indexOf(String.fromCharCode(code)))

/**
 * Nearly every CID: base32 of version 1, raw or dag-json, sha256. Read here because multiformats takes twenty times as long; anything
 * out of the ordinary is left to it.
 */
const parseUsual = (text: string): ParsedCid | undefined => {
  if (!USUAL_LENGTHS.includes(text.length) || !text.startsWith("b")) return undefined
  const bytes = new Uint8Array(Math.floor(((text.length - 1) * 5) / 8))
  let [bits, held, at] = [0, 0, 0]
  for (let index = 1; index < text.length; index++) {
    const value = BASE32_VALUES[text.charCodeAt(index)] ?? -1
    if (value === -1) return undefined
    held = ((held << 5) | value) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = held >> bits
    }
  }
  const codec = text.length === 59 ? RAW_CODE : DAG_JSON_CODE
  const isUsual = (held & ((1 << bits) - 1)) === 0 && HEADS[codec].every((byte, place) => byte === bytes[place])
  return isUsual ? { version: 1, codec, hash: SHA2_256_CODE, digest: bytes.subarray(-32) } : undefined
}

/** Version, codec as a varint, sha256, 32 bytes. */
const HEADS = { [RAW_CODE]: [1, 0x55, 0x12, 32], [DAG_JSON_CODE]: [1, 0xa9, 0x02, 0x12, 32] }

const parse = (text: string): ParsedCid | undefined => {
  if (text.length > LONGEST_SLOW_BASE && !text.startsWith("b")) return undefined
  // multiformats reads base32 and base36 in any letter case, and base32 with padding, which would give a CID many spellings.
  if (/^[bk].*[A-Z]/s.test(text) || text.includes("=")) return undefined
  try {
    const cid = CID.parse(text)
    return { version: cid.version, codec: cid.code, hash: cid.multihash.code, digest: cid.multihash.digest }
  } catch {
    return undefined
  }
}

/** The CIDv1 (base32 text) of content whose sha256 (32 bytes) is known, under `codec`. */
export const cidOfSha256 = (codec: number, digest: Uint8Array): string =>
  CID.createV1(codec, Digest.create(SHA2_256_CODE, digest)).toString()

/** The CIDv1 (base32 text) of `bytes` under `codec`, with sha256. */
export const cidOf = (codec: number, bytes: Uint8Array): string => cidOfSha256(codec, sha256Of(bytes))

/** The CID of an asset tree's canonical bytes: CIDv1, dag-json, sha256. */
export const treeCidOf = (bytes: Uint8Array): string => cidOf(DAG_JSON_CODE, bytes)
