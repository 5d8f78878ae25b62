/**
 * The index of an exported history (`application/vnd.treemark.history+json;version=1`, docs/proof-format.md): which commits an asset has on
 * the ledger, oldest first, and where the proof of each is. Somebody else wrote it, so every member is looked at.
 */
import {
  addressIn,
  countIn,
  hashIn,
  isJsonObject,
  type JsonObject,
  memberOf,
  type Need,
  objectIn,
  type ProofProblem,
  readJsonObject,
  textIn
} from "@treemark/core/verify"
import { UnusableInput } from "../UnusableInput.ts"

export const HISTORY_MEDIA_TYPE = "application/vnd.treemark.history+json;version=1"
/** Largest index, in bytes: about 30,000 commits. */
export const HISTORY_LIMIT = 16 * 1024 * 1024

export interface HistoryPlace {
  readonly txHash: string
  readonly blockNumber: number
  readonly blockHash: string
  readonly logIndex: number
  readonly recorder: string
}

export interface HistoryEntry {
  readonly place: HistoryPlace
  /** Name of the proof's file, or its CID; null where the export has none. */
  readonly proof: string | null
  readonly reason: string | null
}

export interface HistoryNetwork {
  readonly chainId: number
  readonly contract: string
}

export interface HistoryIndex {
  /** Undefined when there is no index, and the first proof's tree names none. */
  readonly assetCid: string | undefined
  readonly network: HistoryNetwork
  readonly entries: ReadonlyArray<HistoryEntry>
}

/** How an index names a proof: by a file's name, or in a CAR by a dag-json link. */
export type Naming = "file" | "link"

/** Throws {@link UnusableInput} for anything that is not an index. */
export const readIndex = (bytes: Uint8Array, naming: Naming): HistoryIndex => {
  const json = readJsonObject(bytes)
  if (!json.ok) throw new UnusableInput("history_not_json", `The index of the history is not one: ${json.message}`)
  checkMediaType(json.value)
  const problems: Array<ProofProblem> = []
  const need = <A>(path: string, value: A | undefined, wanted: string): A | undefined => {
    if (value === undefined && problems.length < MOST_PROBLEMS) problems.push({ path, message: `must be ${wanted}` })
    return value
  }
  const assetCid = need("/assetCid", textIn(json.value, "assetCid"), "the asset's CID, as text")
  const network = readNetwork(json.value, need)
  const commits = need("/commits", listIn(json.value, "commits"), "a list of commits") ?? []
  const entries = commits.map((commit, at) => readEntry(commit, `/commits/${at}`, naming, need))
  if (assetCid !== undefined && network !== undefined && problems.length === 0) {
    if (entries.length === 0)
      throw new UnusableInput("history_empty", "This history has no commit; there is nothing to verify.")
    return { assetCid, network, entries: entries.filter((entry) => entry !== undefined) }
  }
  const places = problems.map(({ path, message }) => `${path} ${message}`).join("; ")
  throw new UnusableInput("history_members", `The index of the history is damaged or incomplete: ${places}.`, problems)
}

/** So many problems are told; an index with more is another kind of file. */
const MOST_PROBLEMS = 10

const checkMediaType = (file: JsonObject): void => {
  const mediaType = textIn(file, "mediaType")
  if (mediaType === HISTORY_MEDIA_TYPE) return
  const version = /^application\/vnd\.treemark\.history\+json; ?version=(\w{1,20})$/.exec(mediaType ?? "")?.[1]
  if (version === "1") return
  throw version === undefined
    ? new UnusableInput(
        "history_members",
        `This is not the index of a history: one has the member "mediaType" with the value "${HISTORY_MEDIA_TYPE}".`
      )
    : new UnusableInput(
        "history_version",
        `This history has format version ${version}; this verifier reads version 1. A newer treemark-verify reads it.`
      )
}

const readNetwork = (file: JsonObject, need: Need): HistoryNetwork | undefined => {
  const network = need("/network", objectIn(file, "network"), "an object with the members chainId and contract")
  const chainId = network && need("/network/chainId", countIn(network, "chainId"), "a chain id, as a whole number")
  const contract =
    network && need("/network/contract", addressIn(network, "contract"), "an address: 0x and 40 hex digits")
  return chainId === undefined || contract === undefined ? undefined : { chainId, contract }
}

const readEntry = (value: unknown, path: string, naming: Naming, need: Need): HistoryEntry | undefined => {
  const entry = need(path, isJsonObject(value) ? value : undefined, "an object: a commit")
  if (entry === undefined) return undefined
  const txHash = need(`${path}/txHash`, hashIn(entry, "txHash"), "a transaction hash: 0x and 64 hex digits")
  const blockNumber = need(`${path}/blockNumber`, countIn(entry, "blockNumber"), "a block number, as a whole number")
  const blockHash = need(`${path}/blockHash`, hashIn(entry, "blockHash"), "a block hash: 0x and 64 hex digits")
  const logIndex = need(`${path}/logIndex`, countIn(entry, "logIndex"), "the event's index, as a whole number")
  const recorder = need(`${path}/recorder`, addressIn(entry, "recorder"), "an address: 0x and 40 hex digits")
  const proof = need(`${path}/proof`, proofNameIn(entry, naming), WANTED[naming])
  return txHash === undefined ||
    blockNumber === undefined ||
    blockHash === undefined ||
    logIndex === undefined ||
    recorder === undefined ||
    proof === undefined
    ? undefined
    : { place: { txHash, blockNumber, blockHash, logIndex, recorder }, proof, reason: textIn(entry, "reason") ?? null }
}

const WANTED: Readonly<Record<Naming, string>> = {
  file: "the name of the proof's file, or null",
  link: 'a link to the proof\'s block ({"/": CID}), or null'
}

const proofNameIn = (entry: JsonObject, naming: Naming): string | null | undefined => {
  const proof = memberOf(entry, "proof")
  if (proof === null) return null
  if (naming === "file") return typeof proof === "string" ? proof : undefined
  const link = isJsonObject(proof) ? proof : undefined
  return link !== undefined && Object.keys(link).length === 1 ? textIn(link, "/") : undefined
}

const listIn = (owner: JsonObject, name: string): ReadonlyArray<unknown> | undefined => {
  const value = memberOf(owner, name)
  return Array.isArray(value) ? value : undefined
}
