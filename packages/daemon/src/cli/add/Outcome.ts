/** How each file ended, as one line for people or one JSON document for scripts, and the sum of it. */
import type { CommitReceipt } from "@treemark/core"
import { printable, printableJson } from "../Printable.ts"
import type { FileProblem } from "./FileProblem.ts"
import { type FoundFile, shownName } from "./Walk.ts"

export type Outcome =
  | { readonly what: "committed" | "already"; readonly sha256: string; readonly receipt: CommitReceipt }
  /** The same bytes under another name, of this run. */
  | { readonly what: "same"; readonly sha256: string; readonly as: FoundFile }
  | { readonly what: "would-commit"; readonly sha256: string }
  | { readonly what: "skipped"; readonly reason: string }
  | { readonly what: "failed"; readonly problem: Pick<FileProblem, "code" | "message"> }

export type Counts = { readonly [What in Outcome["what"]]: number }

const WORDS = {
  committed: "committed",
  already: "already",
  same: "same",
  "would-commit": "would add",
  skipped: "skipped",
  failed: "FAILED"
} as const

export const lineOf = (file: FoundFile, outcome: Outcome): string =>
  `${WORDS[outcome.what].padEnd(9)}  ${shownName(file)}${detailOf(outcome)}`

const detailOf = (outcome: Outcome): string => {
  switch (outcome.what) {
    case "committed":
    case "already":
      return `  ${outcome.receipt.assetTreeCid}`
    case "same":
      return `  the same bytes as ${shownName(outcome.as)}`
    case "would-commit":
      return ""
    case "skipped":
      return `: ${outcome.reason}`
    case "failed":
      return `: ${printable(outcome.problem.message, 4_000)}`
  }
}

/** One document of `--json`. A name that is no UTF-8 is there in full as `fileBytes`, in hexadecimal digits. */
export const jsonOf = (file: FoundFile, outcome: Outcome): string => {
  const { what, ...rest } = outcome
  const bytes = Buffer.from(file.shown).equals(file.path) ? {} : { fileBytes: file.path.toString("hex") }
  return printableJson({ file: file.shown, ...bytes, outcome: what, ...membersOf(rest) })
}

const membersOf = (rest: object): object => {
  if ("receipt" in rest && "sha256" in rest) return { assetSha256: rest.sha256, ...(rest.receipt as CommitReceipt) }
  if ("as" in rest && "sha256" in rest) return { assetSha256: rest.sha256, sameAs: (rest.as as FoundFile).shown }
  if ("problem" in rest) {
    const { code, message } = rest.problem as FileProblem
    return { code, reason: message }
  }
  return "sha256" in rest ? { assetSha256: rest.sha256 } : rest
}

const TOLD = {
  committed: "committed",
  already: "committed before",
  same: "the same as another",
  "would-commit": "to commit",
  skipped: "skipped",
  failed: "failed"
} as const

export const summaryOf = (counts: Counts): string => {
  const parts = Object.entries(TOLD).flatMap(([what, text]) => {
    const count = counts[what as Outcome["what"]]
    return count === 0 ? [] : [`${count} ${text}`]
  })
  return parts.length === 0 ? "No files." : `${parts.join(", ")}.`
}
