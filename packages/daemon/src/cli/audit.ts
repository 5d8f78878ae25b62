/** `treemarkd audit`: books against jobs against ledger against content store. Exit code 1 when they disagree anywhere. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { AUDIT_CODES, type AuditReport } from "../keeping/AuditReport.ts"
import { CommandFailed, EXIT } from "./Failures.ts"
import { print } from "./Output.ts"
import { withAdmin } from "./Root.ts"

export const auditCommand = Command.make("audit", {}, () =>
  withAdmin(
    Effect.fnUntraced(function* ({ client }, { json }) {
      const report = yield* client.books.audit()
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
    { command: "treemarkd audit --json | jq .findings", description: "For scripts" }
  ])
)

const checkedText = ({ checked, clean }: AuditReport): string =>
  `${clean ? "Everything agrees" : "Looked at"}: entries ${checked.entries}, accounts ${checked.accounts}, holds ${checked.holds}, receipts ${checked.receipts}, commits ${checked.commits}, events on the ledger ${checked.events}, asset trees ${checked.trees}.`

const findingsText = ({ findings }: AuditReport): string =>
  findings.map(({ code, detail, subject }) => `${code}  ${subject}\n  ${AUDIT_CODES[code]} ${detail}`).join("\n")
