/** `treemarkd start`: the daemon in the foreground, one line with each address when it is ready, until it is told to stop. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { layer as settingsLayer } from "../Settings.ts"
import { explain } from "./Failures.ts"
import { logging, outliveOutputs } from "./Logging.ts"
import { sharedFlags } from "./Root.ts"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

let serving = false

/** Whether this process is a daemon: the only command that ends well when a signal ends it. */
export const isServing = (): boolean => serving

export const startCommand = Command.make(
  "start",
  {
    port: text("port", "PORT", "Port to listen on (default 7053; 0 picks a free one)"),
    host: text("host", "HOST", "Address to listen on (default 127.0.0.1)"),
    profile: text("profile", "NAME", "Networks to use: local (default), numbers, or one of the settings file"),
    publicUrl: text("public-url", "URL", "What readers elsewhere call this service"),
    listenBalanceMainnet: text("listen-balance-mainnet", "HOST:PORT", "A listener of its own for operation 1, at /"),
    listenBalanceAllNetworks: text("listen-balance-all-networks", "HOST:PORT", "The same for operation 2"),
    listenCommit: text("listen-commit", "HOST:PORT", "The same for operation 3"),
    logLevel: text("log-level", "LEVEL", "Least level of what is logged: Debug, Info (default), Warn, Error, None"),
    shutdownGrace: text("shutdown-grace", "DURATION", "How long what is in flight may take at the end (default 10 s)"),
    logFormat: text("log-format", "FORMAT", "logfmt (default: key=value) or json, a line each on standard error")
  },
  (flags) =>
    Effect.gen(function* () {
      serving = true
      const { home, json } = yield* sharedFlags
      const given = Object.fromEntries(
        Object.entries({ ...flags, home: Option.fromUndefinedOr(home) }).flatMap(([name, value]) =>
          Option.isSome(value) ? [[name, value.value]] : []
        )
      )
      yield* outliveOutputs
      // What serves is loaded by this command alone.
      const { serve } = yield* Effect.promise(() => import("./Serve.ts"))
      yield* serve(json).pipe(Effect.provide(logging), Effect.provide(settingsLayer(given)))
    }).pipe(Effect.mapError(explain))
).pipe(
  Command.withDescription("Run the daemon in the foreground, until Ctrl-C, SIGTERM or treemarkd stop"),
  Command.withExamples([
    { command: "treemarkd start", description: "On the local chains, at http://127.0.0.1:7053" },
    { command: "treemarkd start --port 0 --json", description: "On a free port, told as JSON" },
    { command: "treemarkd start --profile numbers", description: "On the Numbers network: commits cost real tokens" }
  ])
)
