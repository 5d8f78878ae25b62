/** `treemarkd start`: the daemon in the foreground, one line with each address when it is ready, until SIGINT or SIGTERM. */
import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { RunningAddresses, serverLayer } from "../Server.ts"
import { SettingsError, layer as settingsLayer } from "../Settings.ts"
import { CommandFailed, EXIT } from "./Output.ts"
import { sharedFlags } from "./Root.ts"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

export const startCommand = Command.make(
  "start",
  {
    port: text("port", "PORT", "Port to listen on (default 7053; 0 picks a free one)"),
    host: text("host", "HOST", "Address to listen on (default 127.0.0.1)"),
    profile: text("profile", "NAME", "Networks to use: local (default), numbers, or one of the settings file"),
    publicUrl: text("public-url", "URL", "What readers elsewhere call this service"),
    listenBalanceMainnet: text("listen-balance-mainnet", "HOST:PORT", "A listener of its own for operation 1, at /"),
    listenBalanceAllNetworks: text("listen-balance-all-networks", "HOST:PORT", "The same for operation 2"),
    listenCommit: text("listen-commit", "HOST:PORT", "The same for operation 3")
  },
  (flags) =>
    Effect.gen(function* () {
      const { home, json } = yield* sharedFlags
      const given = Object.fromEntries(
        Object.entries({ ...flags, home: Option.fromUndefinedOr(home) }).flatMap(([name, value]) =>
          Option.isSome(value) ? [[name, value.value]] : []
        )
      )
      const ready = Layer.effectDiscard(
        Effect.gen(function* () {
          const addresses = yield* RunningAddresses
          if (json) return yield* Console.log(JSON.stringify({ addresses }))
          const line = Object.entries(addresses).map(([name, url]) => `${name} ${url}`)
          yield* Console.log(`Treemark is ready: ${line.join(" · ")}`)
        })
      )
      return yield* Layer.launch(ready.pipe(Layer.provide(serverLayer), Layer.provide(settingsLayer(given))))
    }).pipe(
      Effect.mapError(
        (error) =>
          new CommandFailed({
            code: error instanceof SettingsError ? "settings" : "unavailable",
            message: error instanceof Error ? error.message : String(error),
            exitCode: error instanceof SettingsError ? EXIT.settings : EXIT.unavailable
          })
      )
    )
).pipe(
  Command.withDescription("Run the daemon in the foreground"),
  Command.withExamples([
    { command: "treemarkd start", description: "On the local chains, at http://127.0.0.1:7053" },
    { command: "treemarkd start --profile numbers", description: "On the Numbers network: commits cost real tokens" }
  ])
)
