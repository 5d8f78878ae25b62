/**
 * One answer for all who ask the same at the same time. Whoever asks while it is being looked up shares the *next* look, with all others
 * who do: so nobody is told what was true before they asked, and a crowd costs two looks. A look that nobody waits for any more ends.
 */
import { Deferred, Effect, type Exit, Fiber } from "effect"

interface Round<A, E> {
  readonly answer: Deferred.Deferred<A, E>
  readonly look: Effect.Effect<A, E>
  waiting: number
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

interface Asked<A, E> {
  now: Round<A, E>
  next: Round<A, E> | undefined
}

export interface Shared<A, E> {
  /** `isShared`: the answer was looked up for somebody else as well. */
  readonly ask: (
    key: string,
    look: Effect.Effect<A, E>
  ) => Effect.Effect<{ readonly value: A; readonly isShared: boolean }, E>
}

export const makeShared = <A, E>(): Shared<A, E> => {
  const asked = new Map<string, Asked<A, E>>()

  const newRound = (look: Effect.Effect<A, E>): Round<A, E> => ({
    answer: Deferred.makeUnsafe(),
    look,
    waiting: 0,
    fiber: undefined
  })

  const start = (key: string, round: Round<A, E>): Effect.Effect<void> =>
    round.look.pipe(
      Effect.onExit((exit) => ended(key, round, exit)),
      (looking) => Effect.forkDetach(looking, { startImmediately: true }),
      Effect.flatMap((fiber) =>
        Effect.sync(() => {
          round.fiber = fiber
        })
      )
    )

  const ended = (key: string, round: Round<A, E>, exit: Exit.Exit<A, E>): Effect.Effect<void> =>
    Effect.suspend(() => {
      Deferred.doneUnsafe(round.answer, exit)
      const state = asked.get(key)
      if (state?.now !== round) return Effect.void
      const { next } = state
      if (next === undefined || next.waiting === 0) {
        asked.delete(key)
        return Effect.void
      }
      asked.set(key, { now: next, next: undefined })
      return start(key, next)
    })

  return {
    ask: (key, look) =>
      Effect.suspend(() => {
        const state = asked.get(key)
        const round = state?.next ?? newRound(look)
        if (state === undefined) asked.set(key, { now: round, next: undefined })
        else state.next = round
        round.waiting++
        const isFirst = round.waiting === 1
        const begun = state === undefined ? start(key, round) : Effect.void
        const leave = Effect.suspend(() => {
          round.waiting--
          return round.waiting === 0 && round.fiber !== undefined ? Fiber.interrupt(round.fiber) : Effect.void
        })
        return Effect.andThen(begun, Deferred.await(round.answer)).pipe(
          Effect.map((value) => ({ value, isShared: !isFirst })),
          Effect.onInterrupt(() => leave)
        )
      })
  }
}
