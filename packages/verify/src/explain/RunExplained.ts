/** The command for one proof with `--explain`: a file of its own in the release, so that nobody else loads what explains. */
import { explain } from "@treemark/core/verify"
import { readArguments } from "../Arguments.ts"
import { loadBackend } from "../backends/Backend.ts"
import { type Environment, runCli } from "../Cli.ts"
import { type Outcome, refused } from "../Outcome.ts"
import { UnusableInput } from "../UnusableInput.ts"
import { renderExplanations } from "./RenderExplanations.ts"

/** Runs the command, with the backend that it asks for, and explains its report. */
export const runExplained = async (args: ReadonlyArray<string>, environment: Environment): Promise<Outcome> => {
  const explaining: Environment = { ...environment, explaining: { explain, render: renderExplanations } }
  try {
    const command = readArguments(args)
    return command.command === "verify" && command.backend !== undefined
      ? runCli(args, { ...explaining, backend: await loadBackend(command.backend) })
      : runCli(args, explaining)
  } catch (error) {
    if (error instanceof UnusableInput) return refused(error, args.includes("--json"))
    throw error
  }
}
