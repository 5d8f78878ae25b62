/** Runs the whole of `treemarkd`. The exit code says how it ended (`Failures.ts`). */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Effect, Exit, Runtime } from "effect"
import { program } from "./Program.ts"
import { isServing } from "./start.ts"

/** What was written and its reader has not taken yet, which the end of the process would lose. */
const taken = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve()
    else stream.write("", () => resolve())
  })

/**
 * A daemon told to stop by a signal has done its work: 0, not 130. A command that failed ends when all it printed was taken; one that
 * somebody interrupts ends at once.
 */
const teardown: Runtime.Teardown = (exit, onExit) => {
  const isInterrupted = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
  if (isInterrupted && isServing()) return onExit(0)
  if (isInterrupted) return Runtime.defaultTeardown(exit, onExit)
  void Promise.all([taken(process.stdout), taken(process.stderr)]).then(() => Runtime.defaultTeardown(exit, onExit))
}

/** Spans name the steps for whoever embeds core with a tracer of their own. Nobody collects them here, and each costs. */
const main = Effect.withTracerEnabled(Effect.provide(program, NodeServices.layer), false)

NodeRuntime.runMain(main, { disableErrorReporting: true, teardown })
