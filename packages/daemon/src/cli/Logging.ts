/** Logs are lines on standard error: standard output belongs to results. What cannot be written is lost, and counted. */
import { Effect, Layer, Logger, References } from "effect"
import { Settings } from "../Settings.ts"
import { formats, type LogFormat } from "../telemetry/LogFormats.ts"
import { makeLogLines } from "../telemetry/LogLines.ts"
import { logLinesLost, note } from "../telemetry/Metrics.ts"
import { noteLine } from "../telemetry/RecentLines.ts"

const STANDARD_ERROR = 2

const missing = (format: LogFormat) => (lines: number, reason: string) => {
  const message = `${lines} log ${lines === 1 ? "line is" : "lines are"} missing here: standard error could not be written (${reason}).`
  const timestamp = new Date().toISOString()
  return format === "json"
    ? JSON.stringify({ timestamp, level: "WARN", message })
    : `timestamp=${timestamp} level=WARN message=${JSON.stringify(message)}`
}

const toStandardError = (format: LogFormat) => {
  const lines = makeLogLines({
    descriptor: STANDARD_ERROR,
    onLost: () => note(logLinesLost, 1),
    missing: missing(format)
  })
  process.once("exit", lines.flush)
  const write = (line: string) => {
    noteLine(line)
    lines.write(line)
  }
  return Logger.layer([Logger.map(formats[format], write)])
}

/** Key=value lines, for whoever has no settings yet. */
export const logToStandardError = Layer.suspend(() => toStandardError("logfmt"))

/** Format and least level, as the settings ask for them. */
export const logging = Layer.unwrap(
  Effect.map(Settings, ({ logFormat, logLevel }) =>
    Layer.merge(
      Layer.succeed(References.MinimumLogLevel, logLevel),
      logFormat === "logfmt" ? Layer.empty : toStandardError(logFormat)
    )
  )
)

let isGuarded = false

/**
 * Whatever else writes to standard output or standard error (results, warnings of Node, workers) may find its reader gone or its disk
 * full: without a listener Node ends the process for it.
 */
export const outliveOutputs = Effect.sync(() => {
  if (isGuarded) return
  isGuarded = true
  process.stdout.on("error", () => undefined)
  process.stderr.on("error", () => note(logLinesLost, 1))
})
