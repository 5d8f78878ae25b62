/**
 * Times that are asserted, on a machine that may be busy with other things: work is measured by the processor's time, and waiting by the
 * quickest of a few tries, as a busy machine delays some of them, and what waits by itself waits in all.
 */
import { Effect } from "effect"

/** Milliseconds of the processor that this process has spent so far. */
export const processorTime = (): number => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1_000
}

const TRIES = 5

/** The least of what a few tries answer; the first that is below `enough` is the last. */
export const leastOf = Effect.fnUntraced(function* <E, R>(enough: number, once: Effect.Effect<number, E, R>) {
  let least = Number.POSITIVE_INFINITY
  for (let left = TRIES; left > 0 && least >= enough; left--) least = Math.min(least, yield* once)
  return least
})
