/**
 * A checkpoint: hashes of a chain's blocks, from somebody whom the verifier trusts (its own node, say). With it, a proof of inclusion in
 * a block becomes a proof of being on the ledger, offline (docs/proof-format.md). Format version 1.
 */
import { countIn, hashIn, type Need, textIn } from "./Members.ts"
import type { ProofProblem } from "./ParseProof.ts"
import { isJsonObject, type JsonObject } from "./Proof.ts"
import { readJsonObject } from "./ReadJson.ts"

export const CHECKPOINT_MEDIA_TYPE = "application/vnd.treemark.checkpoint+json;version=1"

/** Largest file that is read, in bytes: about 160,000 blocks. */
export const CHECKPOINT_LIMIT = 16 * 1024 * 1024

/** A checkpoint as its file holds it. */
export interface CheckpointDocument {
  readonly mediaType: typeof CHECKPOINT_MEDIA_TYPE
  readonly chainId: number
  /** `number`: the block's; `hash`: `0x` and 64 hex digits. */
  readonly entries: ReadonlyArray<{ readonly number: number; readonly hash: string }>
}

/** A checkpoint that has been read: lower-case block hashes by number. */
export interface Checkpoint {
  readonly chainId: number
  readonly hashes: ReadonlyMap<number, string>
}

export type CheckpointRefusalCode =
  | "checkpoint_too_large"
  | "checkpoint_not_json"
  | "checkpoint_media_type"
  | "checkpoint_members"

export type CheckpointReading =
  | { readonly ok: true; readonly checkpoint: Checkpoint }
  | {
      readonly ok: false
      readonly code: CheckpointRefusalCode
      readonly message: string
      readonly problems: ReadonlyArray<ProofProblem>
    }

/** The text of a checkpoint file: JSON with a line for each block, ordered by number. */
export const checkpointText = (checkpoint: Checkpoint): string => {
  const lines = [...checkpoint.hashes]
    .sort(([left], [right]) => left - right)
    .map(([number, hash]) => `    ${JSON.stringify({ number, hash })}`)
  const head = `  "mediaType": ${JSON.stringify(CHECKPOINT_MEDIA_TYPE)},\n  "chainId": ${checkpoint.chainId},\n`
  return `{\n${head}  "entries": [\n${lines.join(",\n")}\n  ]\n}\n`
}

/** Reads a checkpoint file (UTF-8 JSON, at most 16 MiB, no duplicate keys, no block twice). */
export const parseCheckpoint = (bytes: Uint8Array): CheckpointReading => {
  if (bytes.length > CHECKPOINT_LIMIT) {
    return refuse(
      "checkpoint_too_large",
      "A checkpoint file has at most 16 MiB; this one is larger. Give several files."
    )
  }
  const json = readJsonObject(bytes)
  if (!json.ok) return refuse("checkpoint_not_json", `This is not a checkpoint file: ${json.message}`)
  if (textIn(json.value, "mediaType") !== CHECKPOINT_MEDIA_TYPE) {
    return refuse(
      "checkpoint_media_type",
      `This JSON file is not a checkpoint: one has the member "mediaType" with the value "${CHECKPOINT_MEDIA_TYPE}".`
    )
  }
  return readMembers(json.value)
}

const refuse = (
  code: CheckpointRefusalCode,
  message: string,
  problems: ReadonlyArray<ProofProblem> = []
): CheckpointReading => ({ ok: false, code, message, problems })

/** So many problems are told; a file with more is another kind of file. */
const MOST_PROBLEMS = 10

const readMembers = (file: JsonObject): CheckpointReading => {
  const problems: Array<ProofProblem> = []
  const need: Need = (path, value, wanted) => {
    if (value === undefined && problems.length < MOST_PROBLEMS) problems.push({ path, message: `must be ${wanted}` })
    return value
  }
  const chainId = need("/chainId", countIn(file, "chainId"), "a chain id, as a whole number")
  const entries = need("/entries", Array.isArray(file.entries) ? file.entries : undefined, "a list of blocks")
  const hashes = new Map<number, string>()
  for (const [index, entry] of (entries ?? []).entries()) {
    const path = `/entries/${index}`
    const block = need(path, isJsonObject(entry) ? entry : undefined, "an object with the members number and hash")
    const number = block && need(`${path}/number`, countIn(block, "number"), "a block number, as a whole number")
    const hash = block && need(`${path}/hash`, hashIn(block, "hash"), "a block hash: 0x and 64 hex digits")
    if (number === undefined || hash === undefined) continue
    need(`${path}/number`, hashes.has(number) ? undefined : number, "a block that stands in the list once")
    hashes.set(number, hash.toLowerCase())
  }
  if (chainId !== undefined && problems.length === 0) return { ok: true, checkpoint: { chainId, hashes } }
  const places = problems.map(({ path, message }) => `${path} ${message}`).join("; ")
  return refuse("checkpoint_members", `This checkpoint file is damaged: ${places}.`, problems)
}
