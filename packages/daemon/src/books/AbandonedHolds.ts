/**
 * Gives back money held for calls that a crash cut off before anything of them was stored. Nothing will ever capture those holds.
 * Holds that a commit job refers to are left to that job. Once at the start of the daemon; where several daemons share the books,
 * every few seconds too, for those that died elsewhere.
 */
import { Charges } from "@treemark/core"
import { Duration, Effect, Layer, Schedule } from "effect"
import { ReplicaId } from "../store/Replica.ts"
import { Holds } from "./Holds.ts"

const LOOK = Duration.seconds(5)

/** Holds of a daemon that is dead were made before now, whatever the times in them say: a clock may have been set back since. */
const WHENEVER = Number.MAX_SAFE_INTEGER

const giveBack = Effect.gen(function* () {
  const charges = yield* Charges
  const holds = yield* Holds
  const abandoned = yield* holds.abandoned(WHENEVER)
  if (abandoned.length === 0) return
  yield* Effect.forEach(abandoned, charges.release, { discard: true })
  yield* Effect.logInfo(
    `A daemon was stopped in the middle of ${abandoned.length} paid calls that had not reached the ledger; what was held for them was given back.`
  )
})

/** Releases abandoned holds while the layer is built; belongs before the first listener. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* giveBack
    if ((yield* ReplicaId) === null) return
    yield* giveBack.pipe(
      Effect.catch((error) => Effect.logWarning(error.message)),
      Effect.schedule(Schedule.spaced(LOOK)),
      Effect.forkScoped
    )
  })
)
