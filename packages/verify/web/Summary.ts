/**
 * What the page says first, read off the report and off nothing else, in the tone in which the terminal says it (Tone.ts): green only when the file
 * is the same, the person named the key that signed, and nothing failed; another file is told before anything else.
 */
import type { Report } from "@treemark/core/verify"
import { isKnown, isOnlyAnotherFile, type Tone, toneOf } from "../src/answers/Tone.ts"
import type { Key } from "./Language.ts"
import type { Sentence } from "./Say.ts"
import { meaningOf, reasonsOf } from "./Words.ts"

export interface Summary {
  readonly tone: Tone
  readonly word: Key
  readonly headline: Sentence
  readonly sentences: ReadonlyArray<Sentence>
}

export const summaryOf = (report: Report): Summary => {
  switch (toneOf(report)) {
    case "full":
      return full(report)
    case "open":
      return open(report, isKnown(report))
    case "amber":
      return isOnlyAnotherFile(report) ? different : unconfirmed(report)
    case "bad":
      return bad(report)
  }
}

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
