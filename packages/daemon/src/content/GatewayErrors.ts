/** Why the gateway does not send what was asked for; the table from error to HTTP status reads the tags. */
import { Schema } from "effect"

const EXAMPLE = "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m"

/** 400 */
export class NotACid extends Schema.TaggedError<NotACid>()("NotACid", { text: Schema.String }) {
  override get message() {
    const shown = this.text.length > 100 ? `${this.text.slice(0, 100)}…` : this.text
    return `"${shown}" is not a CID. Ask for /ipfs/ followed by a CID alone, such as ${EXAMPLE}: version 0, or version 1 in base32, base36 or base58.`
  }
}

/** 400; `hash` is the multihash code. */
export class UnsupportedHash extends Schema.TaggedError<UnsupportedHash>()("UnsupportedHash", {
  cid: Schema.String,
  hash: Schema.Int
}) {
  override get message() {
    return `The CID ${this.cid} uses the hash 0x${this.hash.toString(16)}, which this service cannot check, so it keeps no such block. It keeps blocks named by sha2-256 (0x12), and answers identity CIDs (0x0) of up to 128 bytes.`
  }
}

/** 404 */
export class BlockNotFound extends Schema.TaggedError<BlockNotFound>()("BlockNotFound", { cid: Schema.String }) {
  override get message() {
    return `This service does not hold ${this.cid}. It holds the files that were registered here by their bytes and the asset trees it committed; content that was registered by its names alone lives elsewhere. Ask another IPFS gateway for it.`
  }
}

/** 400; `problem` says what cannot be done and what can. */
export class UnsupportedFormat extends Schema.TaggedError<UnsupportedFormat>()("UnsupportedFormat", {
  problem: Schema.String
}) {
  override get message() {
    return this.problem
  }
}

/** 416; the answer tells `size` in a `Content-Range` header (RFC 9110, section 14.4: an asterisk, a slash, the size). */
export class RangeNotSatisfiable extends Schema.TaggedError<RangeNotSatisfiable>()("RangeNotSatisfiable", {
  range: Schema.String,
  size: Schema.Int
}) {
  override get message() {
    const right = this.size === 0 ? "It is empty: leave" : `Ask for bytes from 0 to ${this.size - 1}, or leave`
    return `The range "${this.range}" lies outside the ${this.size} bytes of this file. ${right} the Range header out.`
  }
}
