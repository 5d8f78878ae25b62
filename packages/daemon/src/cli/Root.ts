/** The root command with the flags every command shares, and how a command runs against the daemon. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { AdminRefused } from "../admin/AdminApi.ts"
import { SettingsError } from "../Settings.ts"
import { Admin } from "./Admin.ts"
import { CommandFailed, EXIT, failed } from "./Output.ts"

export const root = Command.make("treemarkd").pipe(
  Command.withSharedFlags({
    home: Flag.String("home").pipe(
      Flag.withDescription("Data folder (default: TREEMARK_HOME, else ~/.local/share/treemark)"),
      Flag.withMetavar("DIR"),
      Flag.optional
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one JSON document on standard output, and nothing else"),
      Flag.withDefault(false),
      Flag.withoutNegation
    )
  }),
  Command.withDescription("Treemark: a history for every asset, that anybody can check offline")
)

/** The shared flags as a command reads them. */
export const sharedFlags = Effect.map(root, ({ home, json }) => ({ home: Option.getOrUndefined(home), json }))

/** Runs `work` against the running daemon, or against the store itself when none runs; failures become a `CommandFailed`. */
export const withAdmin = <A, E, R>(
  work: (admin: Admin["Service"], flags: { readonly json: boolean }) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const { home, json } = yield* sharedFlags
    return yield* Effect.gen(function* () {
      return yield* work(yield* Admin, { json })
    }).pipe(Effect.provide(Admin.layer(home)))
  }).pipe(Effect.mapError(explain))

/** Like {@link withAdmin}, but only against a running daemon. */
export const withRunningDaemon = <A, E, R>(
  work: (admin: Admin["Service"], flags: { readonly json: boolean }) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const { home, json } = yield* sharedFlags
    return yield* Effect.gen(function* () {
      return yield* work(yield* Admin, { json })
    }).pipe(Effect.provide(Admin.layerRunning(home)))
  }).pipe(Effect.mapError(explain))

const explain = (error: unknown): CommandFailed => {
  if (error instanceof CommandFailed) return error
  if (error instanceof AdminRefused) return failed(error.code, error.message)
  if (error instanceof SettingsError) {
    return new CommandFailed({ code: "settings", message: error.message, exitCode: EXIT.settings })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new CommandFailed({ code: "unavailable", message, exitCode: EXIT.unavailable })
}
