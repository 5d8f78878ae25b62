/** The program `treemarkd`: the command tree is the file tree here. Failures end as a `CommandFailed`, told by then. */
import { Cause, Console, Effect, Layer, Stdio } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { accountCommand } from "./account.ts"
import { addCommand } from "./add.ts"
import { assetCommand } from "./asset.ts"
import { auditCommand } from "./audit.ts"
import { backupCommand, restoreCommand } from "./backup.ts"
import { balanceCommand } from "./balance.ts"
import { checkpointCommand } from "./checkpoint.ts"
import { commitCommand } from "./commit.ts"
import { completionCommand, manualCommand } from "./completion.ts"
import { diffCommand } from "./diff.ts"
import { exportCommand } from "./export.ts"
import { explainUsage, report } from "./Failures.ts"
import { logToStandardError } from "./Logging.ts"
import { logCommand } from "./log.ts"
import { migrateCommand } from "./migrate.ts"
import { openCommand } from "./open.ts"
import { pairCommand } from "./pair.ts"
import { proofCommand } from "./proof.ts"
import { root } from "./Root.ts"
import { serviceCommand } from "./service.ts"
import { isServing, startCommand } from "./start.ts"
import { statusCommand, stopCommand } from "./status.ts"
import { walletCommand } from "./wallet.ts"
import { watchAuthorCommand } from "./watchAuthor.ts"

/** Help that was asked for goes to standard output; the one for a command line without a command to standard error. */
const presenter = CliOutput.layerPresenter({
  present: (event) => {
    if (event._tag === "InvalidInvocation") return Effect.void
    if (event._tag === "Version" || event.reason === "Requested") return CliOutput.defaultPresenter.present(event)
    return Console.error(CliOutput.defaultFormatter({ colors: false }).formatHelpDoc(event.helpDoc))
  }
})

const builtIns = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

/** Read before the command line is parsed, so that a wrong one is told as JSON too. */
const wantsJson = Effect.map(
  Effect.flatMap(Stdio.Stdio, (stdio) => stdio.args),
  (args) => args.slice(0, args.includes("--") ? args.indexOf("--") : undefined).includes("--json")
)

/** What completions and the manual are written from, themselves included. */
export const allCommands = (): Command.Command.Any => whole

const whole = root.pipe(
  Command.withSubcommands([
    startCommand,
    serviceCommand,
    statusCommand,
    stopCommand,
    openCommand,
    pairCommand,
    accountCommand,
    walletCommand,
    assetCommand,
    addCommand,
    balanceCommand,
    commitCommand,
    proofCommand,
    logCommand,
    watchAuthorCommand,
    diffCommand,
    auditCommand,
    backupCommand,
    restoreCommand,
    migrateCommand,
    exportCommand,
    checkpointCommand,
    completionCommand(allCommands),
    manualCommand(allCommands)
  ])
)

export const program = whole.pipe(
  Command.run({ version: packageJson.version }),
  Effect.catchTag("ShowHelp", (help) => Effect.fail(explainUsage(help))),
  Effect.tapCause((cause) =>
    isServing() && Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Effect.flatMap(wantsJson, (json) => report(cause, json))
  ),
  Effect.provide(Layer.mergeAll(presenter, builtIns, logToStandardError))
)
