/**
 * A checkpoint: hashes of a chain's blocks, from somebody whom the verifier trusts (its own node, say). With it, a proof of inclusion in
 * a block becomes a proof of being on the ledger, offline (docs/proof-format.md). Format version 1; a file may be signed by its witnesses
 * (CheckpointFile.ts).
 */
import { recoverSigner } from "../asset-tree/Signature.ts"
import { isAddressText, toEip55 } from "../identity/Eip55.ts"
import { isJsonObject, type JsonObject } from "../json/JsonValue.ts"
import { readJsonObject } from "../json/ReadJson.ts"
import { CHECKPOINT_MEDIA_TYPE, type CheckpointSignature, checkpointChecksum } from "./CheckpointFile.ts"
import { addressIn, countIn, hashIn, memberOf, type Need, textIn } from "./Members.ts"
import type { ProofProblem } from "./ParseProof.ts"

/** Largest file that is read, in bytes: about 160,000 blocks. */
export const CHECKPOINT_LIMIT = 16 * 1024 * 1024

/** A checkpoint that has been read. */
export interface Checkpoint {
  readonly chainId: number
  /** Lower-case block hashes by number. */
  readonly hashes: ReadonlyMap<number, string>
  /** Commit contracts of the chain (EIP-55) that whoever made the file vouches for. */
  readonly contracts: ReadonlyArray<string>
  /** Who signed the file (EIP-55), each once; their signatures hold. */
  readonly signers: ReadonlyArray<string>
  /** The file's name, for messages. */
  readonly name?: string | undefined
}

export type CheckpointRefusalCode =
  | "checkpoint_too_large"
  | "checkpoint_not_json"
  | "checkpoint_media_type"
  | "checkpoint_members"
  | "checkpoint_signature"

export type CheckpointReading =
  | { readonly ok: true; readonly checkpoint: Checkpoint }
  | {
      readonly ok: false
      readonly code: CheckpointRefusalCode
      readonly message: string
      readonly problems: ReadonlyArray<ProofProblem>
    }

/** Each costs an arithmetic of its own. */
const MOST_SIGNATURES = 64
const MOST_CONTRACTS = 1024

/** Reads a checkpoint file (UTF-8 JSON, at most 16 MiB, no duplicate keys, no block twice); one signature that does not hold refuses it. */
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
  const hashes = readBlocks(file, need)
  const contracts = readContracts(file, need)
  const signatures = readSignatures(file, need)
  if (chainId === undefined || problems.length > 0) {
    const places = problems.map(({ path, message }) => `${path} ${message}`).join("; ")
    return refuse("checkpoint_members", `This checkpoint file is damaged: ${places}.`, problems)
  }
  const problem = signatureProblem(file, signatures)
  if (problem !== undefined) return problem
  return {
    ok: true,
    checkpoint: { chainId, hashes, contracts, signers: [...new Set(signatures.map(({ signer }) => signer))] }
  }
}

const readBlocks = (file: JsonObject, need: Need): ReadonlyMap<number, string> => {
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
  return hashes
}

/** The items of an optional list. */
const itemsIn = (file: JsonObject, name: string, most: number, need: Need): ReadonlyArray<unknown> => {
  if (!Object.hasOwn(file, name)) return []
  const list = memberOf(file, name)
  const isList = Array.isArray(list) && list.length <= most
  return need(`/${name}`, isList ? list : undefined, `a list of at most ${most}`) ?? []
}

const readContracts = (file: JsonObject, need: Need): ReadonlyArray<string> => {
  const contracts = itemsIn(file, "contracts", MOST_CONTRACTS, need).flatMap((contract, index) => {
    const isAddress = typeof contract === "string" && isAddressText(contract)
    const read = need(
      `/contracts/${index}`,
      isAddress ? toEip55(contract) : undefined,
      "an address: 0x and 40 hex digits"
    )
    return read === undefined ? [] : [read]
  })
  return [...new Set(contracts)]
}

const readSignatures = (file: JsonObject, need: Need): ReadonlyArray<CheckpointSignature> =>
  itemsIn(file, "signatures", MOST_SIGNATURES, need).flatMap((item, index) => {
    const path = `/signatures/${index}`
    const members = need(path, isJsonObject(item) ? item : undefined, "an object with the members signer and signature")
    const signer = members && need(`${path}/signer`, addressIn(members, "signer"), "an address: 0x and 40 hex digits")
    const signature = members && need(`${path}/signature`, textIn(members, "signature"), "a signature, as text")
    return signer === undefined || signature === undefined ? [] : [{ signer: toEip55(signer), signature }]
  })

const signatureProblem = (
  file: JsonObject,
  signatures: ReadonlyArray<CheckpointSignature>
): CheckpointReading | undefined => {
  if (signatures.length === 0) return undefined
  const checksum = checkpointChecksum(file)
  if (checksum === undefined) {
    return refuseSignature(
      "",
      "a file that can be signed: it has a number or a key that canonical dag-json cannot carry"
    )
  }
  for (const [index, { signature, signer }] of signatures.entries()) {
    const recovery = recoverSigner(checksum, signature)
    const found = recovery.ok ? `it leads to ${recovery.signer}` : recovery.message
    if (recovery.ok && recovery.signer === signer) continue
    return refuseSignature(`/signatures/${index}`, `a signature by ${signer} over this very file; ${found}`)
  }
  return undefined
}

const refuseSignature = (path: string, wanted: string): CheckpointReading =>
  refuse(
    "checkpoint_signature",
    `This checkpoint file is not as it was signed: ${path} must be ${wanted}. Nothing in it was believed. Ask whoever made it for the file as it was signed.`,
    [{ path, message: `must be ${wanted}` }]
  )

/** A block about which two checkpoints disagree. */
export interface CheckpointsDisagreement {
  readonly chainId: number
  readonly number: number
  readonly first: { readonly name: string | undefined; readonly hash: string }
  readonly second: { readonly name: string | undefined; readonly hash: string }
}

/** The first block that two of the checkpoints name by different hashes: one of them is wrong, or somebody lies. */
export const checkpointsDisagreement = (
  checkpoints: ReadonlyArray<Checkpoint>
): CheckpointsDisagreement | undefined => {
  const seen = new Map<string, { readonly name: string | undefined; readonly hash: string }>()
  for (const { chainId, hashes, name } of checkpoints) {
    for (const [number, hash] of hashes) {
      const key = `${chainId}:${number}`
      const first = seen.get(key)
      if (first === undefined) seen.set(key, { name, hash })
      else if (first.hash !== hash) return { chainId, number, first, second: { name, hash } }
    }
  }
  return undefined
}
