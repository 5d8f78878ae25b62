/**
 * `treemark-verify statement FILE`: checks a statement of an account offline. Exit codes as for proofs: 0 everything holds, 1 something
 * does not, 2 unusable input or command line.
 */
import { parseArgs } from "node:util"
import {
  isAddressText,
  STATEMENT_CHECKS,
  STATEMENT_CODES,
  STATEMENT_LIMIT,
  type StatementBalance,
  type StatementCheck,
  type StatementReport
} from "@treemark/core/verify"
import { checkStatement } from "./CheckStatement.ts"
import { readBounded } from "./Inputs.ts"
import { type Outcome, refused } from "./Outcome.ts"
import { printable, printableJson } from "./Printable.ts"
import { foreseen } from "./Unforeseen.ts"
import { UnusableInput } from "./UnusableInput.ts"

const HELP = `treemark-verify statement checks a statement of an account, offline: the receipts, their chain and the sums.

Usage
  treemark-verify statement FILE        a statement, from treemarkd account statement --json or GET /account/statement
FILE may be - for standard input.

Options
  --service 0x…   whose statement you expect: the address of the service's wallet
  --json          print the report as JSON, and nothing else
  -h, --help      print this text

Exit codes
  0  valid     everything holds
  1  invalid   something does not hold
  2  unusable  the file or the command line cannot be used
`

/** Runs the command; `args` are those after `statement`. */
export const runStatement = (args: ReadonlyArray<string>): Outcome => {
  try {
    return { ...checked(args), stderr: "" }
  } catch (error) {
    return refused(foreseen(error), args.includes("--json"))
  }
}

const checked = (args: ReadonlyArray<string>): { readonly stdout: string; readonly exitCode: 0 | 1 } => {
  const { positionals, values } = parse(args)
  if (values.help === true) return { stdout: HELP, exitCode: 0 }
  const [file] = positionals
  if (file === undefined || positionals.length > 1) {
    throw usage(`One statement is checked at a time; these are ${positionals.length}.`)
  }
  if (values.service !== undefined && !isAddressText(values.service)) {
    throw usage(`--service is an address: 0x and 40 hex digits; this is "${values.service}".`)
  }
  const report = checkStatement(readBounded(file, STATEMENT_LIMIT, "a statement"), { service: values.service })
  return {
    stdout: values.json === true ? `${printableJson(report)}\n` : render(report),
    exitCode: report.verdict === "valid" ? 0 : 1
  }
}

const parse = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...args],
      options: { service: { type: "string" }, json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
      strict: true
    })
  } catch (error) {
    throw usage(`${error instanceof Error ? error.message : String(error)}.`.replace(/\.+$/, "."))
  }
}

const usage = (message: string): UnusableInput =>
  new UnusableInput("usage", `${message} See treemark-verify statement --help.`)

/** The report for a person: the verdict, the account and its balances, then each check on a line with a mark. */
const render = (report: StatementReport): string => {
  const { account, service } = report
  const failed = report.checks.filter(({ outcome }) => outcome === "fail")
  const headline =
    failed.length === 0
      ? `✓ valid: ${report.receipts} receipts and ${report.movements} movements hold together.`
      : `✗ invalid: ${failed.map(({ code }) => (code === "ok" ? "" : STATEMENT_CODES[code].meaning)).join(" ")}`
  const facts = [
    ["account", `${printable(account.name)} (${printable(account.id)})`],
    ["wallet", printable(account.wallet)],
    ["service", `${service}  which signed`],
    ["period", `${report.from} to ${report.to}`],
    ["opening", balanceText(report.opening)],
    ["closing", balanceText(report.closing)]
  ]
  const lines = facts.map(([label = "", value]) => `  ${label.padEnd(10)} ${value}`)
  return `${[headline, "", ...lines, "", ...report.checks.flatMap(checkLines)].join("\n")}\n`
}

const balanceText = ({ credits, owed }: StatementBalance): string => `${credits} credits, ${owed} owed by the wallet`

const NAME_WIDTH = Math.max(...Object.keys(STATEMENT_CHECKS).map((name) => name.length))

const checkLines = ({
  name,
  outcome,
  code,
  path,
  expected,
  actual,
  failures
}: StatementCheck): ReadonlyArray<string> => {
  const label = name.padEnd(NAME_WIDTH)
  if (code === "ok") return [`  ✓ ${label}  ${STATEMENT_CHECKS[name]}`]
  const { meaning } = STATEMENT_CODES[code]
  if (outcome === "skipped") return [`  – ${label}  ${meaning}`]
  const indent = " ".repeat(NAME_WIDTH + 6)
  const more = failures > 1 ? ` (the first of ${failures})` : ""
  return [
    `  ✗ ${label}  ${meaning} [${code}]`,
    `${indent}at        ${printable(path ?? "")}${more}`,
    ...(expected === null ? [] : [`${indent}expected  ${printable(expected)}`]),
    ...(actual === null ? [] : [`${indent}actual    ${printable(actual)}`])
  ]
}
