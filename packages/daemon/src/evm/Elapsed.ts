/**
 * How long something has lasted, in milliseconds of a time that only goes forward: the machine's clock may be set back an hour, and then
 * nothing may wait for an hour, or forward, and then nothing may be given up for it.
 */
import { Clock, Effect } from "effect"

const NANOS_PER_MILLI = 1_000_000n

/** For differences only; it says nothing about the date. */
export const elapsedMillis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) =>
  Number(nanos / NANOS_PER_MILLI)
)
