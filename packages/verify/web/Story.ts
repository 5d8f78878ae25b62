/**
 * A history that was given as files: read whole, within a bound, and verified entry by entry as the command does it (src/history). The page stays
 * alive meanwhile: after some entries it lets the browser draw.
 */
import { inputOfProof, type JsonObject, measureAsset, PROOF_LIMIT, parseProof, verify } from "@treemark/core/verify"
import { carHistory } from "../src/history/CarHistory.ts"
import { type HistoryProblem, problem } from "../src/history/HistoryCodes.ts"
import { HISTORY_LIMIT, readIndex } from "../src/history/HistoryIndex.ts"
import type { HistorySource } from "../src/history/HistorySource.ts"
import type { Recorders } from "../src/history/Recorders.ts"
import {
  type CommitFinding,
  findings,
  type HistorySummary,
  recordersIn,
  summarize
} from "../src/history/VerifyHistory.ts"
import { UnusableInput } from "../src/UnusableInput.ts"
import { boundedBytes, readProof, type Subject, type Trust, treeOf } from "./Evidence.ts"
import { type Given, other, type Problem } from "./Sorting.ts"

/** Larger ones are for the command: a page holds all of it in memory, and shows every entry. */
const TOTAL_LIMIT = 128 * 1024 * 1024
const MOST_ENTRIES = 2_000

/** A history as it was given; `source` can be asked again. */
export interface Story {
  readonly source: () => HistorySource
}

export interface Entry {
  readonly finding: CommitFinding
  /** Its proof, where it is here and reads. */
  readonly subject: Subject | undefined
  /** The members of its asset tree, where it reads. */
  readonly tree: JsonObject | undefined
}

export interface ToldStory {
  readonly assetCid: string | undefined
  readonly chainId: number | undefined
  readonly entries: ReadonlyArray<Entry>
  readonly strays: ReadonlyArray<HistoryProblem>
  /** Whose word for an act is taken. */
  readonly recorders: Recorders
  readonly summary: HistorySummary
}

/** The story in these files, the index or the CAR first; or why there is none. */
export const readStory = async (files: ReadonlyArray<Given>): Promise<Story | Problem> => {
  const [main] = files
  const total = files.reduce((sum, { file }) => sum + file.size, 0)
  if (main === undefined || total > TOTAL_LIMIT || files.length > MOST_ENTRIES + 1) return large(main)
  try {
    const source = main.kind === "car" ? await carSource(main.file) : await folderSource(main.file, files.slice(1))
    const { index } = source()
    return index !== undefined && index.entries.length > MOST_ENTRIES ? large(main) : { source }
  } catch (error) {
    if (error instanceof UnusableInput) return other(main, "notHistory", "giveHistory", error.message)
    throw error
  }
}

const large = (main: Given | undefined): Problem => ({
  headline: "notHistory",
  sentences: [
    { key: "tooLarge", values: { file: main?.name ?? "–" } },
    { key: "giveByCommand", values: { command: "npx @treemark/verify history FILE" } }
  ]
})

const carSource = async (file: Blob): Promise<() => HistorySource> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const at = (offset: number, length: number): Uint8Array => bytes.subarray(offset, offset + length)
  return () => carHistory({ size: bytes.length, at, close: () => {} }, (block) => measureAsset(block).sha256)
}

const folderSource = async (indexFile: Blob, files: ReadonlyArray<Given>): Promise<() => HistorySource> => {
  const bytes = await boundedBytes(indexFile, HISTORY_LIMIT)
  if (bytes === undefined) throw new UnusableInput("history_too_large", "The index has more than 16 MiB.")
  const proofs = new Map<string, Uint8Array | undefined>()
  for (const { file, name } of files) proofs.set(name, await boundedBytes(file, PROOF_LIMIT))
  return () => {
    const asked = new Set<string>()
    return {
      index: readIndex(bytes, "file"),
      proof: (name) => {
        asked.add(name)
        const proof = proofs.get(name)
        if (proof !== undefined) return { ok: true, bytes: proof }
        return { ok: false, problem: problem(proofs.has(name) ? "proof_unreadable" : "proof_missing", name) }
      },
      strays: () =>
        [...proofs.keys()].filter((name) => !asked.has(name)).map((name) => problem("file_unreferenced", name)),
      close: () => {}
    }
  }
}

/** How long entries are verified before the browser may draw, in milliseconds. */
const BREATH = 50

/** Verifies every entry; `progress` is told how many are done. Undefined when `isWanted` says that nobody waits for it any more. */
export const tellStory = async (
  { source: open }: Story,
  trust: Trust,
  progress: (done: number, all: number) => void,
  isWanted: () => boolean
): Promise<ToldStory | undefined> => {
  const source = open()
  const { index } = source
  const recorders = recordersIn(source, { authors: trust.authors?.read })
  const summary = summarize()
  const entries: Array<Entry> = []
  let breathed = performance.now()
  for (const finding of findings(source, { verifyBytes: (bytes) => verified(bytes, trust) }, recorders)) {
    summary.add(finding)
    entries.push(entryOf(finding, source))
    if (performance.now() - breathed < BREATH) continue
    progress(entries.length, index?.entries.length ?? entries.length)
    await new Promise((resolve) => setTimeout(resolve))
    if (!isWanted()) return undefined
    breathed = performance.now()
  }
  const strays = source.strays()
  return {
    assetCid: index?.assetCid,
    chainId: index?.network.chainId,
    entries,
    strays,
    recorders,
    summary: summary.end(strays)
  }
}

const verified = (bytes: Uint8Array, trust: Trust) => {
  const reading = parseProof(bytes)
  return reading.ok
    ? verify({ ...inputOfProof(reading.proof), ...trust.input() })
    : new UnusableInput(reading.code, reading.message, reading.problems)
}

const entryOf = (finding: CommitFinding, source: HistorySource): Entry => {
  const found = finding.proof === null ? undefined : source.proof(finding.proof)
  const read = found?.ok === true ? readProof(String(finding.proof), found.bytes) : ""
  return typeof read === "string"
    ? { finding, subject: undefined, tree: undefined }
    : { finding, subject: read, tree: treeOf(read) }
}
