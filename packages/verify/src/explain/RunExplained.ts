/** The command for one proof with `--explain`: a file of its own in the release, so that nobody else loads what explains. */
import { explain } from "@treemark/core/verify"
import { runWithBackend } from "../backends/RunWithBackend.ts"
import type { Environment } from "../Cli.ts"
import type { Outcome } from "../Outcome.ts"
import { renderExplanations } from "./RenderExplanations.ts"

/** Runs the command, with the backend that it asks for, and explains its report. */
export const runExplained = (args: ReadonlyArray<string>, environment: Environment): Promise<Outcome> =>
  runWithBackend(args, { ...environment, explaining: { explain, render: renderExplanations } })
