/** A verified history as text: for people a line a commit with its letter and what is wrong below it; as JSON one document, written as it comes. */
import { CODES, type Report } from "@treemark/core/verify"
import type { BackendName } from "../backends/BackendName.ts"
import { printable, printableLine } from "../Printable.ts"
import type { UnusableInput } from "../UnusableInput.ts"
import { HISTORY_CODES, type HistoryProblem } from "./HistoryCodes.ts"
import type { HistoryIndex } from "./HistoryIndex.ts"
import type { Recorders } from "./Recorders.ts"
import type { CommitFinding, HistorySummary } from "./VerifyHistory.ts"

/** What becomes of a history, part by part in this order. */
export interface HistoryText {
  readonly head: (index: HistoryIndex | undefined, recorders: Recorders) => string
  readonly commit: (finding: CommitFinding) => string
  readonly end: (strays: ReadonlyArray<HistoryProblem>, summary: HistorySummary, backend: BackendName) => string
  /** In the place of all that would follow: why it does not. */
  readonly broken: (error: UnusableInput) => string
}

/**
 * `{"assetCid", "network", "recorders", "commits": […], "problems": […], "summary": {…}}`, each commit on a line. When something fails on the way,
 * `error` stands in the place of the last two.
 */
export const jsonText = (): HistoryText => {
  let separator = ""
  const value = (of: unknown): string => printableLine(of).trimEnd()
  return {
    head: (index, { from, trusted }) =>
      `{"assetCid":${value(index?.assetCid ?? null)},"network":${value(index?.network ?? null)},"recorders":${value({ from, trusted })},"commits":[\n`,
    commit: (finding) => {
      const text = `${separator}${value(finding)}`
      separator = ",\n"
      return text
    },
    end: (strays, summary, backend) => `\n],"problems":${value(strays)},"summary":${value({ ...summary, backend })}}\n`,
    broken: ({ code, message, problems }) => `\n],"error":${value({ code, message, problems })}}\n`
  }
}

export const plainText = (): HistoryText => {
  const strangers = new Set<string>()
  return {
    head: (index, recorders) =>
      index === undefined
        ? ""
        : `asset ${printable(index.assetCid ?? "not told")}, chain ${index.network.chainId}, contract ${index.network.contract}\n${recordersText(recorders)}\n\n`,
    commit: (finding) => {
      const { answers, report } = finding
      if (answers?.who === "unknown" && report !== null) strangers.add(String(report.signer))
      return [
        commitLine(finding),
        ...actLine(finding),
        ...finding.problems.flatMap(problemLines),
        ...reportLines(finding.report)
      ]
        .join("\n")
        .concat("\n")
    },
    end: (strays, summary, backend) =>
      [
        ...strays.flatMap(problemLines),
        ...(strays.length === 0 ? [] : [""]),
        ...(strangers.size === 0 ? [] : ["", strangersText(strangers)]),
        `${summary.commits === 0 ? "" : "\n"}${summary.verdict === "valid" && strangers.size > 0 ? "…" : MARKS[summary.verdict]} ${summary.verdict}: ${countsText(summary)}.${breakText(summary)}`,
        `The signatures' arithmetic was done by the backend ${backend}.`
      ]
        .join("\n")
        .concat("\n"),
    broken: () => "\nThis history was not checked to its end.\n"
  }
}

const MARKS = { valid: "✓", unconfirmed: "–", invalid: "✗" } as const

const recordersText = ({ from, trusted }: Recorders): string =>
  from === "named"
    ? `recorders whose word you take: ${trusted.join(", ")}`
    : `recorder expected: ${trusted.join(", ")}, because it recorded the first commit; name whom you trust with --recorder`

/** A name that nobody confirmed is never a full success. */
const strangersText = (signers: ReadonlySet<string>): string => {
  const [first, second, third, ...others] = signers
  const shown = [first, second, third].flatMap((signer) => (signer === undefined ? [] : [printable(signer)]))
  const more = others.length === 0 ? "" : `, and ${others.length} more`
  return `You have not confirmed whose ${signers.size === 1 ? "key" : "keys"} signed: ${shown.join(", ")}${more}. Name whom you know with --author or --authors.`
}

const commitLine = ({ blockNumber, logIndex, number, recorder, report, status, txHash }: CommitFinding): string => {
  const signer = report?.signer ?? null
  const who = signer === null ? "" : `  signed by ${printable(report?.signerName ?? signer)}`
  const time = report?.time == null ? "" : `  ${report.time}${report.answers.when === "proven" ? "" : " (claimed)"}`
  return `${status}  ${String(number).padStart(3)}  block ${blockNumber}, log ${logIndex}  ${txHash}  by ${recorder}${who}${time}`
}

/** What was done, and, apart from whose work it is, who says so. */
const actLine = ({ act, status }: CommitFinding): ReadonlyArray<string> => {
  if (act === null) return []
  const { action, actionName, by, message } = act
  const name = actionName ?? action
  const isSaid = message !== null && message !== "" && message !== `Action ${actionName}.`
  const what = `${name === null ? "no action named" : printable(name)}${isSaid ? `: "${printable(message)}"` : ""}`
  if (by === "author") return [`${INDENT}${what} (the author signed this act)`]
  return [
    status === "R"
      ? `${INDENT}${what} (the word of ${act.recorder ?? "whoever recorded it"}: the author signed the tree, not this act)`
      : `${INDENT}${what} (the word of its recorder)`
  ]
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

const countsText = ({ bad, commits, good, notChecked, recorded, unconfirmed }: HistorySummary): string => {
  const parts = [
    [good, "good"],
    [recorded, "on a recorder's word"],
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
