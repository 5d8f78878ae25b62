/**
 * Every setting of the daemon, read in one place: flags over environment (`TREEMARK_*`) over the TOML file
 * (`<home>/treemark.toml`, keys in snake_case) over the defaults here. Secrets are `Redacted`.
 */
import { dirname, join } from "node:path"
import { fieldProblems } from "@treemark/core"
import { ByteSize, Config, ConfigProvider, Context, Duration, Effect, FileSystem, Layer, Option, Schema } from "effect"
import { parse, TomlError } from "smol-toml"
import { homeFolder } from "./HomeFolder.ts"
import { MOST_COMMITTERS } from "./wallets/CommitterCount.ts"

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
  Schema.makeFilter(
    (text: string) =>
      (/^[^:\s]+:\d{1,5}$|^\[[^\]\s]+\]:\d{1,5}$/u.test(text) &&
        Number(text.slice(text.lastIndexOf(":") + 1)) <= 65_535) ||
      'must be host:port, such as "127.0.0.1:7061" or "[::1]:7061"'
  )
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

/** A whole number from `least` to `most`. */
const counted = (name: string, least: number, most: number) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter(
        (text: string) =>
          (/^\d{1,6}$/u.test(text) && Number(text) >= least && Number(text) <= most) ||
          `must be a whole number from ${least} to ${most}`
      )
    ).pipe(Schema.decodeTo(Schema.FiniteFromString)),
    name
  )

/** A number of bytes, with a unit or without; undefined for what is none. */
const sizeIn = (text: string): number | undefined => {
  const size = /^\d+$/u.test(text) ? Number(text) : Option.getOrUndefined(Option.map(ByteSize.fromString(text), Number))
  return Number.isSafeInteger(size) ? size : undefined
}

/** A size such as "100 GB" or "64 MiB", or a plain number of bytes. */
const sized = (name: string) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter(
        (text: string) => sizeIn(text) !== undefined || 'must be a size, such as "100 GB", or 0 for no limit'
      )
    ),
    name
  ).pipe(Config.map((text) => sizeIn(text) ?? 0))

const settings = {
  /** Which networks are used: `local`, `numbers`, or a table `[profiles.NAME]` of the file. */
  profile: Config.NonEmptyString("profile").pipe(Config.withDefault("local")),
  host: Config.NonEmptyString("host").pipe(Config.withDefault("127.0.0.1")),
  /** 0 picks a free port. */
  port: Config.schema(
    Schema.String.check(
      Schema.makeFilter(
        (text: string) =>
          (/^\d{1,5}$/u.test(text) && Number(text) <= 65_535) || "must be a port: a whole number from 0 to 65535"
      )
    ).pipe(Schema.decodeTo(Schema.FiniteFromString)),
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
  /** Blocks that must hold a commit or stand on top of it before it counts as made: 1 is its own block. Embedded chains: always 1. */
  confirmations: counted("confirmations", 1, 1_000).pipe(Config.withDefault(1)),
  /** For how many blocks a commit that counts as made is still looked after, lest its block falls out of the chain; 0: not at all. */
  watchBlocks: counted("watchBlocks", 0, 10_000).pipe(Config.withDefault(12)),
  /** After so many sends without a receipt a transaction is replaced by one with the same nonce and a higher fee. */
  replaceAfter: counted("replaceAfter", 1, 10_000).pipe(Config.withDefault(10)),
  /** Wallets that send commits; each has nonces and room for 16 transactions of its own. An asset's commits all go through one. */
  committers: counted("committers", 1, MOST_COMMITTERS).pipe(Config.withDefault(1)),
  /** A PostgreSQL database, `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, instead of the file `<home>/treemark.db`. */
  databaseUrl: Config.option(Config.Redacted("databaseUrl")),
  /** Connections this daemon opens to that database at most. */
  databaseConnections: Config.Int("databaseConnections").pipe(Config.withDefault(10)),
  /** The folder of the content, which daemons on one database share; default `<home>/blocks`. */
  contentFolder: Config.option(Config.NonEmptyString("contentFolder")),
  /** Content on S3-compatible storage, `https://ENDPOINT/BUCKET[/PREFIX]`, instead of the folder `<home>/blocks`. */
  contentUrl: Config.option(Config.NonEmptyString("contentUrl")),
  s3Region: Config.NonEmptyString("s3Region").pipe(Config.withDefault("us-east-1")),
  s3AccessKeyId: Config.option(Config.Redacted("s3AccessKeyId")),
  s3SecretAccessKey: Config.option(Config.Redacted("s3SecretAccessKey")),
  /** Bytes of files that each account may store over HTTP; 0: no limit. */
  storageQuota: sized("storageQuota").pipe(Config.withDefault(100_000_000_000)),
  /** The same for each token; 0: no limit but the account's. */
  tokenStorageQuota: sized("tokenStorageQuota").pipe(Config.withDefault(0)),
  logLevel: Config.LogLevel("logLevel").pipe(Config.withDefault("Info" as const)),
  /** A line of key=value pairs, or of JSON, for each log entry. */
  logFormat: Config.schema(Schema.Literals(["logfmt", "json"]), "logFormat").pipe(
    Config.withDefault("logfmt" as const)
  ),
  /** How long answers in flight may take once the daemon is told to stop; what takes longer is cut off, and is durable. */
  shutdownGrace: Config.Duration("shutdownGrace").pipe(Config.withDefault(Duration.seconds(10))),
  /** `host:port` of a listener for `GET /metrics` alone; without it metrics are on the administration socket only. */
  metricsAddress: Config.option(Config.schema(Listener, "metricsAddress")),
  /** Where spans are sent, OTLP over HTTP: the base address of a collector, such as `http://127.0.0.1:4318`. */
  otlpEndpoint: Config.option(Config.URL("otlpEndpoint"))
}

type Values = { readonly [K in keyof typeof settings]: Config.Success<(typeof settings)[K]> }

export class Settings extends Context.Service<
  Settings,
  Values & {
    /** The data folder, absolute; mode 0700. */
    readonly home: string
    /** Tables `[profiles.NAME]` of the file, as written; evm/Networks decodes the one that is named. */
    readonly profiles: { readonly [name: string]: unknown }
  }
>()("@treemark/daemon/Settings") {}

export type Flags = { readonly [name in keyof Values]?: string } & { readonly home?: string }

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
          ConfigProvider.fromUnknown(withoutEmpty(environment)).pipe(
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
            (error) => new SettingsError({ source: `flags, TREEMARK_* or ${path}`, problem: problemOf(error.cause) })
          )
        )
      return Settings.of({ ...values, home, profiles: tableOf(file.profiles) })
    })
  )

/** A variable that is set to nothing is one that is not set. */
const withoutEmpty = (environment: NodeJS.ProcessEnv): { readonly [name: string]: unknown } =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""))

/** What a setting must be, where its own schema does not say it. */
const EXPECTED: { readonly [name: string]: string } = {
  public_url: 'must be a URL, such as "https://assets.example.org"',
  commit_timeout: 'must be a duration, such as "30 seconds"',
  rpc_timeout: 'must be a duration, such as "10 seconds"',
  max_fee_gwei: "must be a whole number of gwei",
  database_connections: "must be a whole number of connections",
  shutdown_grace: 'must be a duration, such as "10 seconds"',
  otlp_endpoint: 'must be a URL, such as "http://127.0.0.1:4318"',
  log_format: "must be logfmt or json",
  log_level: "must be Debug, Info, Warn, Error, Fatal, All or None"
}

/** Each setting that is wrong, by the name it has in the file. */
const problemOf = (cause: Config.ConfigError["cause"]): string =>
  "issue" in cause
    ? fieldProblems(cause.issue)
        .map(({ path, message }) => [snakeCase(path.slice(1)), message] as const)
        .map(([name, message]) => `${name} ${EXPECTED[name] ?? message}.`)
        .join(" ")
    : `${cause.message}.`

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const tableOf = (value: unknown): { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null ? { ...value } : {}

/** The parser's error without the lines of the file that it quotes: they may hold a password. */
const reasonOf = (error: unknown): string =>
  error instanceof TomlError
    ? `line ${error.line}, column ${error.column}: ${error.message.split("\n")[0]?.replace("Invalid TOML document: ", "")}.`
    : String(error)

const readToml = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* files.readFileString(path).pipe(
    Effect.catchReasons("PlatformError", {
      NotFound: () => Effect.succeed(""),
      BadResource: () =>
        Effect.fail(
          new SettingsError({ source: "TREEMARK_HOME or --home", problem: `${dirname(path)} is not a folder.` })
        )
    }),
    Effect.mapError(
      (error) => new SettingsError({ source: path, problem: `the file cannot be read: ${error.message}` })
    )
  )
  const table = yield* Effect.try({
    try: () => tableOf(parse(text)),
    catch: (error) => new SettingsError({ source: path, problem: `it is not TOML: ${reasonOf(error)}` })
  })
  const known = new Set([...Object.keys(settings).map(snakeCase), "profiles"])
  const unknown = Object.keys(table).filter((key) => !known.has(key))
  if (unknown.length > 0) {
    return yield* new SettingsError({
      source: path,
      problem: `unknown ${unknown.length === 1 ? "key" : "keys"} ${unknown.join(", ")}; the keys are ${[...known].sort().join(", ")}.`
    })
  }
  const nested = Object.keys(table).filter((key) => key !== "profiles" && typeof scalar(table[key]) === "object")
  if (nested.length > 0) {
    return yield* new SettingsError({
      source: path,
      problem: `${nested.join(", ")} must be a single value, not a table.`
    })
  }
  return Object.fromEntries(
    Object.entries(table).map(([key, value]) => [key, key === "profiles" ? value : scalar(value)])
  )
})

/** A list may be written as an array, `["a", "b"]`, or as `"a,b"`, which is what a variable can hold. */
const scalar = (value: unknown): unknown =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? value.join(",") : value
