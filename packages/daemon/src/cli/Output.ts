/**
 * What commands print. Results go to standard output, as text for people or, with `--json`, as one JSON document; everything
 * else (progress, errors) goes to standard error. Exit codes: 0 done, 1 refused or failed, 64 wrong command line,
 * 69 the daemon or its store cannot be used, 78 settings that cannot be used.
 */
import { Console, Effect, Runtime, Schema } from "effect"
import { CliOutput } from "effect/cli"

export const EXIT = { failed: 1, usage: 64, unavailable: 69, settings: 78 } as const

/** A command ended without doing its work; `message` was written for the person who typed it. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  code: Schema.String,
  message: Schema.String,
  exitCode: Schema.Int
}) {
  override get [Runtime.errorExitCode](): number {
    return this.exitCode
  }
  override readonly [Runtime.errorReported] = false
}

export const failed = (code: string, message: string): CommandFailed =>
  new CommandFailed({ code, message, exitCode: EXIT.failed })

/** Prints `value` as JSON, or `text` for people. */
export const print = (json: boolean, value: unknown, text: string): Effect.Effect<void> =>
  Console.log(json ? JSON.stringify(value) : text)

/** Two columns, the left one padded: labels and values of one thing. */
export const facts = (rows: ReadonlyArray<readonly [label: string, value: string]>): string => {
  const width = Math.max(0, ...rows.map(([label]) => label.length))
  return rows.map(([label, value]) => `${label.padEnd(width)}  ${value}`).join("\n")
}

/** A table with a heading line; `empty` is printed instead when there are no rows. */
export const table = (
  heading: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  empty: string
): string => {
  if (rows.length === 0) return empty
  const all = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Help that was asked for goes to standard output; a wrong command line puts help and errors on standard error. */
export const presenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Effect.gen(function* () {
          const formatter = CliOutput.defaultFormatter({ colors: false })
          yield* Console.error(formatter.formatHelpDoc(event.helpDoc))
          yield* Console.error(formatter.formatErrors(event.errors))
        })
      : CliOutput.defaultPresenter.present(event)
})
