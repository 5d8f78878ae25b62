/**
 * At the start of the daemon: gives back money held for calls that a crash cut off before anything of them was stored. Nothing will
 * ever capture those holds. Holds that a commit job refers to are left to that job.
 */
import { Charges } from "@treemark/core"
import { Clock, Effect, Layer } from "effect"
import { Holds } from "./Holds.ts"

/** Releases abandoned holds while the layer is built; belongs before the first listener. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const charges = yield* Charges
    const holds = yield* Holds
    const abandoned = yield* holds.abandoned(yield* Clock.currentTimeMillis)
    if (abandoned.length === 0) return
    yield* Effect.forEach(abandoned, charges.release, { discard: true })
    yield* Effect.logInfo(
      `The daemon was stopped in the middle of ${abandoned.length} paid calls that had not reached the ledger; what was held for them was given back.`
    )
  })
)
