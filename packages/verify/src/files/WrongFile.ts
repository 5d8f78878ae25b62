/**
 * What is said when a file is another than was asked for: what it is, and what to give instead. Only words; that the file is refused, and with
 * which code, was decided by the reader that refused it.
 */
import { type FileKind, lookAt } from "./FileKind.ts"

/** What was asked for. */
export type Wanted = "proof" | "record" | "authors" | "checkpoint" | "statement" | "history"

const WANTED: Readonly<Record<Wanted, string>> = {
  proof: "a proof file",
  record: "a commit record",
  authors: "an authors file",
  checkpoint: "a checkpoint file",
  statement: "a statement",
  history: "an exported history"
}

const NAMES: Readonly<Record<Wanted, string>> = {
  proof: "The proof is the small file that came with the work; its name ends in .proof.json, or it is a page (.html).",
  record: "A commit record is the JSON that stands on the ledger, with a checksum and a signature.",
  authors: "An authors file is text with an address and a name on each line.",
  checkpoint: "A checkpoint is a JSON file with hashes of blocks, from somebody whom you trust.",
  statement: "A statement is the JSON file that treemarkd account statement writes.",
  history: "A history is a folder with history.json in it, or a CAR (version 1), as treemarkd log --proofs writes them."
}

const GET_AGAIN = "It was probably not downloaded or copied to its end: get it again."
const AS_ASSET = "If it is the work itself, give the proof first and this file after --asset."

/** What to do with a file of this kind, wherever it was given. */
const ADVICE: Partial<Record<FileKind, string>> = {
  picture: AS_ASSET,
  film: AS_ASSET,
  sound: AS_ASSET,
  pdf: AS_ASSET,
  archive: "Nothing is unpacked here: unpack it, and give the file that is inside.",
  car: "If it is a history: npx @treemark/verify history FILE; if it holds many proofs: npx @treemark/verify bulk FILE.",
  proof: "Give it first and without an option: npx @treemark/verify FILE.",
  "proof-page": "Give it first and without an option: npx @treemark/verify FILE.",
  checkpoint: "Give the proof first and this file after --checkpoint.",
  history: "Give the folder that it lies in: npx @treemark/verify history FOLDER.",
  statement: "Check it with npx @treemark/verify statement FILE.",
  record: "Give it after --record, behind the asset tree that it belongs to.",
  tree: "Give it with its commit record: npx @treemark/verify TREE --record COMMIT.json.",
  authors: "Give the proof first and this file after --authors.",
  "marked-text":
    "It was written or changed by a program that adds such a mark, as > of Windows PowerShell does. Get the file again, unchanged."
}

/** Sentences for people; undefined when the file is of the kind asked for and its reader knows better what is wrong with it. */
export const wrongFile = (bytes: Uint8Array, wanted: Wanted): string | undefined => {
  const { kind, name } = lookAt(bytes)
  if ((kind === wanted && kind !== "history") || kind === "json" || (wanted === "proof" && kind === "proof-page"))
    return undefined
  const isThis = `This is not ${WANTED[wanted]}: it is ${name}.`
  if (kind === "empty" || kind === "cut-json") return `${isThis} ${GET_AGAIN}`
  const advice = kind === "binary" && wanted === "proof" ? AS_ASSET : ADVICE[kind]
  return [isThis, NAMES[wanted], ...(advice === undefined ? [] : [advice])].join(" ")
}
