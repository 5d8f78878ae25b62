/** How a log entry reads: as key=value pairs (logfmt), or as one JSON object a line for programs. Times are ISO 8601 in UTC. */
import { Array as Arr, Cause, Context, Logger, Option, Tracer } from "effect"

export type LogFormat = "logfmt" | "json"

type Entry = Logger.Options<unknown>

/**
 * One message and one cause, however it was logged: errors beside the text go to the cause, so that `message` stands once in a line and a
 * reader of key=value pairs does not take the last for the only one.
 */
const oneMessage = (entry: Entry): Entry => {
  const parts = Arr.ensure(entry.message)
  const errors = parts.filter((part) => part instanceof Error)
  const texts = parts.filter((part) => !(part instanceof Error))
  const told = texts.length === 0 ? errors.map(({ message }) => message) : texts
  return {
    ...entry,
    message:
      told.length === 1
        ? told[0]
        : told.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" "),
    cause: errors.reduce((all, error) => Cause.combine(all, Cause.fail(error)), entry.cause)
  }
}

const logfmt = Logger.make<unknown, string>((entry) => Logger.formatLogFmt.log(oneMessage(entry)))

/** Annotations stand beside the rest; none takes the place of a name that is always there. */
const json = Logger.make<unknown, string>((entry) => {
  const { annotations, cause, fiberId, level, message, spans, timestamp } = Logger.formatStructured.log(
    oneMessage(entry)
  )
  const span = Option.filter(Context.getOption(entry.fiber.context, Tracer.ParentSpan), ({ sampled }) => sampled)
  return JSON.stringify({
    ...annotations,
    timestamp,
    level,
    message,
    ...(cause === undefined ? {} : { cause }),
    ...(Object.keys(spans).length === 0 ? {} : { spans }),
    ...Option.match(span, { onNone: () => ({}), onSome: ({ spanId, traceId }) => ({ traceId, spanId }) }),
    fiberId
  })
})

export const formats: { readonly [format in LogFormat]: Logger.Logger<unknown, string> } = { logfmt, json }
