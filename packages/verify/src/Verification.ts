/**
 * The library's functions: what somebody was given (a proof, a tree with its record, a record alone) becomes a report. Nothing is
 * fetched and nothing is configured. Each throws {@link UnusableInput} for input it cannot start from, and nothing else.
 */
import {
  type AuthorsFile,
  type Checkpoint,
  inputOfProof,
  isAddressText,
  type JsonObject,
  type MeasuredAsset,
  measureAsset,
  parseAuthors,
  parseCheckpoint,
  parseProof,
  RECORD_LIMIT,
  type Recover,
  type Report,
  readJsonObject,
  type VerifyInput,
  verify
} from "@treemark/core/verify"
import { UnusableInput } from "./UnusableInput.ts"

export interface VerifyOptions {
  /** Whose signature is expected: an address in any letter case. Without it the signer is compared with the author in the file. */
  readonly author?: string | undefined
  /** The asset itself: its bytes, or what an `AssetMeter` measured while they streamed by. */
  readonly asset?: Uint8Array | MeasuredAsset | undefined
  /** Block hashes that you trust: checkpoint files, as bytes, text, or read with `readCheckpoint`. */
  readonly checkpoints?: ReadonlyArray<Uint8Array | string | Checkpoint> | undefined
  /** Whom you know: an authors file, as bytes, text, or read with `readAuthors`. */
  readonly authors?: Uint8Array | string | AuthorsFile | undefined
  /** Another backend for the signature's arithmetic; the default is @noble/curves. */
  readonly recover?: Recover | undefined
}

/** A commit record: its JSON as bytes or text, or the object. An entry of `GET /assets/{assetCid}/commits` is one, too. */
export type RecordInput = Uint8Array | string | JsonObject

/** What a tree is checked against: its commit record, or its checksum (64 hex digits) and signature (`0x` and 130 hex digits). */
export type NamedBy = { readonly record: RecordInput } | { readonly sha256: string; readonly signature: string }

/** Verifies a proof file (format version 1), given as the bytes or the text of its JSON. */
export const verifyProof = (proof: Uint8Array | string, options: VerifyOptions = {}): Report =>
  verify({ ...proofInput(proof), ...optionsInput(options) })

/** Verifies an asset tree's exact bytes; a string would already have lost them. */
export const verifyTree = (tree: Uint8Array, namedBy: NamedBy, options: VerifyOptions = {}): Report =>
  verify({ ...treeInput(tree, namedBy), ...optionsInput(options) })

/** Verifies what can be verified of a commit record without its tree: CID, checksum and signature agree. At most `unconfirmed`. */
export const verifyRecord = (record: RecordInput, options: VerifyOptions = {}): Report =>
  verify({ record: readRecord(record), ...optionsInput(options) })

export const proofInput = (proof: Uint8Array | string): VerifyInput => {
  const reading = parseProof(bytesOf(proof))
  if (!reading.ok) throw new UnusableInput(reading.code, reading.message, reading.problems)
  return inputOfProof(reading.proof)
}

export const treeInput = (tree: Uint8Array, namedBy: NamedBy): VerifyInput => ({
  tree,
  record:
    "record" in namedBy
      ? readRecord(namedBy.record)
      : { assetTreeSha256: namedBy.sha256, assetTreeSignature: namedBy.signature }
})

/** Reads a checkpoint file once, for many proofs. Throws {@link UnusableInput} for any other file. */
export const readCheckpoint = (file: Uint8Array | string): Checkpoint => {
  const reading = parseCheckpoint(bytesOf(file))
  if (!reading.ok) throw new UnusableInput(reading.code, reading.message, reading.problems)
  return reading.checkpoint
}

/** Reads an authors file once, for many proofs. Throws {@link UnusableInput}, with the line, for one that is not understood. */
export const readAuthors = (file: Uint8Array | string): AuthorsFile => {
  const reading = parseAuthors(bytesOf(file))
  if (!reading.ok) throw new UnusableInput(reading.code, reading.message)
  return reading.authors
}

const bytesOf = (input: Uint8Array | string): Uint8Array =>
  typeof input === "string" ? new TextEncoder().encode(input) : input

const isFile = <A>(input: Uint8Array | string | A): input is Uint8Array | string =>
  typeof input === "string" || input instanceof Uint8Array

const optionsInput = ({ author, asset, recover, checkpoints, authors }: VerifyOptions): VerifyInput => {
  if (author !== undefined && !isAddressText(author)) {
    throw new UnusableInput("author_malformed", "The author you expect must be an address: 0x and 40 hex digits.")
  }
  return {
    expectedAuthor: author,
    asset: asset instanceof Uint8Array ? measureAsset(asset) : asset,
    checkpoints: checkpoints?.map((one) => (isFile(one) ? readCheckpoint(one) : one)),
    authors: authors === undefined || !isFile(authors) ? authors : readAuthors(authors),
    recover
  }
}

const RECORD_MEMBERS = ["assetTreeCid", "assetTreeSha256", "assetTreeSignature"]

export const readRecord = (input: RecordInput): JsonObject => {
  const file = typeof input === "string" || input instanceof Uint8Array ? readRecordFile(input) : input
  const record = RECORD_MEMBERS.some((name) => Object.hasOwn(file, name)) ? file : (innerRecord(file) ?? file)
  if (RECORD_MEMBERS.some((name) => Object.hasOwn(record, name))) return record
  throw new UnusableInput(
    "record_members",
    Object.hasOwn(file, "mediaType")
      ? "The commit record looks like a proof file. Give a proof alone, without --record."
      : `This is not a commit record: it has none of the members ${RECORD_MEMBERS.join(", ")}.`
  )
}

const readRecordFile = (input: Uint8Array | string): JsonObject => {
  const bytes = bytesOf(input)
  if (bytes.length > RECORD_LIMIT) {
    throw new UnusableInput("record_too_large", "A commit record has at most 1 MiB; this one is larger.")
  }
  const reading = readJsonObject(bytes)
  if (!reading.ok) throw new UnusableInput(`record_${reading.code}`, `This is not a commit record: ${reading.message}`)
  return reading.value
}

const innerRecord = (entry: JsonObject): JsonObject | undefined => {
  const inner = Object.hasOwn(entry, "mediaType") || !Object.hasOwn(entry, "commit") ? undefined : entry.commit
  return typeof inner === "object" && inner !== null && !Array.isArray(inner) ? (inner as JsonObject) : undefined
}
