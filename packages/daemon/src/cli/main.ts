/** `treemarkd`: the command tree is the file tree here. Errors go to standard error, and the exit code says what kind it was. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Layer, Runtime } from "effect"
import { CliError, Command } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { accountCommand } from "./account.ts"
import { assetCommand } from "./asset.ts"
import { balanceCommand } from "./balance.ts"
import { commitCommand } from "./commit.ts"
import { CommandFailed, EXIT, presenter } from "./Output.ts"
import { proofCommand } from "./proof.ts"
import { root } from "./Root.ts"
import { startCommand } from "./start.ts"
import { statusCommand, stopCommand } from "./status.ts"
import { walletCommand } from "./wallet.ts"

const program = root.pipe(
  Command.withSubcommands([
    startCommand,
    statusCommand,
    stopCommand,
    accountCommand,
    walletCommand,
    assetCommand,
    balanceCommand,
    commitCommand,
    proofCommand
  ]),
  Command.run({ version: packageJson.version }),
  Effect.catchTag("ShowHelp", (help) =>
    help.errors.length === 0
      ? Effect.void
      : Effect.fail(new CommandFailed({ code: "usage", message: "", exitCode: EXIT.usage }))
  ),
  Effect.tapError((error) => {
    const message = CliError.getUserMessage(error) ?? error.message
    return message === "" ? Effect.void : Console.error(message)
  }),
  Effect.provide(Layer.mergeAll(NodeServices.layer, presenter))
)

/** A daemon told to stop by a signal has done its work: 0, not 130. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

NodeRuntime.runMain(program, { disableErrorReporting: true, teardown })
