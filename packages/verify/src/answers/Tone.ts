/**
 * How a report looks, read off its answers and its verdict and off nothing else. Full success is said only when the file is the same, the reader named
 * who signed, and nothing failed; a key that nobody confirmed leaves the matter open, and another file is no forgery.
 */
import { CODES, type Code, type Report } from "@treemark/core/verify"

/** `full`: success; `open`: nothing wrong, something not asked yet; `amber`: there is a way out; `bad`: something does not hold. */
export type Tone = "full" | "open" | "amber" | "bad"

export const toneOf = (report: Report): Tone => {
  const { answers, verdict } = report
  if (isOnlyAnotherFile(report)) return "amber"
  if (verdict === "invalid") return "bad"
  if (verdict === "unconfirmed" || answers.who === "nobody" || answers.who === "not-the-author") return "amber"
  return answers.file === "same" && isKnown(report) ? "full" : "open"
}

/** The file is another one, and the record that it was compared with holds. */
export const isOnlyAnotherFile = ({ answers, checks }: Report): boolean =>
  answers.file === "different" &&
  checks.every(({ code, name }) => code === "ok" || CODES[code].leadsTo !== "invalid" || name.startsWith("asset-"))

/** The reader named the key that signed. */
export const isKnown = ({ answers }: Report): boolean => answers.who === "expected" || answers.who === "named"

/** The codes that led to the verdict, in the order of the checks. */
export const reasonsOf = ({ checks, verdict }: Report): ReadonlyArray<Code> =>
  checks.flatMap(({ code }) => (code !== "ok" && CODES[code].leadsTo === verdict ? [code] : []))

export const hasCode = ({ checks }: Report, ...wanted: ReadonlyArray<string>): boolean =>
  checks.some(({ code }) => wanted.includes(code))

/** Why what the reader gave does not prove the time, where something was given for that. */
export const unprovenReason = (report: Report): Code | undefined => UNPROVEN.find((code) => hasCode(report, code))

const UNPROVEN: ReadonlyArray<Code> = [
  "checkpoint_block_differs",
  "checkpoint_quorum_missing",
  "checkpoint_block_absent",
  "checkpoint_chain_absent",
  "checkpoint_without_inclusion",
  "recorder_not_shown"
]
