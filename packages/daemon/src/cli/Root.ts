/** The root command with the flags every command shares, and how a command runs against the daemon. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Admin } from "./Admin.ts"
import { explain } from "./Failures.ts"

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
  Command.withDescription(
    `Treemark: a history for every asset, that anybody can check offline

  Exit codes: 0 done, 1 refused or failed, 64 wrong command line, 69 the daemon or its store cannot be used,
  78 settings that cannot be used. Errors go to standard error; with --json also as {"error":{"code","message"}}.
  Settings: TREEMARK_* variables and the file treemark.toml in the data folder.`
  ),
  Command.withExamples([
    { command: "treemarkd start", description: "Run the daemon, with ledgers of its own" },
    { command: "treemarkd account create --name studio --credits 5", description: "Somebody who may call it" },
    { command: "treemarkd asset register photo.jpg", description: "Something to commit" },
    { command: "source <(treemarkd completion bash)", description: "Completions for the shell" }
  ])
)

/** The shared flags as a command reads them. */
export const sharedFlags = Effect.map(root, ({ home, json }) => ({ home: Option.getOrUndefined(home), json }))

interface Failure {
  readonly _tag: string
  readonly message: string
}
type Work<A, E, R> = (admin: Admin["Service"], flags: { readonly json: boolean }) => Effect.Effect<A, E, R>

/** Runs `work` against the running daemon, or against the store itself when none runs; failures become a `CommandFailed`. */
export const withAdmin = Effect.fnUntraced(function* <A, E extends Failure, R>(work: Work<A, E, R>) {
  const { home, json } = yield* sharedFlags
  return yield* Effect.flatMap(Admin, (admin) => work(admin, { json })).pipe(Effect.provide(Admin.layer(home)))
}, Effect.mapError(explain))

/** Like {@link withAdmin}, but only against a running daemon. */
export const withRunningDaemon = Effect.fnUntraced(function* <A, E extends Failure, R>(work: Work<A, E, R>) {
  const { home, json } = yield* sharedFlags
  return yield* Effect.flatMap(Admin, (admin) => work(admin, { json })).pipe(Effect.provide(Admin.layerRunning(home)))
}, Effect.mapError(explain))
