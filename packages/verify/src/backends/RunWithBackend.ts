/** The command for one proof with `--backend`: a file of its own in the release, so that nobody else loads the backends. */
import { readArguments } from "../Arguments.ts"
import { type Environment, runCli } from "../Cli.ts"
import { type Outcome, refused } from "../Outcome.ts"
import { foreseen } from "../Unforeseen.ts"
import { loadBackend } from "./Backend.ts"

/** Runs the command with the backend that it asks for. One that does not run here is refused, never replaced in silence. */
export const runWithBackend = async (args: ReadonlyArray<string>, environment: Environment): Promise<Outcome> => {
  try {
    const command = readArguments(args)
    return command.command === "verify" && command.backend !== undefined
      ? runCli(args, { ...environment, backend: await loadBackend(command.backend) })
      : runCli(args, environment)
  } catch (error) {
    return refused(foreseen(error), args.includes("--json"))
  }
}
