/** A commit that is mined while the store takes no writes: it is written down, and charged, soon after the store is back. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { setWritable } from "../store/TempStore.ts"
import { errorOf, isCaptured, recordOne, rig } from "./FaultRig.ts"
import { eventually, historyOf, jobOf } from "./LedgerFixture.ts"

describe.skipIf(isAnvilMissing)("a store that takes no writes for a while", () => {
  it.live("is tried again within a second of being back, and the commit is written down and charged once", () =>
    Effect.gen(function* () {
      const { anvil, mined, run } = yield* rig(["--no-mining"])
      yield* run(
        Effect.gen(function* () {
          assert.strictEqual(errorOf(yield* recordOne("one"))._tag, "CommitPending")
          yield* eventually(jobOf("one"), (job) => job?.state === "sent")
          yield* setWritable(false)
          yield* Effect.promise(() => anvil.steer.mine({ blocks: 1 }))
          yield* Effect.sleep("7 seconds")
          assert.strictEqual((yield* jobOf("one"))?.state, "sent")
          yield* setWritable(true)
          const since = performance.now()
          yield* eventually(jobOf("one"), isCaptured)
          assert.isBelow(performance.now() - since, 6_000, "pauses that doubled would be eight seconds by now")
          assert.deepStrictEqual(
            (yield* historyOf("one")).filter((what) => what === "mined"),
            ["mined"]
          )
        }),
        { deadline: Duration.millis(800) }
      )
      assert.strictEqual(yield* mined, 1)
    }).pipe(Effect.scoped)
  )
})
