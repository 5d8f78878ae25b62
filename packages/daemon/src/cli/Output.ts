/**
 * What commands print. Results go to standard output, as text for people or, with `--json`, as one JSON document; everything
 * else (progress, logs, errors) goes to standard error. How errors are told: `Failures.ts`.
 */
import { Console, type Effect } from "effect"

export { facts, table } from "./Text.ts"

/** Prints `value` as JSON, or `text` for people. */
export const print = (json: boolean, value: unknown, text: string): Effect.Effect<void> =>
  Console.log(json ? JSON.stringify(value) : text)
