/** A verified history as text: for people a line a commit with its letter and what is wrong below it; as JSON one document, written as it comes. */
import { CODES, type Report } from "@treemark/core/verify"
import type { BackendName } from "../backends/BackendName.ts"
import { printable, printableLine } from "../Printable.ts"
import { HISTORY_CODES, type HistoryProblem } from "./HistoryCodes.ts"
import type { HistoryIndex } from "./HistoryIndex.ts"
import type { CommitFinding, HistorySummary } from "./VerifyHistory.ts"

/** What becomes of a history, part by part in this order. */
export interface HistoryText {
  readonly head: (index: HistoryIndex | undefined) => string
  readonly commit: (finding: CommitFinding) => string
  readonly end: (strays: ReadonlyArray<HistoryProblem>, summary: HistorySummary, backend: BackendName) => string
}

/** `{"assetCid", "network", "commits": […], "problems": […], "summary": {…}}`, each commit on a line. */
export const jsonText = (): HistoryText => {
  let separator = ""
  const value = (of: unknown): string => printableLine(of).trimEnd()
  return {
    head: (index) =>
      `{"assetCid":${value(index?.assetCid ?? null)},"network":${value(index?.network ?? null)},"commits":[\n`,
    commit: (finding) => {
      const text = `${separator}${value(finding)}`
      separator = ",\n"
      return text
    },
    end: (strays, summary, backend) => `\n],"problems":${value(strays)},"summary":${value({ ...summary, backend })}}\n`
  }
}

export const plainText = (): HistoryText => ({
  head: (index) =>
    index === undefined
      ? ""
      : `asset ${printable(index.assetCid ?? "not told")}, chain ${index.network.chainId}, contract ${index.network.contract}\n\n`,
  commit: (finding) =>
    [commitLine(finding), ...finding.problems.flatMap(problemLines), ...reportLines(finding.report)]
      .join("\n")
      .concat("\n"),
  end: (strays, summary, backend) =>
    [
      ...strays.flatMap(problemLines),
      ...(strays.length === 0 ? [] : [""]),
      `${summary.commits === 0 ? "" : "\n"}${MARKS[summary.verdict]} ${summary.verdict}: ${countsText(summary)}.${breakText(summary)}`,
      `The signatures' arithmetic was done by the backend ${backend}.`
    ]
      .join("\n")
      .concat("\n")
})

const MARKS = { valid: "✓", unconfirmed: "–", invalid: "✗" } as const

const commitLine = ({ blockNumber, logIndex, number, recorder, report, status, txHash }: CommitFinding): string => {
  const signer = report?.signer ?? null
  const who = signer === null ? "" : `  signed by ${printable(report?.signerName ?? signer)}`
  const time = report?.time == null ? "" : `  ${report.time}`
  return `${status}  ${String(number).padStart(3)}  block ${blockNumber}, log ${logIndex}  ${txHash}  by ${recorder}${who}${time}`
}

const INDENT = "        "

const problemLines = ({ actual, at, code, expected }: HistoryProblem): ReadonlyArray<string> => [
  `${INDENT}${HISTORY_CODES[code].meaning} [${code}] at ${printable(at)}`,
  ...(expected === null ? [] : [`${INDENT}  expected  ${printable(expected)}`]),
  ...(actual === null ? [] : [`${INDENT}  actual    ${printable(actual)}`])
]

const reportLines = (report: Report | null): ReadonlyArray<string> =>
  report === null || report.verdict === "valid"
    ? []
    : report.checks.flatMap(({ code }) =>
        code === "ok" || CODES[code].leadsTo === "nothing" ? [] : [`${INDENT}${CODES[code].meaning} [${code}]`]
      )

const countsText = ({ bad, commits, good, notChecked, unconfirmed }: HistorySummary): string => {
  const parts = [
    [good, "good"],
    [unconfirmed, "unconfirmed"],
    [bad, "bad"],
    [notChecked, "without a proof"]
  ] as const
  const told = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return commits === 0
    ? "no commit could be checked"
    : `${commits} ${commits === 1 ? "commit" : "commits"}: ${told.join(", ")}`
}

const breakText = ({ breaksAt, commits }: HistorySummary): string =>
  breaksAt === null ? "" : ` The first that is not good is number ${breaksAt} of ${commits}.`
