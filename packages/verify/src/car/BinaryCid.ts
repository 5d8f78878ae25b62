/** CIDs in their binary form (https://github.com/multiformats/cid): version, codec and multihash as varints, then the digest; or version 0. */
import { cidOfSha256, parseCid, SHA2_256_CODE } from "@treemark/core/verify"
import { readVarint } from "./Varint.ts"

export interface BinaryCid {
  readonly version: 0 | 1
  readonly codec: number
  readonly hash: number
  readonly digest: Uint8Array
}

/** Longer ones than those of known hashes are not read: the identity hash would carry megabytes. */
const LONGEST_DIGEST = 64
const DAG_PB = 0x70
const SHA256_LENGTH = 32

/** The CID that starts at `start`; `undefined` when there is none. */
export const readCid = (
  bytes: Uint8Array,
  start: number
): { readonly cid: BinaryCid; readonly end: number } | undefined => {
  if (bytes[start] === SHA2_256_CODE && bytes[start + 1] === SHA256_LENGTH) {
    return digestAt(bytes, start, { version: 0, codec: DAG_PB })
  }
  const version = readVarint(bytes, start)
  if (typeof version !== "object" || version.value !== 1) return undefined
  const codec = readVarint(bytes, version.end)
  return typeof codec === "object" ? digestAt(bytes, codec.end, { version: 1, codec: codec.value }) : undefined
}

const digestAt = (bytes: Uint8Array, start: number, head: Pick<BinaryCid, "version" | "codec">) => {
  const hash = readVarint(bytes, start)
  const length = typeof hash === "object" ? readVarint(bytes, hash.end) : hash
  if (typeof hash !== "object" || typeof length !== "object" || length.value > LONGEST_DIGEST) return undefined
  const end = length.end + length.value
  if (end > bytes.length) return undefined
  return { cid: { ...head, hash: hash.value, digest: bytes.slice(length.end, end) }, end }
}

/** sha256 as lower-case hex, by whatever computes it fastest where this runs. */
export type Sha256Hex = (bytes: Uint8Array) => string

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const hex = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += HEX[byte]
  return text
}

/** The same text for every spelling of one CID of a block. */
export const keyOf = (cid: Pick<BinaryCid, "codec" | "hash" | "digest">): string =>
  `${cid.codec}/${cid.hash}/${hex(cid.digest)}`

/** {@link keyOf} of a CID in text; `undefined` when it is not a CID. */
export const keyOfText = (text: string): string | undefined => {
  const parsed = parseCid(text)
  return parsed && keyOf(parsed)
}

/** How a CID is shown: as usual for sha256, else its parts. */
export const cidText = (cid: BinaryCid): string =>
  cid.hash === SHA2_256_CODE && cid.digest.length === SHA256_LENGTH && cid.version === 1
    ? cidOfSha256(cid.codec, cid.digest)
    : `CID version ${cid.version}, codec 0x${cid.codec.toString(16)}, hash 0x${cid.hash.toString(16)}, digest ${hex(cid.digest)}`

/** Whether the block has the digest that its CID names; `undefined` for another hash than sha256. */
export const isBlockOf = (cid: BinaryCid, block: Uint8Array, sha256: Sha256Hex): boolean | undefined =>
  cid.hash === SHA2_256_CODE && cid.digest.length === SHA256_LENGTH ? sha256(block) === hex(cid.digest) : undefined
