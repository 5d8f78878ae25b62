/**
 * What the page says first, read off the report and off nothing else. Green is said only when all three hold: the file is the same, the person named
 * the key that signed, and nothing failed. A key that nobody confirmed leaves the matter open; another file is told before anything else.
 */
import { CODES, type Report } from "@treemark/core/verify"
import type { Key } from "./Language.ts"
import type { Sentence } from "./Say.ts"
import { meaningOf, reasonsOf } from "./Words.ts"

/** How the page looks: full success, nothing wrong but something open, a way out is shown, or it does not hold. */
export type Tone = "full" | "open" | "amber" | "bad"

export interface Summary {
  readonly tone: Tone
  readonly word: Key
  readonly headline: Sentence
  readonly sentences: ReadonlyArray<Sentence>
}

export const summaryOf = (report: Report): Summary => {
  const { answers, verdict } = report
  if (answers.file === "different" && isOnlyTheFile(report)) return different
  if (verdict === "invalid") return bad(report)
  if (verdict === "unconfirmed" || answers.who === "nobody" || answers.who === "not-the-author") {
    return unconfirmed(report)
  }
  const isKnown = answers.who === "expected" || answers.who === "named"
  return answers.file === "same" && isKnown && verdict === "valid" ? full(report) : open(report, isKnown)
}

/** Nothing says that something does not hold but the checks of the file. */
const isOnlyTheFile = ({ checks }: Report): boolean =>
  checks.every(({ code, name }) => code === "ok" || CODES[code].leadsTo !== "invalid" || name.startsWith("asset-"))

const different: Summary = {
  tone: "amber",
  word: "wordDifferent",
  headline: { key: "headDifferent" },
  sentences: [{ key: "differentRecord" }, { key: "differentDo" }]
}

const bad = ({ checks }: Report): Summary => {
  const reasons = reasonsOf(checks, "invalid")
  return {
    tone: "bad",
    word: "wordBad",
    headline: { key: "headBad" },
    sentences: [
      ...reasons.slice(0, 1).map((code) => ({ key: meaningOf(code) })),
      ...(reasons.length > 1 ? [{ key: "moreReasons", values: { count: String(reasons.length) } } as const] : []),
      { key: "badMeans" },
      { key: "badDo" }
    ]
  }
}

const unconfirmed = (report: Report): Summary => ({
  tone: "amber",
  word: "wordUnconfirmed",
  headline: { key: unconfirmedHeadline(report) },
  sentences: [
    ...reasonsOf(report.checks, "unconfirmed")
      .slice(0, 1)
      .map((code) => ({ key: meaningOf(code) })),
    { key: "unconfirmedMeans" }
  ]
})

const unconfirmedHeadline = ({ answers, checks }: Report): Key => {
  const has = (code: string): boolean => checks.some((check) => check.code === code)
  if (has("expected_author_differs")) return "headNotExpected"
  if (answers.who === "not-the-author") return "headNotAuthor"
  if (has("signer_revoked")) return "headRevoked"
  const [first] = reasonsOf(checks, "unconfirmed")
  return first === "asset_not_tied" ? "headNotTied" : "headUnconfirmed"
}

const full = ({ answers, signerName }: Report): Summary => ({
  tone: "full",
  word: "wordFull",
  headline:
    answers.who === "named" && signerName !== null
      ? { key: "headFullNamed", values: { name: signerName } }
      : { key: "headFullExpected" },
  sentences: [{ key: "fullMeans" }]
})

const open = ({ answers }: Report, isKnown: boolean): Summary => ({
  tone: "open",
  word: "wordOpen",
  headline: { key: openHeadline(answers.file, isKnown) },
  sentences: [{ key: "openMeans" }]
})

const openHeadline = (file: Report["answers"]["file"], isKnown: boolean): Key => {
  if (file === "same") return "headSameUnknown"
  if (file === "not-given") return isKnown ? "headOpenFile" : "headOpenBoth"
  return "headNotTied"
}
