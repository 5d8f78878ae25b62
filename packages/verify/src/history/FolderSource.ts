/**
 * A history in a folder: `history.json` beside the files that it names, or, without one, every `*.proof.json`, sorted by its place on the
 * ledger. Only regular files of the folder itself are opened: no link is followed, and no name leads out of it.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { type LedgerPosition, PROOF_LIMIT, readJsonObject, textMember } from "@treemark/core/verify"
import { readBounded } from "../Inputs.ts"
import { UnusableInput } from "../UnusableInput.ts"
import { proofInput } from "../Verification.ts"
import { type HistoryProblem, problem } from "./HistoryCodes.ts"
import { HISTORY_LIMIT, type HistoryEntry, type HistoryIndex, readIndex } from "./HistoryIndex.ts"
import type { FoundProof, HistorySource } from "./HistorySource.ts"

const INDEX = "history.json"
const PROOF_NAME = /\.proof\.json$/

export const openFolder = (folder: string): HistorySource => {
  const names = namesIn(folder)
  const proofNames = names.filter((name) => PROOF_NAME.test(name))
  const asked = new Set<string>()
  const proof = (name: string): FoundProof => {
    asked.add(name)
    return readProof(folder, name)
  }
  const named = names.includes(INDEX)
    ? { index: readIndex(readIndexFile(folder), "file"), strays: [] }
    : sortedProofs(folder, proofNames)
  return {
    index: named.index,
    proof,
    strays: () => [
      ...named.strays,
      ...(names.includes(INDEX)
        ? proofNames.filter((name) => !asked.has(name)).map((name) => problem("file_unreferenced", name))
        : [])
    ],
    close: () => {}
  }
}

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UnusableInput("file_unreadable", `${folder} cannot be listed: ${reason}.`)
  }
}

const UNFOLLOWED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const readIndexFile = (folder: string): Uint8Array => {
  const path = join(folder, INDEX)
  if (kindOf(path) !== "file") {
    throw new UnusableInput("file_unreadable", `${path} is not a regular file, so it was not read.`)
  }
  return readBounded(path, HISTORY_LIMIT, "the index of a history", UNFOLLOWED)
}

const readProof = (folder: string, name: string): FoundProof => {
  if (!isInside(name)) return { ok: false, problem: problem("name_leaves_folder", name) }
  const path = join(folder, name)
  const kind = kindOf(path)
  if (kind !== "file") return { ok: false, problem: problem(kind, name) }
  try {
    return { ok: true, bytes: readBounded(path, PROOF_LIMIT, "a proof", UNFOLLOWED) }
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error
    return { ok: false, problem: problem("proof_unreadable", name, { actual: error.message }) }
  }
}

/** A plain name: on no system does it name anything but an entry of the folder. */
const isInside = (name: string): boolean =>
  name !== "" && name !== "." && name !== ".." && !/[/\\:]/.test(name) && !name.includes("\0")

const kindOf = (path: string): "file" | "proof_missing" | "file_is_link" | "file_not_regular" | "proof_unreadable" => {
  try {
    const file = openSync(path, UNFOLLOWED)
    try {
      return fstatSync(file).isFile() ? "file" : "file_not_regular"
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    if (code === "ENOENT") return "proof_missing"
    if (code === "ELOOP" || code === "EMLINK") return "file_is_link"
    return code === "ENXIO" || code === "ENODEV" ? "file_not_regular" : "proof_unreadable"
  }
}

interface Placed {
  readonly name: string
  readonly place: LedgerPosition
  readonly assetCid: string | undefined
}

/** Without an index, the proofs say themselves what they are of; the first on the ledger says what the others must be of. */
const sortedProofs = (folder: string, names: ReadonlyArray<string>) => {
  const strays: Array<HistoryProblem> = []
  const placed: Array<Placed> = []
  for (const name of names) {
    const found = readProof(folder, name)
    const read = found.ok ? placeIn(name, found.bytes) : found.problem
    if ("code" in read) strays.push(read)
    else placed.push(read)
  }
  placed.sort(
    ({ place: left }, { place: right }) => left.blockNumber - right.blockNumber || left.logIndex - right.logIndex
  )
  const [first] = placed
  if (first === undefined && strays.length === 0) {
    throw new UnusableInput(
      "history_empty",
      `${folder} has neither a ${INDEX} nor any *.proof.json; there is nothing to verify.`
    )
  }
  return { index: first === undefined ? undefined : indexOf(first, placed), strays }
}

const placeIn = (name: string, bytes: Uint8Array): Placed | HistoryProblem => {
  try {
    const { ledger, tree } = proofInput(bytes)
    if (ledger === undefined || tree === undefined) return problem("proof_unusable", name)
    return { name, place: ledger, assetCid: assetCidOf(tree) }
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error
    return problem("proof_unusable", name, { actual: `${error.code}: ${error.message}` })
  }
}

const assetCidOf = (tree: Uint8Array): string | undefined => {
  const json = readJsonObject(tree)
  return json.ok ? textMember(json.value, "assetCid") : undefined
}

const indexOf = ({ assetCid, place }: Placed, placed: ReadonlyArray<Placed>): HistoryIndex => ({
  assetCid,
  network: { chainId: place.chainId, contract: place.contract },
  entries: placed.map(({ name, place }): HistoryEntry => ({ place, proof: name, reason: null }))
})
