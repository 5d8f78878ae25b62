/**
 * A report for a person: what it comes to, the three answers with what they mean and what to do, the verdict, what the proof tells, then each check on
 * a line with a mark. Colour follows the answers: green is the word of a full success and of nothing else.
 */
import { CHECKS, type Check, CODES, type JsonObject, type Report } from "@treemark/core/verify"
import { factsOf, type Row } from "./answers/Facts.ts"
import { reasonsOf, type Tone, toneOf } from "./answers/Tone.ts"
import { type Answer, answersIn, headlineOf } from "./answers/Words.ts"
import { printable } from "./Printable.ts"
import { wrapped } from "./Wrapped.ts"

type Paint = (text: string) => string

interface Colours {
  readonly good: Paint
  readonly bad: Paint
  readonly warn: Paint
  readonly faint: Paint
  readonly strong: Paint
}

const plain: Paint = (text) => text
const ansi =
  (code: number): Paint =>
  (text) =>
    `\x1b[${code}m${text}\x1b[0m`

const PLAIN: Colours = { good: plain, bad: plain, warn: plain, faint: plain, strong: plain }
const COLOURED: Colours = { good: ansi(32), bad: ansi(31), warn: ansi(33), faint: ansi(2), strong: ansi(1) }

export interface RenderOptions {
  /** For a terminal that shows it. */
  readonly colour: boolean
  /** The members of the asset tree, where it reads. */
  readonly tree?: JsonObject | undefined
}

const WIDTH = 100

/** The whole text, ending in a line break. */
export const render = (report: Report, { colour, tree }: RenderOptions): string => {
  const tone = toneOf(report)
  const paint = colour ? COLOURED : PLAIN
  /** Nothing is green but what is so altogether. */
  const toned = { ...paint, good: tone === "full" ? paint.good : plain }
  const lines = [
    ...headline(report, tone, toned),
    "",
    ...answersIn(report, tree).flatMap((answer) => [...answerLines(answer, toned), ""]),
    `verdict ${toned[PAINTS[tone]](report.verdict)}: ${reasonOf(report)}`,
    "",
    ...factsOf(report, tree).flatMap(({ rows, title }) => [title, ...rows.map((row) => rowLine(row, paint)), ""]),
    paint.faint(LEGEND),
    "",
    ...report.checks.flatMap((check) => checkLines(check, toned))
  ]
  return `${lines.join("\n")}\n`
}

const LEGEND =
  "signed: the signature covers it. ledger: a block that you trust holds it. claimed: nothing but the file says so."

const MARKS: Readonly<Record<Tone, string>> = { full: "✓", open: "…", amber: "!", bad: "✗" }
const PAINTS: Readonly<Record<Tone, keyof Colours>> = { full: "good", open: "strong", amber: "warn", bad: "bad" }

const headline = (report: Report, tone: Tone, paint: Colours): ReadonlyArray<string> =>
  wrapped(`${MARKS[tone]} ${headlineOf(report)}`, WIDTH).map((line, at) =>
    paint[PAINTS[tone]](paint.strong(at === 0 ? line : `  ${line}`))
  )

const STATE_PAINTS: Readonly<Record<Answer["state"], keyof Colours>> = {
  yes: "good",
  open: "strong",
  warn: "warn",
  no: "bad"
}

const answerLines = ({ asks, means, next, says, state }: Answer, paint: Colours): ReadonlyArray<string> => [
  asks,
  ...wrapped(says, WIDTH - 2).map((line) => `  ${paint[STATE_PAINTS[state]](line)}`),
  ...wrapped(means, WIDTH - 2).map((line) => `  ${line}`),
  ...wrapped(`→ ${next}`, WIDTH - 2).map((line, at) => (at === 0 ? `  ${line}` : `    ${line}`))
]

const reasonOf = (report: Report): string => {
  if (report.verdict === "valid") {
    const signer = signerText(report)
    return report.author === report.signer
      ? `signed by its author, ${signer}.`
      : `signed by ${signer}, whom you named. The author named in the file is ${report.author === null ? "nobody" : printable(report.author)}.`
  }
  const [first, ...others] = reasonsOf(report)
  const meaning = first === undefined ? "" : CODES[first].meaning
  return `${meaning}${others.length === 0 ? "" : ` (and ${others.length} more below)`}`
}

const signerText = ({ signer, signerName }: Report): string =>
  signerName === null ? printable(String(signer)) : `${printable(signerName)} (${printable(String(signer))})`

const rowLine = ({ label, remark, value, worth }: Row, paint: Colours): string => {
  const remarks = [worth, remark].filter((part) => part !== null && part !== undefined).join("; ")
  return `  ${label.padEnd(10)} ${printable(value)}${remarks === "" ? "" : `  ${paint.faint(remarks)}`}`
}

const NAME_WIDTH = Math.max(...Object.keys(CHECKS).map((name) => name.length))

/** Checks that say more than that they passed or were skipped: which block, which time, why not. */
const REMARKED: ReadonlySet<string> = new Set(["ledger-inclusion", "signer-named"])

const checkLines = (check: Check, paint: Colours): ReadonlyArray<string> => {
  const name = check.name.padEnd(NAME_WIDTH)
  const remark = REMARKED.has(check.name) && check.actual !== null ? ` (${printable(check.actual)})` : ""
  if (check.code === "ok") return [`  ${paint.good("✓")} ${name}  ${CHECKS[check.name]}${paint.faint(remark)}`]
  const { meaning } = CODES[check.code]
  if (check.outcome === "skipped") return [`  ${paint.faint(`– ${name}  ${meaning}${remark}`)}`]
  const indent = " ".repeat(NAME_WIDTH + 6)
  return [
    `  ${paint.bad("✗")} ${name}  ${meaning} ${paint.faint(`[${check.code}]`)}`,
    ...(check.expected === null ? [] : [`${indent}expected  ${printable(check.expected)}`]),
    ...(check.actual === null ? [] : [`${indent}actual    ${printable(check.actual)}`])
  ]
}
