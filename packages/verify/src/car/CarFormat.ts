/**
 * CAR files, version 1 (https://ipld.io/specs/transport/car/carv1/): a varint and a header in dag-cbor ({"roots": [CID…], "version": 1}), then sections:
 * a varint, a CID, the block's bytes. Read here rather than with @ipld/car (the oracle in the tests), so that every length is bounded before
 * anything is held: nothing is unpacked, no varint runs on, no header and no block is larger than its limit.
 */
import { PROOF_LIMIT } from "@treemark/core/verify"
import { type BinaryCid, readCid } from "./BinaryCid.ts"
import { readVarint } from "./Varint.ts"

export const HEADER_LIMIT = 4096
/** Largest block that is read: a proof file, or the index of a history. */
export const BLOCK_LIMIT = PROOF_LIMIT
/** A section has a CID before its block. */
const SECTION_LIMIT = BLOCK_LIMIT + 128
/** So many bytes always show how long a section is, and its CID. */
export const SECTION_HEAD = 192

export interface CarFault {
  readonly code: "car_malformed" | "car_version" | "block_too_large"
  readonly message: string
}

/** More bytes are needed to tell. */
export type Cut = "cut"

const fault = (code: CarFault["code"], message: string): CarFault => ({ code, message })

export const isFault = (read: object | Cut): read is CarFault => typeof read === "object" && "code" in read

/** Whether a file that starts with these bytes is a CAR of version 1. No text in UTF-8 starts like it. */
export const isCar = (head: Uint8Array): boolean => {
  const length = readVarint(head, 0)
  return typeof length === "object" && head[length.end] === MAP_OF_TWO && isAt(head, length.end + 1, ROOTS)
}

/** A container that is not read, by its first bytes: what it is, and what to do. */
export const otherContainer = (head: Uint8Array): string | undefined => {
  const starts = (...bytes: ReadonlyArray<number>): boolean => bytes.every((byte, at) => head[at] === byte)
  if (starts(0x0a, 0xa1, 0x67)) return "it is a CAR of version 2. Export it as version 1"
  if (starts(0x1f, 0x8b))
    return "it is compressed with gzip, and nothing is unpacked here. Give it as gunzip -c FILE | …"
  if (starts(0x28, 0xb5, 0x2f, 0xfd))
    return "it is compressed with zstd, and nothing is unpacked here. Give it as zstdcat FILE | …"
  return starts(0x50, 0x4b, 0x03, 0x04)
    ? "it is a zip archive, and nothing is unpacked here. Unpack it first"
    : undefined
}

export interface CarHeader {
  readonly roots: ReadonlyArray<BinaryCid>
  /** The first section starts here. */
  readonly end: number
}

const MAP_OF_TWO = 0xa2
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)
const ROOTS = Uint8Array.of(0x65, ...ascii("roots"))
const VERSION = Uint8Array.of(0x67, ...ascii("version"))
/** Major type 4 with the number of roots in the same byte. */
const ARRAY = 0x80
const MOST_ROOTS = 23
/** Tag 42, then a byte string whose length is a byte; its first byte is 0. */
const LINK = Uint8Array.of(0xd8, 0x2a, 0x58)

/** The header at the start of `bytes`. */
export const readHeader = (bytes: Uint8Array): CarHeader | Cut | CarFault => {
  const length = readVarint(bytes, 0)
  if (length === "cut") return "cut"
  if (length === "wrong" || length.value > HEADER_LIMIT) {
    return fault("car_malformed", `its header is longer than ${HEADER_LIMIT} bytes, or its length is no varint.`)
  }
  const end = length.end + length.value
  if (bytes.length < end) return "cut"
  return headerIn(bytes.subarray(0, end), length.end) ?? fault("car_malformed", "its header is not that of a CAR.")
}

const headerIn = (bytes: Uint8Array, start: number): CarHeader | CarFault | undefined => {
  if (bytes[start] !== MAP_OF_TWO || !isAt(bytes, start + 1, ROOTS)) return undefined
  let at = start + 1 + ROOTS.length
  const count = bytes[at++]! - ARRAY
  if (!(count >= 0 && count <= MOST_ROOTS)) return undefined
  const roots: Array<BinaryCid> = []
  for (let index = 0; index < count; index++) {
    const cid = linkAt(bytes, at)
    if (cid === undefined) return undefined
    roots.push(cid.cid)
    at = cid.end
  }
  if (!isAt(bytes, at, VERSION) || at + VERSION.length + 1 !== bytes.length) return undefined
  const version = bytes[at + VERSION.length]!
  return version === 1
    ? { roots, end: bytes.length }
    : fault("car_version", `it is a CAR of version ${version}; version 1 is read.`)
}

const linkAt = (bytes: Uint8Array, at: number) => {
  const length = bytes[at + LINK.length]
  if (!isAt(bytes, at, LINK) || length === undefined || bytes[at + LINK.length + 1] !== 0) return undefined
  const end = at + LINK.length + 1 + length
  const cid = readCid(bytes.subarray(0, end), at + LINK.length + 2)
  return cid !== undefined && cid.end === end ? cid : undefined
}

export interface Section {
  /** Where its bytes end, and where the next section starts. */
  readonly end: number
  /** Where its CID starts. */
  readonly cid: number
}

/** Where the section that starts at `at` lies, by its length alone; it may end behind `bytes`. */
export const sectionAt = (bytes: Uint8Array, at: number): Section | Cut | CarFault => {
  const length = readVarint(bytes, at)
  if (length === "cut") return "cut"
  if (length === "wrong") return fault("car_malformed", "the length of a section is no varint, or out of range.")
  if (length.value === 0) return fault("car_malformed", "a section is empty.")
  return { cid: length.end, end: length.end + length.value }
}

/** Whether a section is too long to be read; it can be passed over. */
export const isTooLong = ({ cid, end }: Section): boolean => end - cid > SECTION_LIMIT

export const tooLong = (): CarFault =>
  fault("block_too_large", `The block is larger than ${BLOCK_LIMIT / 1024 / 1024} MiB, the most that is read.`)

/** The CID of a section and where its block starts. `bytes` hold the section's head at least. */
export const blockOf = (
  bytes: Uint8Array,
  section: Section
): { readonly cid: BinaryCid; readonly start: number } | CarFault => {
  const read = readCid(bytes.subarray(0, Math.min(section.end, bytes.length)), section.cid)
  return read === undefined
    ? fault("car_malformed", "a section does not start with a CID.")
    : { cid: read.cid, start: read.end }
}

const isAt = (bytes: Uint8Array, at: number, wanted: Uint8Array): boolean =>
  wanted.every((byte, index) => bytes[at + index] === byte)
