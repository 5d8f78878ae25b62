/**
 * The sha256 inside the CIDs that `ipfs add` gives to a small file, with its bytes within the node (the old way, CIDs with Qm) and with raw leaves
 * (Unixfs.ts): https://specs.ipfs.tech/unixfs/. A node is dag-pb: field 1 holds the UnixFS data (type 2 = file, the bytes, their number).
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js"
import { checksumOf } from "../../asset-tree/Checksum.ts"
import { parseCid } from "../../asset-tree/Cid.ts"
import { UnixfsBuilder } from "../Unixfs.ts"

const CHUNK = 256 * 1024

export const plainFileDigests = (bytes: Uint8Array): ReadonlyArray<string> => {
  const builder = new UnixfsBuilder(() => sha256.create())
  builder.update(bytes)
  const withRawLeaves = parseCid(builder.cid())
  return [
    ...(withRawLeaves === undefined ? [] : [bytesToHex(withRawLeaves.digest)]),
    ...(bytes.length > CHUNK ? [] : [checksumOf(field(1, 2, fileData(bytes)))])
  ]
}

const fileData = (bytes: Uint8Array): Uint8Array =>
  concatBytes(
    Uint8Array.of(0x08, 2),
    bytes.length === 0 ? new Uint8Array() : field(2, 2, bytes),
    Uint8Array.of(3 << 3, ...varint(bytes.length))
  )

const field = (number: number, wireType: number, bytes: Uint8Array): Uint8Array =>
  concatBytes(Uint8Array.of((number << 3) | wireType, ...varint(bytes.length)), bytes)

const varint = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)]
