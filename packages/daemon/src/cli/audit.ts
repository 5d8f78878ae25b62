/** `treemarkd audit`: books against jobs against ledger against content store. Exit code 1 when they disagree anywhere. */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { AUDIT_CODES, type AuditReport } from "../keeping/AuditReport.ts"
import { CommandFailed, EXIT } from "./Failures.ts"
import { print } from "./Output.ts"
import { withAdmin } from "./Root.ts"

const sample = Flag.Int("sample").pipe(
  Flag.withDescription(
    "Of the registered files, read only so many, drawn at random: for stores too large to read whole"
  ),
  Flag.filter(
    (count) => count >= 1,
    () => "--sample must be a whole number of files, 1 or more."
  ),
  Flag.optional
)

export const auditCommand = Command.make("audit", { sample }, (flags) =>
  withAdmin(
    Effect.fnUntraced(function* ({ client }, { json }) {
      const report = yield* client.books.audit({
        query: Option.match(flags.sample, { onNone: () => ({}), onSome: (count) => ({ sample: count }) })
      })
      if (report.clean) return yield* print(json, report, checkedText(report))
      if (!json) yield* Console.log(`${findingsText(report)}\n\n${checkedText(report)}`)
      return yield* new CommandFailed({
        code: "audit_disagrees",
        message: `The audit found ${report.findings.length} disagreement${report.findings.length === 1 ? "" : "s"}. Take a backup before anything is changed, and look at the newest first.`,
        exitCode: EXIT.failed,
        document: report
      })
    })
  )
).pipe(
  Command.withDescription(
    "Check books, jobs, ledger and content store against one another (exit code 1: they disagree)"
  ),
  Command.withExamples([
    { command: "treemarkd audit", description: "While the daemon runs, or without one" },
    { command: "treemarkd audit --sample 1000", description: "Read a thousand of the registered files instead of all" },
    { command: "treemarkd audit --json | jq .findings", description: "For scripts" }
  ])
)

const checkedText = ({ checked, clean, sampledFrom }: AuditReport): string =>
  `${clean ? "Everything agrees" : "Looked at"}: entries ${checked.entries}, accounts ${checked.accounts}, holds ${checked.holds}, receipts ${checked.receipts}, commits ${checked.commits}, events on the ledger ${checked.events}, asset trees ${checked.trees}, registered files ${checked.files} (${checked.blocks} blocks).${sampleText(checked.files, sampledFrom)}`

const sampleText = (files: number, sampledFrom: number | null): string =>
  sampledFrom === null
    ? ""
    : `\nA sample: ${files} of ${sampledFrom} registered files were read. The others may be damaged; leave --sample out to read all.`

const findingsText = ({ findings }: AuditReport): string =>
  findings
    .map(({ advice, code, detail, subject }) => `${code}  ${subject}\n  ${AUDIT_CODES[code]} ${detail}\n  ${advice}`)
    .join("\n")
