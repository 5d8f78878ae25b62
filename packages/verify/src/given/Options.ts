/** What callers of the library ask for beside the proof, looked at member by member: JavaScript callers have no compiler that would. */
import {
  type AuthorsFile,
  type Checkpoint,
  checkpointsDisagreement,
  isAddressText,
  type KnownContract,
  type MeasuredAsset,
  measureAsset,
  parseAuthors,
  parseCheckpoint,
  type Recover,
  type VerifyInput
} from "@treemark/core/verify"
import { lookAt } from "../files/FileKind.ts"
import { wrongFile } from "../files/WrongFile.ts"
import { UnusableInput } from "../UnusableInput.ts"
import { bytesIn, type GivenBytes, type GivenText, nameOfType, plainBytes, textBytes } from "./Bytes.ts"

/** What is compared with the proof, and whom the reader knows and trusts. */
export interface VerifyOptions {
  /** Whose signature is expected: an address in any letter case. Without it the signer is compared with the author in the file. */
  readonly author?: string | undefined
  /** The asset itself: its bytes, or what an `AssetMeter` measured while they streamed by. */
  readonly asset?: GivenBytes | MeasuredAsset | undefined
  /** Block hashes that you trust: checkpoint files, as bytes, text, or read with `readCheckpoint`. */
  readonly checkpoints?: ReadonlyArray<GivenText | Checkpoint> | undefined
  /** Whom you know: an authors file, as bytes, text, or read with `readAuthors`. */
  readonly authors?: GivenText | AuthorsFile | undefined
  /** How many different signers must have signed checkpoints with a block for it to count; without it any checkpoint does. */
  readonly quorum?: number | undefined
  /** Commit contracts that you trust to say who called them, beside those that everybody knows. */
  readonly contracts?: ReadonlyArray<KnownContract> | undefined
  /** Another backend for the signature's arithmetic; the default is @noble/curves. */
  readonly recover?: Recover | undefined
}

/** The options as verification takes them. Throws {@link UnusableInput} for one that cannot be used; none is passed over in silence. */
export const optionsInput = (options: VerifyOptions): VerifyInput => {
  const { asset, author, authors, checkpoints, contracts, quorum, recover } = optionsObject(options)
  if (author !== undefined && !(typeof author === "string" && isAddressText(author))) {
    throw new UnusableInput("author_malformed", "The author you expect must be an address: 0x and 40 hex digits.")
  }
  if (checkpoints !== undefined && !Array.isArray(checkpoints)) {
    throw new UnusableInput(
      "input_type",
      `The option checkpoints is a list of checkpoint files, [file]; this is ${nameOfType(checkpoints)}.`
    )
  }
  if (quorum !== undefined && !(Number.isSafeInteger(quorum) && quorum > 0)) {
    throw new UnusableInput("input_type", "The option quorum is a whole number of signers, from 1 on.")
  }
  if (contracts !== undefined && !(Array.isArray(contracts) && contracts.every(isContract))) {
    throw new UnusableInput("input_type", 'The option contracts is a list such as [{ chainId: 1, contract: "0x…" }].')
  }
  if (recover !== undefined && typeof recover !== "function") {
    throw new UnusableInput("input_type", `The option recover is a function; this is ${nameOfType(recover)}.`)
  }
  return {
    expectedAuthor: author,
    asset: asset === undefined ? undefined : assetOf(asset),
    checkpoints: checkpoints && agreeing(checkpoints.map((one) => (isCheckpoint(one) ? one : readCheckpoint(one)))),
    authors: authors === undefined ? undefined : isAuthors(authors) ? authors : readAuthors(authors),
    quorum,
    contracts,
    recover
  }
}

/** The checkpoints, when no two of them have different blocks at one place: then one of their makers is wrong, and no one here can tell which. */
export const agreeing = (checkpoints: ReadonlyArray<Checkpoint>): ReadonlyArray<Checkpoint> => {
  const found = checkpoints.length < 2 ? undefined : checkpointsDisagreement(checkpoints)
  if (found === undefined) return checkpoints
  const { chainId, first, number, second } = found
  const named = ({ hash, name = "one of them" }: typeof first): string => `${name} has ${hash}`
  throw new UnusableInput(
    "checkpoints_disagree",
    `Two checkpoints disagree about block ${number} of chain ${chainId}: ${named(first)}, and ${named(second)}. One of them is wrong, or of another chain of the same number. Nothing was checked. Ask a node of your own, and leave the wrong one out.`
  )
}

/** The options themselves, when they are an object at all. */
export const optionsObject = <A>(options: A): A => {
  if (typeof options === "object" && options !== null) return options
  throw new UnusableInput(
    "input_type",
    `The options are an object, such as { author: "0x…" }; this is ${nameOfType(options)}.`
  )
}

/** Reads a checkpoint file once, for many proofs. Throws {@link UnusableInput} for any other file. */
export const readCheckpoint = (file: GivenText): Checkpoint => {
  const bytes = textBytes(file, "A checkpoint")
  const reading = parseCheckpoint(bytes)
  if (reading.ok) return reading.checkpoint
  throw new UnusableInput(reading.code, wrongFile(bytes, "checkpoint") ?? reading.message, reading.problems)
}

/** Reads an authors file once, for many proofs. Throws {@link UnusableInput}, with the line, for one that is not understood. */
export const readAuthors = (file: GivenText): AuthorsFile => {
  const bytes = textBytes(file, "An authors file")
  const reading = parseAuthors(bytes)
  if (reading.ok) return reading.authors
  throw new UnusableInput(reading.code, notAuthors(bytes) ?? reading.message)
}

/** A line of an authors file may be wrong in any way; only what is plainly another file is named as that. */
const notAuthors = (bytes: Uint8Array): string | undefined => {
  const { kind } = lookAt(bytes)
  return kind === "text" || kind === "empty" ? undefined : wrongFile(bytes, "authors")
}

const assetOf = (asset: unknown): MeasuredAsset => {
  if (isMeasured(asset)) return asset
  return measureAsset(plainBytes(asset, "The asset", ", or what an AssetMeter measured"))
}

const isMeasured = (value: unknown): value is MeasuredAsset => {
  if (typeof value !== "object" || value === null || bytesIn(value) !== undefined) return false
  const { rawCid, sha256, size, unixfsCid } = value as Partial<Record<keyof MeasuredAsset, unknown>>
  return (
    typeof size === "number" &&
    typeof sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    typeof rawCid === "string" &&
    (unixfsCid === undefined || typeof unixfsCid === "string")
  )
}

const isContract = (value: unknown): value is KnownContract => {
  if (typeof value !== "object" || value === null) return false
  const { chainId, contract } = value as Partial<Record<keyof KnownContract, unknown>>
  return Number.isSafeInteger(chainId) && typeof contract === "string" && isAddressText(contract)
}

/** Files that were read have maps, of this realm or of another one, which structuredClone makes. */
const isMap = (value: unknown): boolean => Object.prototype.toString.call(value) === "[object Map]"

const isCheckpoint = (value: unknown): value is Checkpoint => {
  if (typeof value !== "object" || value === null) return false
  const { chainId, contracts, hashes, signers } = value as Partial<Record<keyof Checkpoint, unknown>>
  return typeof chainId === "number" && isMap(hashes) && Array.isArray(contracts) && Array.isArray(signers)
}

const isAuthors = (value: unknown): value is AuthorsFile => isMap(value)
