/**
 * Reads a proof file that somebody else wrote. Every input gives an answer: the proof, or what is wrong with the file, member by
 * member. Whether the proof holds is not asked here; that is verification.
 */

import type { JsonObject } from "../json/JsonValue.ts"
import { type JsonReading, readJsonObject } from "../json/ReadJson.ts"
import { textOfObject } from "../json/StrictReader.ts"
import { parseBase64 } from "./Base64.ts"
import type { Inclusion } from "./Inclusion.ts"
import type { LedgerPosition } from "./LedgerPosition.ts"
import { addressIn, countIn, hashIn, type Need, objectIn, textIn } from "./Members.ts"
import { PROOF_LIMIT, PROOF_MARKS, PROOF_MEDIA_TYPE, RECORD_LIMIT } from "./Proof.ts"
import { readInclusion } from "./ReadInclusion.ts"

export type ProofRefusalCode =
  | "proof_too_large"
  | "proof_not_json"
  | "proof_media_type"
  | "proof_version"
  | "proof_members"

/** What is wrong with one member, placed by a JSON pointer (RFC 6901). */
export interface ProofProblem {
  readonly path: string
  readonly message: string
}

export interface ReadProof {
  readonly treeCid: string
  readonly treeBytes: Uint8Array
  readonly record: JsonObject
  /** The record as it stands in the file, where a number in it may have lost digits on the way into {@link record}. */
  readonly recordText: string | undefined
  readonly commitData: string
  readonly ledger: LedgerPosition
  readonly inclusion: Inclusion | undefined
  /** Why the proof has no inclusion proof, where it says so. */
  readonly inclusionMissing: string | undefined
}

export type ProofReading =
  | { readonly ok: true; readonly proof: ReadProof }
  | {
      readonly ok: false
      readonly code: ProofRefusalCode
      readonly message: string
      readonly problems: ReadonlyArray<ProofProblem>
    }

/** Reads a proof of version 1 from the bytes of its file (UTF-8 JSON, at most 16 MiB, no duplicate keys). */
export const parseProof = (bytes: Uint8Array): ProofReading => {
  if (bytes.length > PROOF_LIMIT) return refuse("proof_too_large", "A proof has at most 16 MiB; this file is larger.")
  const json = readJsonObject(bytes, PROOF_MARKS)
  if (!json.ok) return refuse("proof_not_json", `This is not a proof file: ${json.message}`)
  return mediaTypeProblem(json.value) ?? readMembers(json)
}

const refuse = (
  code: ProofRefusalCode,
  message: string,
  problems: ReadonlyArray<ProofProblem> = []
): ProofReading & { ok: false } => ({ ok: false, code, message, problems })

const mediaTypeProblem = (file: JsonObject): (ProofReading & { ok: false }) | undefined => {
  const mediaType = Object.hasOwn(file, "mediaType") ? file.mediaType : undefined
  if (mediaType === PROOF_MEDIA_TYPE) return undefined
  const version =
    typeof mediaType === "string"
      ? /^application\/vnd\.treemark\.proof\+json; ?version=(\w{1,20})$/.exec(mediaType)
      : null
  if (version?.[1] === "1") return undefined
  if (version !== null) {
    return refuse(
      "proof_version",
      `This proof has format version ${version[1]}; this verifier reads version 1. A newer treemark-verify reads it; the file itself may be fine.`
    )
  }
  return refuse("proof_media_type", `This JSON file is not a Treemark proof: ${kindOfFile(file)}`)
}

const kindOfFile = (file: JsonObject): string => {
  if (Object.hasOwn(file, "assetTreeSha256")) {
    return "it looks like a commit record. Give it with --record, after the asset tree it belongs to."
  }
  if (Object.hasOwn(file, "assetCid")) {
    return "it looks like an asset tree. Give its commit record with --record, or its --sha256 and --signature."
  }
  return `a proof has the member "mediaType" with the value "${PROOF_MEDIA_TYPE}".`
}

const readMembers = ({ value: file, text, isExact }: JsonReading & { readonly ok: true }): ProofReading => {
  const problems: Array<ProofProblem> = []
  const need: Need = (path, value, wanted) => {
    if (value === undefined) problems.push({ path, message: `must be ${wanted}` })
    return value
  }
  const tree = need("/tree", objectIn(file, "tree"), "an object with the members cid and bytes")
  const commit = need("/commit", objectIn(file, "commit"), "an object with the members record and commitData")
  const ledger = need("/ledger", objectIn(file, "ledger"), "an object that says where the commit is on the ledger")
  const treeCid = tree && need("/tree/cid", textIn(tree, "cid"), "the CID of the asset tree, as text")
  const treeBytes =
    tree && need("/tree/bytes", bytesIn(tree, "bytes"), "the tree's bytes in base64, padded and without white space")
  const record = commit && need("/commit/record", objectIn(commit, "record"), "the commit record, as an object")
  const recordText = isExact ? undefined : textOfObject(text, ["commit", "record"])
  if (recordText !== undefined && recordText.length > RECORD_LIMIT) {
    problems.push({ path: "/commit/record", message: "must be of at most 1 MiB" })
  }
  const commitData =
    commit &&
    need(
      "/commit/commitData",
      textIn(commit, "commitData", RECORD_LIMIT),
      "the exact commit data, as text of at most 1 MiB"
    )
  const position = ledger && readPosition(ledger, need)
  const inclusion = ledger && readInclusion(ledger, need)
  const inclusionMissing = ledger && textIn(ledger, "inclusionMissing")
  if (treeCid !== undefined && treeBytes && record && commitData !== undefined && position && problems.length === 0) {
    return {
      ok: true,
      proof: { treeCid, treeBytes, record, recordText, commitData, ledger: position, inclusion, inclusionMissing }
    }
  }
  const places = problems.map(({ path, message }) => `${path} ${message}`).join("; ")
  return refuse("proof_members", `This proof file is damaged or incomplete: ${places}.`, problems)
}

const readPosition = (ledger: JsonObject, need: Need): LedgerPosition | undefined => {
  const network = need("/ledger/network", textIn(ledger, "network"), "the network's name, as text")
  const chainId = need("/ledger/chainId", countIn(ledger, "chainId"), "a chain id, as a whole number")
  const contract = need("/ledger/contract", addressIn(ledger, "contract"), "an address: 0x and 40 hex digits")
  const txHash = need("/ledger/txHash", hashIn(ledger, "txHash"), "a transaction hash: 0x and 64 hex digits")
  const blockNumber = need("/ledger/blockNumber", countIn(ledger, "blockNumber"), "a block number, as a whole number")
  const blockHash = need("/ledger/blockHash", hashIn(ledger, "blockHash"), "a block hash: 0x and 64 hex digits")
  const logIndex = need("/ledger/logIndex", countIn(ledger, "logIndex"), "the event's index, as a whole number")
  const recorder = need("/ledger/recorder", addressIn(ledger, "recorder"), "an address: 0x and 40 hex digits")
  return network === undefined ||
    chainId === undefined ||
    contract === undefined ||
    txHash === undefined ||
    blockNumber === undefined ||
    blockHash === undefined ||
    logIndex === undefined ||
    recorder === undefined
    ? undefined
    : { network, chainId, contract, txHash, blockNumber, blockHash, logIndex, recorder }
}

const bytesIn = (owner: JsonObject, name: string): Uint8Array | undefined => {
  const text = textIn(owner, name)
  return text === undefined ? undefined : parseBase64(text)
}
