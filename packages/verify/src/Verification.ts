/**
 * The library's functions: what somebody was given (a proof, a tree with its record, a record alone) becomes a report. Nothing is
 * fetched and nothing is configured. Each throws {@link UnusableInput} for input it cannot start from, and nothing else.
 */
import {
  inputOfProof,
  type JsonObject,
  parseProof,
  RECORD_LIMIT,
  type Report,
  readJsonObject,
  type VerifyInput,
  verify
} from "@treemark/core/verify"
import { wrongFile } from "./files/WrongFile.ts"
import { bytesIn, type GivenBytes, type GivenText, nameOfType, plainBytes, textBytes } from "./given/Bytes.ts"
import { optionsInput, type VerifyOptions } from "./given/Options.ts"
import { isPage, proofInPage } from "./ProofInPage.ts"
import { guarded } from "./Unforeseen.ts"
import { UnusableInput } from "./UnusableInput.ts"

/** A commit record: its JSON as bytes or text, or the object. An entry of `GET /assets/{assetCid}/commits` is one, too. */
export type RecordInput = GivenText | JsonObject

/** What a tree is checked against: its commit record, or its checksum (64 hex digits) and signature (`0x` and 130 hex digits). */
export type NamedBy = { readonly record: RecordInput } | { readonly sha256: string; readonly signature: string }

/** Verifies a proof file (format version 1), or a page with one inside, given as its bytes or its text. */
export const verifyProof = (proof: GivenText, options: VerifyOptions = {}): Report =>
  guarded(() => verify({ ...proofInput(textBytes(proof, "The proof")), ...optionsInput(options) }))

/** Verifies an asset tree's exact bytes; a string would already have lost them. */
export const verifyTree = (tree: GivenBytes, namedBy: NamedBy, options: VerifyOptions = {}): Report =>
  guarded(() => verify({ ...treeInput(plainBytes(tree, "The asset tree"), namedBy), ...optionsInput(options) }))

/** Verifies what can be verified of a commit record without its tree: CID, checksum and signature agree. At most `unconfirmed`. */
export const verifyRecord = (record: RecordInput, options: VerifyOptions = {}): Report =>
  guarded(() => verify({ record: readRecord(record), ...optionsInput(options) }))

/** What the bytes of a proof's file, or of a page with a proof inside, give to verify. */
export const proofInput = (file: Uint8Array): VerifyInput => {
  const proof = isPage(file) ? proofInPage(file) : file
  const reading = parseProof(proof)
  if (reading.ok) return inputOfProof(reading.proof)
  const message = reading.code === "proof_too_large" ? undefined : wrongFile(proof, "proof")
  throw new UnusableInput(reading.code, message ?? reading.message, reading.problems)
}

export const treeInput = (tree: Uint8Array, namedBy: NamedBy): VerifyInput => {
  if (typeof namedBy !== "object" || namedBy === null) throw notNamed(namedBy)
  if ("record" in namedBy) return { tree, record: readRecord(namedBy.record) }
  const { sha256, signature } = namedBy
  if (typeof sha256 !== "string" || typeof signature !== "string") throw notNamed(namedBy)
  return { tree, record: { assetTreeSha256: sha256, assetTreeSignature: signature } }
}

const notNamed = (namedBy: unknown): UnusableInput =>
  new UnusableInput(
    "input_type",
    `A tree is checked against { record } or { sha256, signature }, both as text; this is ${nameOfType(namedBy)}.`
  )

const RECORD_MEMBERS = ["assetTreeCid", "assetTreeSha256", "assetTreeSignature"]

export const readRecord = (input: RecordInput): JsonObject => {
  const file = isObject(input) ? input : readRecordFile(textBytes(input, "A commit record"))
  const record = RECORD_MEMBERS.some((name) => Object.hasOwn(file, name)) ? file : (innerRecord(file) ?? file)
  if (RECORD_MEMBERS.some((name) => Object.hasOwn(record, name))) return record
  throw new UnusableInput(
    "record_members",
    Object.hasOwn(file, "mediaType")
      ? "The commit record looks like a proof file. Give a proof alone, without --record."
      : `This is not a commit record: it has none of the members ${RECORD_MEMBERS.join(", ")}.`
  )
}

/** An object that holds members, rather than bytes or what will hold them later. */
const isObject = (input: RecordInput): input is JsonObject =>
  typeof input === "object" &&
  input !== null &&
  bytesIn(input) === undefined &&
  !Array.isArray(input) &&
  typeof (input as { readonly then?: unknown }).then !== "function"

const readRecordFile = (bytes: Uint8Array): JsonObject => {
  if (bytes.length > RECORD_LIMIT) {
    throw new UnusableInput("record_too_large", "A commit record has at most 1 MiB; this one is larger.")
  }
  const reading = readJsonObject(bytes)
  if (reading.ok) return reading.value
  const message = wrongFile(bytes, "record") ?? `This is not a commit record: ${reading.message}`
  throw new UnusableInput(`record_${reading.code}`, message)
}

const innerRecord = (entry: JsonObject): JsonObject | undefined => {
  const inner = Object.hasOwn(entry, "mediaType") || !Object.hasOwn(entry, "commit") ? undefined : entry.commit
  return typeof inner === "object" && inner !== null && !Array.isArray(inner) ? (inner as JsonObject) : undefined
}
