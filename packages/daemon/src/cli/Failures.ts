/**
 * How a command fails. Exit codes: 0 done, 1 refused or failed, 64 wrong command line, 69 the daemon or its store cannot be used,
 * 78 settings that cannot be used. The message goes to standard error; with `--json`, standard output gets one document
 * `{"error":{"code","message"}}`.
 */
import { Cause, Console, Effect, Option, type PlatformError, Runtime, Schema } from "effect"
import type { CliError } from "effect/cli"
import { HttpClientError } from "effect/http"
import { codeOf } from "../admin/AdminApi.ts"

export const EXIT = { failed: 1, usage: 64, unavailable: 69, settings: 78 } as const

/** A command ended without doing its work; `message` was written for the person who typed it. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  /** Stable; what scripts look at. */
  code: Schema.String,
  message: Schema.String,
  exitCode: Schema.Int,
  /** What standard output gets with `--json` instead of the error: a result that is bad news. */
  document: Schema.optionalKey(Schema.Json),
  /** What standard output gets with `--json` was told already: documents, one a line. */
  isTold: Schema.optionalKey(Schema.Boolean)
}) {
  override get [Runtime.errorExitCode](): number {
    return this.exitCode
  }
}

export const failed = (code: string, message: string): CommandFailed =>
  new CommandFailed({ code, message, exitCode: EXIT.failed })

/** Failures of the person's own input, and those of the settings; what is neither says that daemon or store cannot be used. */
const REFUSALS = new Set(["ExportRefused", "SeedExists", "SeedMismatch", "StoreNotCopied", "WordsInvalid"])
const SETTINGS = new Set(["SettingsError", "ProfileError"])

/** Any failure as the person is told it. */
export const explain = (error: { readonly _tag: string; readonly message: string }): CommandFailed => {
  if (error instanceof CommandFailed) return error
  const { _tag: tag, message } = error
  if ("code" in error && tag === "AdminRefused") return failed(String(error.code), message)
  if (HttpClientError.isHttpClientError(error)) return explainHttp(error)
  if (SETTINGS.has(tag)) return new CommandFailed({ code: "settings", message, exitCode: EXIT.settings })
  const exitCode = REFUSALS.has(tag) ? EXIT.failed : EXIT.unavailable
  return new CommandFailed({ code: codeOf(tag), message, exitCode })
}

/** A file that a command was given cannot be read. */
export const unreadable = (path: string, error: PlatformError.PlatformError): CommandFailed =>
  failed("unreadable", `${path} cannot be read: ${reasonOf(error)}.`)

/** A file that a command was to write cannot be written. */
export const unwritable = (path: string, error: PlatformError.PlatformError): CommandFailed =>
  failed("unwritable", `${path} cannot be written: ${reasonOf(error)}.`)

const reasonOf = ({ reason }: PlatformError.PlatformError): string => {
  if (reason._tag === "NotFound") return "there is no such file or folder"
  if (reason._tag === "PermissionDenied") return "this user may not do that"
  return reason.cause instanceof Error ? reason.cause.message : reason.message
}

const explainHttp = (error: HttpClientError.HttpClientError): CommandFailed =>
  "response" in error.reason && error.reason.response !== undefined
    ? failed(
        "internal",
        `The daemon answered with status ${error.reason.response.status}, which is a bug. Its log (standard error of treemarkd start) says more.`
      )
    : new CommandFailed({
        code: "unavailable",
        message: `The daemon stopped answering (${error.message}). See whether it still runs: treemarkd status.`,
        exitCode: EXIT.unavailable
      })

/** A wrong command line: what is wrong with it, and where its help is. */
export const explainUsage = ({ commandPath, errors }: CliError.ShowHelp): CommandFailed => {
  const command = commandPath.join(" ")
  const problems = errors.length === 0 ? [`${command} needs a subcommand.`] : errors.map(problemOf)
  const message = `${problems.join("\n")}\nHelp is at: ${command} --help`
  return new CommandFailed({ code: "usage", message, exitCode: EXIT.usage })
}

const problemOf = (error: CliError.NonShowHelpErrors): string => {
  if (error._tag !== "InvalidValue") return error.message
  const name = error.kind === "flag" ? `--${error.option}` : error.option
  return `${name} ${error.expected.replace(/^(?:Expected:? |Schema validation failed: )+/u, "")}, and "${error.value}" is not.`
}

const INTERRUPTED =
  "Stopped. What the daemon had begun for it may be done all the same: treemarkd log and account show tell. An add does only what is missing when it is run again."

/** Tells the person, and with `--json` the script, why the command ended. What nobody foresaw is told with its trace. */
export const report = Effect.fnUntraced(function* (
  cause: Cause.Cause<CliError.CliError | CommandFailed>,
  json: boolean
) {
  if (Cause.hasInterruptsOnly(cause)) return yield* Console.error(INTERRUPTED)
  const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
  const { code, document, isTold, message } =
    failure instanceof CommandFailed ? failure : failed("internal", `treemarkd has a bug: ${Cause.pretty(cause)}`)
  yield* Console.error(message)
  if (json && isTold !== true) yield* Console.log(JSON.stringify(document ?? { error: { code, message } }))
})
