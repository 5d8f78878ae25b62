/** The verdict, first on the page and in words for everybody; the report's own word stands beside it for those who compare tools. */
import type { Report, Verdict } from "@treemark/core/verify"
import { element, strange } from "./Element.ts"
import { momentText } from "./Findings.ts"
import { meaningOf, reasonsOf } from "./Words.ts"

const HEADLINES: Readonly<Record<Verdict, string>> = {
  valid: "This proof holds",
  unconfirmed: "Not confirmed",
  invalid: "Do not rely on this"
}

const MARKS: Readonly<Record<Verdict, string>> = { valid: "✓", unconfirmed: "?", invalid: "✕" }

/** Fills the card of the verdict and answers what a screen reader is told. */
export const showVerdict = (card: HTMLElement, report: Report): string => {
  const { verdict } = report
  card.className = `card verdict ${verdict}`
  card.replaceChildren(
    element("span", { class: "seal", "aria-hidden": "true" }, MARKS[verdict]),
    element(
      "div",
      {},
      element("p", { class: "word" }, verdict),
      element("h2", { id: "verdict-title", tabindex: "-1" }, HEADLINES[verdict]),
      ...sentences(report).map((sentence) => element("p", {}, ...sentence))
    )
  )
  card.hidden = false
  return `${HEADLINES[verdict]}. Verdict: ${verdict}. ${sentences(report).map(spoken).join(" ")}`
}

/** A file that could not be read as what it was given for. */
export const showProblem = (card: HTMLElement, headline: string, problem: string): string => {
  card.className = "card verdict problem"
  card.replaceChildren(
    element("span", { class: "seal", "aria-hidden": "true" }, "!"),
    element(
      "div",
      {},
      element("h2", { id: "verdict-title", tabindex: "-1" }, headline),
      element("p", {}, strange(problem, 1_000))
    )
  )
  card.hidden = false
  return headline
}

type Sentence = ReadonlyArray<Node | string>

const spoken = (sentence: Sentence): string =>
  sentence.map((part) => (typeof part === "string" ? part : (part.textContent ?? ""))).join("")

const sentences = (report: Report): ReadonlyArray<Sentence> =>
  report.verdict === "valid" ? [signed(report), ...placed(report), file(report)] : [[reason(report)], ...rest(report)]

const signed = (report: Report): Sentence => {
  const signer = report.signerName === null ? strange(String(report.signer)) : strange(report.signerName)
  return report.author === report.signer
    ? ["The record was signed by its author, ", signer, ", and has not changed since."]
    : ["The record was signed by ", signer, ", as you expect, and has not changed since."]
}

/** Said only when a block that the person trusts holds the commit. */
const placed = ({ provenance, time }: Report): ReadonlyArray<Sentence> =>
  provenance.time === "ledger" && time !== null
    ? [[`It was written to the ledger on ${momentText(time)}, as the block you trust shows.`]]
    : []

const file = ({ checks }: Report): Sentence => {
  if (checks.some(({ code }) => code === "asset_not_given")) {
    return ["Only the record was checked. Add the file it describes to see whether yours is the same."]
  }
  const isTied = checks.some(({ name, outcome }) => name.startsWith("asset-") && outcome === "pass")
  return [isTied ? "The file you added is exactly the one it describes." : "The file you added could not be compared."]
}

const reason = (report: Report): string => {
  const [first] = reasonsOf(report.checks, report.verdict)
  return first === undefined ? "" : meaningOf(first)
}

const rest = (report: Report): ReadonlyArray<Sentence> => {
  const others = reasonsOf(report.checks, report.verdict).length - 1
  const count = others === 1 ? "One more check says so" : `${others} more checks say so`
  return [
    ...(others > 0 ? [[`${count}; see below.`]] : []),
    [
      report.verdict === "invalid"
        ? "A record that is as its author signed it passes every check."
        : "What the signature covers has not changed; who stands behind it, or where it is, is the open question."
    ]
  ]
}
