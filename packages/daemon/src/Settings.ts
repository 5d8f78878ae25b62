/**
 * Every setting of the daemon, read in one place: flags over environment (`TREEMARK_*`) over the TOML file
 * (`<home>/treemark.toml`, keys in snake_case) over the defaults here. Secrets are `Redacted`.
 */
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { Config, ConfigProvider, Context, Duration, Effect, FileSystem, Layer, Option, Schema } from "effect"
import { parse } from "smol-toml"

export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  source: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `The settings cannot be used (${this.source}): ${this.problem} Nothing was started; correct it and start again.`
  }
}

/** `host:port` of a listener of its own for one operation. */
const Listener = Schema.String.check(
  Schema.isPattern(/^.+:\d{1,5}$/u, { message: 'must be host:port, such as "127.0.0.1:7061"' })
)

const list = (name: string) =>
  Config.String(name).pipe(
    Config.withDefault(""),
    Config.map((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "")
    )
  )

const settings = {
  /** Which networks are used: `local`, `numbers`, or a table `[profiles.NAME]` of the file. */
  profile: Config.NonEmptyString("profile").pipe(Config.withDefault("local")),
  host: Config.NonEmptyString("host").pipe(Config.withDefault("127.0.0.1")),
  /** 0 picks a free port. */
  port: Config.schema(
    Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 65535 })),
    "port"
  ).pipe(Config.withDefault(7053)),
  /** What readers elsewhere call this service; it goes into `actionResult`. Default: the listener's own address. */
  publicUrl: Config.option(Config.URL("publicUrl")),
  listenBalanceMainnet: Config.option(Config.schema(Listener, "listenBalanceMainnet")),
  listenBalanceAllNetworks: Config.option(Config.schema(Listener, "listenBalanceAllNetworks")),
  listenCommit: Config.option(Config.schema(Listener, "listenCommit")),
  /** Further `Host` names and `Origin`s that are served, comma-separated; loopback always is. */
  allowedHosts: list("allowedHosts"),
  allowedOrigins: list("allowedOrigins"),
  /** Opens the encrypted seed; without it a key file beside the seed does. */
  seedPassword: Config.option(Config.Redacted("seedPassword")),
  /** Who provides the service, as commit records name it. */
  provider: Config.NonEmptyString("provider").pipe(Config.withDefault("Treemark")),
  commitTimeout: Config.Duration("commitTimeout").pipe(Config.withDefault(Duration.seconds(30))),
  rpcTimeout: Config.Duration("rpcTimeout").pipe(Config.withDefault(Duration.seconds(10))),
  /** Gwei per unit of gas above which no commit is sent. */
  maxFeeGwei: Config.Int("maxFeeGwei").pipe(Config.withDefault(1_000)),
  databaseUrl: Config.option(Config.Redacted("databaseUrl")),
  logLevel: Config.LogLevel("logLevel").pipe(Config.withDefault("Info" as const))
}

type Values = { readonly [K in keyof typeof settings]: Config.Success<(typeof settings)[K]> }

export class Settings extends Context.Service<
  Settings,
  Values & {
    /** The data folder, absolute; mode 0700. */
    readonly home: string
    /** Tables `[profiles.NAME]` of the file, as written; ledger/Networks decodes the one that is named. */
    readonly profiles: { readonly [name: string]: unknown }
  }
>()("@treemark/daemon/Settings") {}

export type Flags = { readonly [name in keyof Values]?: string } & { readonly home?: string }

/** The data folder: flag, `TREEMARK_HOME`, `$XDG_DATA_HOME/treemark`, else `~/.local/share/treemark`. */
export const homeFolder = (flag: string | undefined, environment: NodeJS.ProcessEnv = process.env): string => {
  const named = flag ?? environment.TREEMARK_HOME
  if (named !== undefined && named !== "") return resolve(named)
  const data = environment.XDG_DATA_HOME
  return join(data === undefined || data === "" ? join(homedir(), ".local", "share") : resolve(data), "treemark")
}

/** Reads the settings; `flags` carry what the command line said, as text. */
export const layer = (flags: Flags, environment: NodeJS.ProcessEnv = process.env) =>
  Layer.effect(
    Settings,
    Effect.gen(function* () {
      const home = homeFolder(flags.home, environment)
      const path = join(home, "treemark.toml")
      const file = yield* readToml(path)
      const provider = ConfigProvider.fromUnknown(flags).pipe(
        ConfigProvider.orElse(
          ConfigProvider.fromUnknown(environment).pipe(
            ConfigProvider.mapInput((names) => [
              `TREEMARK_${names
                .map((name) => snakeCase(String(name)))
                .join("_")
                .toUpperCase()}`
            ])
          )
        ),
        ConfigProvider.orElse(
          ConfigProvider.fromUnknown(file).pipe(
            ConfigProvider.mapInput((names) => names.map((name) => (typeof name === "string" ? snakeCase(name) : name)))
          )
        )
      )
      const values = yield* Config.all(settings)
        .parse(provider)
        .pipe(
          Effect.mapError(
            (error) => new SettingsError({ source: `flags, TREEMARK_* or ${path}`, problem: error.message })
          )
        )
      if (Option.isSome(values.databaseUrl)) {
        return yield* new SettingsError({
          source: "TREEMARK_DATABASE_URL",
          problem: "this version keeps its books in the embedded SQLite file only; unset the database URL."
        })
      }
      return Settings.of({ ...values, home, profiles: tableOf(file.profiles) })
    })
  )

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const tableOf = (value: unknown): { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null ? { ...value } : {}

const readToml = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* files.readFileString(path).pipe(
    Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed("")),
    Effect.mapError(
      (error) => new SettingsError({ source: path, problem: `the file cannot be read: ${error.message}` })
    )
  )
  const table = yield* Effect.try({
    try: () => tableOf(parse(text)),
    catch: (error) => new SettingsError({ source: path, problem: `it is not TOML: ${String(error)}` })
  })
  const known = new Set([...Object.keys(settings).map(snakeCase), "profiles"])
  const unknown = Object.keys(table).filter((key) => !known.has(key))
  if (unknown.length > 0) {
    return yield* new SettingsError({
      source: path,
      problem: `unknown ${unknown.length === 1 ? "key" : "keys"} ${unknown.join(", ")}; the keys are ${[...known].sort().join(", ")}.`
    })
  }
  return table
})
