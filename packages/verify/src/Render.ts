/** A report for a person: the verdict, who signed and whose work it is, then each check on a line with a mark. */
import { CHECKS, type Check, CODES, type Provenance, type Report, type Verdict } from "@treemark/core/verify"
import { printable } from "./Printable.ts"

type Paint = (text: string) => string

interface Colours {
  readonly good: Paint
  readonly bad: Paint
  readonly open: Paint
  readonly faint: Paint
  readonly strong: Paint
}

const plain: Paint = (text) => text
const ansi =
  (code: number): Paint =>
  (text) =>
    `\x1b[${code}m${text}\x1b[0m`

const colours = (isOn: boolean): Colours =>
  isOn
    ? { good: ansi(32), bad: ansi(31), open: ansi(33), faint: ansi(2), strong: ansi(1) }
    : { good: plain, bad: plain, open: plain, faint: plain, strong: plain }

/** The whole text, ending in a line break. `colour`: for a terminal that shows it. */
export const render = (report: Report, options: { readonly colour: boolean }): string => {
  const paint = colours(options.colour)
  return `${[headline(report, paint), "", ...findings(report, paint), "", ...report.checks.flatMap((check) => checkLines(check, paint))].join("\n")}\n`
}

const MARKS: Record<Verdict, string> = { valid: "✓", unconfirmed: "–", invalid: "✗" }

const headline = (report: Report, paint: Colours): string => {
  const colour = { valid: paint.good, unconfirmed: paint.open, invalid: paint.bad }[report.verdict]
  return `${colour(paint.strong(`${MARKS[report.verdict]} ${report.verdict}`))}: ${reasonOf(report)}`
}

const reasonOf = (report: Report): string => {
  if (report.verdict === "valid") {
    const signer = signerText(report)
    return report.author === report.signer
      ? `signed by its author, ${signer}.`
      : `signed by ${signer}, whom you named. The author named in the file is ${report.author === null ? "nobody" : printable(report.author)}.`
  }
  const [first, ...others] = report.checks.flatMap(({ code }) =>
    code !== "ok" && CODES[code].leadsTo === report.verdict ? [CODES[code].meaning] : []
  )
  return `${first}${others.length === 0 ? "" : ` (and ${others.length} more below)`}`
}

const signerText = ({ signer, signerName }: Report): string =>
  signerName === null ? printable(String(signer)) : `${printable(signerName)} (${printable(String(signer))})`

const PROVENANCE: Record<Provenance, string> = {
  signed: "covered by the signature",
  ledger: "covered by the ledger",
  claimed: "as the file claims"
}

const findings = (report: Report, paint: Colours): ReadonlyArray<string> => {
  const { ledger, provenance } = report
  const place =
    ledger === null
      ? null
      : `${ledger.network} (chain ${ledger.chainId}), block ${ledger.blockNumber}, transaction ${ledger.txHash}${transactionNote(report)}`
  const rows: ReadonlyArray<readonly [string, string | null, string]> = [
    ["author", report.author, note(provenance.author)],
    ["signer", report.signer, report.signer === null ? "" : "found from the signature"],
    ...(report.signerName === null ? [] : [["name", report.signerName, "by your authors file"] as const]),
    ["committer", report.committer, note(provenance.committer)],
    ["asset", report.assetCid, note(provenance.assetCid)],
    ["tree", report.assetTreeCid, note(provenance.assetTreeCid)],
    ["checksum", report.assetTreeSha256, note(provenance.assetTreeSha256)],
    ["time", report.time, note(provenance.time)],
    ["ledger", place, note(provenance.ledger)]
  ]
  return rows.map(([label, value, remark]) =>
    value === null
      ? `  ${label.padEnd(10)} ${paint.faint("not told")}`
      : `  ${label.padEnd(10)} ${printable(value)}${remark === "" ? "" : `  ${paint.faint(remark)}`}`
  )
}

/** The ledger may cover the place, but not show the transaction's hash. */
const transactionNote = ({ checks, provenance }: Report): string =>
  provenance.ledger === "ledger" && checks.some(({ name, code }) => name === "ledger-transaction" && code !== "ok")
    ? " (that hash is as the file claims)"
    : ""

const note = (provenance: Provenance | null): string => (provenance === null ? "" : PROVENANCE[provenance])

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
