/**
 * What became of commits that another daemon may be working on: one question for all that are waited for, twenty times a second while
 * there are any. Polling, because not every engine that speaks PostgreSQL's protocol can notify, nor does every pooler let it.
 */
import { Deferred, Duration, Effect } from "effect"
import { makeSignal } from "../evm/Signal.ts"
import { makeCommitQueue } from "./CommitQueue.ts"
import type { CommitRow } from "./CommitRow.ts"

const LOOK = Duration.millis(50)
const IDLE = Duration.minutes(1)
/** After the store did not answer. */
const PAUSE = Duration.millis(500)

export const makeCommitOutcomes = Effect.gen(function* () {
  const queue = yield* makeCommitQueue
  const signal = yield* makeSignal
  const waiting = new Map<string, Deferred.Deferred<CommitRow>>()
  const waiters = new Map<string, number>()

  const look = Effect.gen(function* () {
    if (waiting.size === 0) return yield* signal.wait(IDLE)
    for (const row of yield* queue.ended([...waiting.keys()])) {
      const known = waiting.get(row.id)
      if (known !== undefined) yield* Deferred.succeed(known, row)
    }
    yield* signal.wait(LOOK)
  }).pipe(
    Effect.catch((error) =>
      Effect.andThen(Effect.logWarning("Whether commits have ended could not be looked up", error), Effect.sleep(PAUSE))
    )
  )
  yield* Effect.forkScoped(Effect.forever(look))

  const join = (commitId: string) =>
    Effect.sync(() => {
      const known = waiting.get(commitId) ?? Deferred.makeUnsafe<CommitRow>()
      waiting.set(commitId, known)
      waiters.set(commitId, (waiters.get(commitId) ?? 0) + 1)
      return known
    })
  const leave = (commitId: string) =>
    Effect.sync(() => {
      const left = (waiters.get(commitId) ?? 1) - 1
      waiters.set(commitId, left)
      if (left > 0) return
      waiters.delete(commitId)
      waiting.delete(commitId)
    })

  return {
    /** The row of the commit, once it has ended. */
    of: (commitId: string): Effect.Effect<CommitRow> =>
      Effect.acquireUseRelease(
        join(commitId),
        (known) => Effect.andThen(signal.give, Deferred.await(known)),
        () => leave(commitId)
      ),
    /** Something has ended here: look now. */
    look: signal.give
  }
})
