/**
 * Who waits here for which commit. One that is carried here is told of at once; what became of one that another daemon may be working on is
 * asked for: one question for all of them, twenty times a second while there are any. Polling, because not every engine that speaks
 * PostgreSQL's protocol can notify, nor does every pooler let it.
 */
import { Context, Deferred, Duration, Effect, type Exit } from "effect"
import { makeSignal } from "../evm/Signal.ts"
import type { CommitRow } from "./CommitRow.ts"
import { makeCommitRows } from "./CommitRows.ts"

/** How often the store is asked, and again after it did not answer. */
export const CommitPolling = Context.Reference("@treemark/daemon/commits/CommitPolling", {
  defaultValue: () => ({ look: Duration.millis(50), pause: Duration.millis(500) })
})

const IDLE = Duration.minutes(1)

interface Waiting<A, E> {
  readonly done: Deferred.Deferred<A, E>
  waiters: number
}

/** `endOf` a row that has ended; `isElsewhere` whether a commit may be carried by another daemon. */
export const makeCommitWaits = Effect.fnUntraced(function* <A, E>(
  endOf: (row: CommitRow) => Effect.Effect<A, E>,
  isElsewhere: (commitId: string) => boolean
) {
  const rows = yield* makeCommitRows
  const { look, pause } = yield* CommitPolling
  const signal = yield* makeSignal
  const waiting = new Map<string, Waiting<A, E>>()

  const tell = (commitId: string, end: Exit.Exit<A, E>) =>
    Effect.suspend(() => {
      const known = waiting.get(commitId)
      return known === undefined ? Effect.void : Effect.asVoid(Deferred.done(known.done, end))
    })

  const ask = Effect.gen(function* () {
    const ids = [...waiting.keys()].filter(isElsewhere)
    if (ids.length === 0) return yield* signal.wait(waiting.size === 0 ? IDLE : look)
    for (const row of yield* rows.ended(ids)) yield* tell(row.id, yield* Effect.exit(endOf(row)))
    yield* signal.wait(look)
  }).pipe(
    Effect.catch((error) =>
      Effect.andThen(Effect.logWarning("Whether commits have ended could not be looked up", error), Effect.sleep(pause))
    )
  )
  yield* Effect.forkScoped(Effect.forever(ask))

  const join = (commitId: string) =>
    Effect.sync(() => {
      const known = waiting.get(commitId) ?? { done: Deferred.makeUnsafe<A, E>(), waiters: 0 }
      known.waiters++
      waiting.set(commitId, known)
      return known
    })
  const leave = (commitId: string, one: Waiting<A, E>) =>
    Effect.sync(() => {
      if (--one.waiters === 0 && waiting.get(commitId) === one) waiting.delete(commitId)
    })

  return {
    tell,
    /** Starts `begin`, and waits until somebody tells how the commit ended. */
    of: (commitId: string, begin: Effect.Effect<unknown>): Effect.Effect<A, E> =>
      Effect.acquireUseRelease(
        join(commitId),
        ({ done }) => begin.pipe(Effect.andThen(signal.give), Effect.andThen(Deferred.await(done))),
        (one) => leave(commitId, one)
      )
  }
})
