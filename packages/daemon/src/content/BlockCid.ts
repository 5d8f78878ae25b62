/**
 * The CIDs under which this store keeps blocks: any text form of a CID, brought to one form (CIDv1 in base32), with a hash
 * the store can check: sha2-256 (0x12), or identity (0x00, the content stands in the CID itself) up to 128 bytes.
 */
import { hash } from "node:crypto"
import { parseCid, SHA2_256_CODE } from "@treemark/core"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"

export const IDENTITY_CODE = 0x00

/** Longer content has no business inside a name; other implementations draw the line here too. */
const LONGEST_IDENTITY = 128

/** The CID that `text` writes, as CIDv1; `undefined` when it writes none. Its hash may be one the store cannot check. */
export const readCid = (text: string): CID | undefined => {
  const parsed = parseCid(text)
  return parsed === undefined ? undefined : CID.createV1(parsed.codec, Digest.create(parsed.hash, parsed.digest))
}

/** Whether the store can check blocks against this CID. */
export const isCheckable = ({ multihash }: CID): boolean =>
  (multihash.code === SHA2_256_CODE && multihash.digest.length === 32) ||
  (multihash.code === IDENTITY_CODE && multihash.digest.length <= LONGEST_IDENTITY)

/** The content that stands in the CID itself; `undefined` when the CID holds a hash. */
export const inlineContent = ({ multihash }: CID): Uint8Array | undefined =>
  multihash.code === IDENTITY_CODE ? multihash.digest : undefined

/** CIDv1 of `bytes` under `codec`, with sha2-256. */
export const cidOfBlock = (codec: number, bytes: Uint8Array): CID =>
  CID.createV1(codec, Digest.create(SHA2_256_CODE, hash("sha256", bytes, "buffer")))

/** Whether `bytes` are the content that `cid` names. False for a CID that is not checkable. */
export const isContentOf = (cid: CID, bytes: Uint8Array): boolean => {
  if (!isCheckable(cid)) return false
  const expected = inlineContent(cid) === undefined ? hash("sha256", bytes, "buffer") : bytes
  return Buffer.compare(expected, cid.multihash.digest) === 0
}
