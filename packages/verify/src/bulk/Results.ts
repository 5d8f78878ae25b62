/** The text of results: one JSON object a line, or for people one line for each proof that is not valid. */
import { CODES, type Report } from "@treemark/core/verify"
import { printable, printableLine } from "../Printable.ts"
import { UnusableInput } from "../UnusableInput.ts"
import type { Outcome } from "./Verifier.ts"

/** Where a proof came from: a line of the input, a file of the folder, or a block of a CAR. `offset` is the line's or section's first byte. */
export type Place =
  | { readonly line?: number; readonly offset: number }
  | { readonly file: string }
  | { readonly block: number; readonly offset: number; readonly cid: string | null }

/** The place and all members of the report (or `error`, as the command prints it for one proof), as JSON in one line. */
export const jsonResult = (place: Place, outcome: Outcome): string =>
  printableLine(
    outcome instanceof UnusableInput
      ? { ...place, error: { code: outcome.code, message: outcome.message, problems: outcome.problems } }
      : { ...place, ...outcome }
  )

/** One line for people; nothing for a proof that is valid. */
export const plainResult = (place: Place, outcome: Outcome): string => {
  if (outcome instanceof UnusableInput) {
    return `✗ ${placeText(place)}: unusable [${outcome.code}] ${printable(outcome.message)}\n`
  }
  if (outcome.verdict === "valid") return ""
  const mark = outcome.verdict === "invalid" ? "✗" : "–"
  return `${mark} ${placeText(place)}: ${outcome.verdict} ${reasons(outcome)}\n`
}

const reasons = (report: Report): string => {
  const codes = report.checks.flatMap(({ code }) =>
    code === "ok" || CODES[code].leadsTo !== report.verdict ? [] : [code]
  )
  const [first] = codes
  return `[${codes.join(", ")}] ${first === undefined ? "" : CODES[first].meaning}`
}

const placeText = (place: Place): string => {
  if ("file" in place) return printable(place.file)
  if ("block" in place) return `block ${place.block}${place.cid === null ? "" : ` ${place.cid}`}`
  return place.line === undefined ? `byte ${place.offset}` : `line ${place.line}`
}
