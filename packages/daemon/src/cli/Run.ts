/** Runs the whole of `treemarkd`. The exit code says how it ended (`Failures.ts`). */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Effect, Exit, Runtime } from "effect"
import { program } from "./Program.ts"
import { isServing } from "./start.ts"

/** A daemon told to stop by a signal has done its work: 0, not 130. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  isServing() && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? onExit(0)
    : Runtime.defaultTeardown(exit, onExit)

/** Spans name the steps for whoever embeds core with a tracer of their own. Nobody collects them here, and each costs. */
const main = Effect.withTracerEnabled(Effect.provide(program, NodeServices.layer), false)

NodeRuntime.runMain(main, { disableErrorReporting: true, teardown })
