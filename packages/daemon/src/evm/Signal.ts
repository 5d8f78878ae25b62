/** A nudge between fibers: who waits goes on when it is given, or when a time has passed. Nudges that nobody waits for add up to one. */
import { type Duration, Effect, Queue } from "effect"

export interface Signal {
  readonly give: Effect.Effect<void>
  /** Waits for the signal, or for `most` to pass. */
  readonly wait: (most: Duration.Input) => Effect.Effect<void>
}

export const makeSignal: Effect.Effect<Signal> = Effect.map(Queue.sliding<void>(1), (queue) => ({
  give: Effect.asVoid(Queue.offer(queue, undefined)),
  wait: (most) => Effect.asVoid(Effect.timeoutOption(Queue.take(queue), most))
}))
