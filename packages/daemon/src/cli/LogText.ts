/** What `treemarkd log` prints: a line for each commit, a summary, or the JSON document. No library is loaded for it (quick/). */
import type { StatusLetter } from "@treemark/core"
import type { LogEntry, NetworkView } from "../admin/HistoryApi.ts"
import type { Colours, Paint } from "./Paint.ts"
import { printable } from "./Printable.ts"

export interface LoggedCommit extends LogEntry {
  /** Its number in the whole history, from 1; null when only the newest were read. */
  readonly index: number | null
  /** What `diff` knows it by: that number, or how many are after it (`~0` is the last). */
  readonly name: string
}

export interface Log {
  readonly network: typeof NetworkView.Type
  readonly commits: ReadonlyArray<LoggedCommit>
}

export const placeText = ({ blockNumber, logIndex }: LogEntry): string => `${blockNumber}:${logIndex}`

/** In the order of the summary. */
const LETTERS: Readonly<Record<StatusLetter, keyof Colours>> = {
  G: "green",
  R: "yellow",
  U: "yellow",
  B: "red",
  N: "faint"
}

export const emptyText = (assetCid: string, { network }: Log): string =>
  `No commits of ${printable(assetCid)} on ${network.name}.`

export const lineOf = (commit: LoggedCommit, paint: Colours): string => {
  const letter: Paint = paint[LETTERS[commit.status]]
  const { codes, reason } = commit
  const why = [...wordOf(commit), ...(reason === null ? [] : [reason]), ...(commit.status === "N" ? bad(codes) : codes)]
  return [
    commit.name.padStart(4),
    letter(commit.status),
    paint.yellow(printable(commit.txHash.slice(0, 10))),
    String(commit.blockNumber).padStart(8),
    commit.time.replace(/\.000Z$/u, "Z").padEnd(20),
    printable(commit.author ?? "nobody", 64).padEnd(42),
    printable(commit.action ?? "-", 64),
    paint.strong(printable(messageOf(commit), 120)),
    ...(why.length === 0 ? [] : [paint.faint(`[${why.map((part) => printable(part, 200)).join(" ")}]`)])
  ]
    .join("  ")
    .trimEnd()
}

/** What was said; the words that stand in a record where nothing was say the action again, which has its own column. */
const messageOf = ({ abstract, action }: LoggedCommit): string =>
  abstract === null || abstract === `Action ${action}.` ? "" : abstract

/** Whose word the act is, where the tree is its author's. */
const wordOf = ({ recorder, status, word }: LoggedCommit): ReadonlyArray<string> => {
  if (word === "author") return ["act signed by the author"]
  if (status === "R") return [`the word of ${recorder}, not the author's`]
  return word === "recorder" ? [`recorded by ${recorder}`] : []
}

/** Without the tree nearly everything is open; only what is wrong already is worth a word. */
const bad = (codes: ReadonlyArray<string>): ReadonlyArray<string> => codes.filter((code) => code !== "tree_not_given")

export const summaryOf = (commits: ReadonlyArray<LoggedCommit>): string => {
  const counts = Object.keys(LETTERS).map((letter) => [
    letter,
    commits.filter(({ status }) => status === letter).length
  ])
  const told = counts.filter(([, count]) => count !== 0).map(([letter, count]) => `${count} ${letter}`)
  return `${commits.length} ${commits.length === 1 ? "commit" : "commits"}${told.length === 0 ? "" : `: ${told.join(", ")}`}`
}

export const documentOf = (assetCid: string, { commits, network }: Log) => ({
  assetCid,
  network,
  commits: commits.map(({ commitData, index, name: _, ...commit }) => ({ index, ...commit, ...recordOf(commitData) }))
})

/** The record, or its text where that is no JSON object. */
const recordOf = (commitData: string) => {
  try {
    const commit: unknown = JSON.parse(commitData)
    if (typeof commit === "object" && commit !== null && !Array.isArray(commit)) return { commit }
  } catch {
    // Anybody may write anything to the ledger.
  }
  return { commitData }
}
