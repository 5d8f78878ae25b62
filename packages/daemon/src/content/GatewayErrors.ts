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

/** 412: asked for with `Cache-Control: only-if-cached`. */
export class NotCached extends Schema.TaggedError<NotCached>()("NotCached", { cid: Schema.String }) {
  override get message() {
    return `This service does not hold ${this.cid}, and only what is here was asked for (Cache-Control: only-if-cached). It fetches nothing from elsewhere: ask another IPFS gateway for it.`
  }
}

/** 404; `place` is the part of the path that is there. */
export class PathNotFound extends Schema.TaggedError<PathNotFound>()("PathNotFound", {
  place: Schema.String,
  name: Schema.String
}) {
  override get message() {
    return `${this.place} is here, but nothing in it is called "${this.name}". What a CID names never changes, so this path will never lead anywhere: check how it is written, or ask for ${this.place} itself.`
  }
}

/** 501, as the specification has it: such paths are not defined yet, or lead through what this service does not write. */
export class PathInsideBlock extends Schema.TaggedError<PathInsideBlock>()("PathInsideBlock", {
  place: Schema.String,
  isFolder: Schema.Boolean
}) {
  override get message() {
    return this.isFolder
      ? `${this.place} is a folder in shards, whose names this service does not look up. Ask for its graph with ?format=car and look in there, or ask another IPFS gateway.`
      : `${this.place} is a value inside of a block and no link, and a gateway answers with whole blocks only. Ask for the block itself, which is what the path before it leads to, and read the value there.`
  }
}

/** 400; `parameter` is what was asked wrongly, `problem` says what cannot be done and what can. */
export class UnsupportedFormat extends Schema.TaggedError<UnsupportedFormat>()("UnsupportedFormat", {
  parameter: Schema.String,
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
