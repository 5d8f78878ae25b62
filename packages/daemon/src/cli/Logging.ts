/** Logs are lines of key=value on standard error: standard output belongs to results. */
import { Effect, Layer, Logger, References } from "effect"
import { Settings } from "../Settings.ts"

export const logToStandardError = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])

/** The level that the settings ask for. */
export const logLevel = Layer.effect(
  References.MinimumLogLevel,
  Effect.map(Settings, (settings) => settings.logLevel)
)
