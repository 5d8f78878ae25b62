/** A commit is charged by the terms it was begun with, whatever the prices are when it ends. */
import { assert, describe, it } from "@effect/vitest"
import { amount, Prices } from "@treemark/core"
import { Duration, Effect, Exit } from "effect"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { errorOf, isCaptured, RECEIPT, recordOne, rig } from "./FaultRig.ts"
import { creditsOf, eventually, jobOf, profileAt, TOKEN } from "./LedgerFixture.ts"

const PRICE = TOKEN / 10n

describe.skipIf(isAnvilMissing)("a price that changes while a commit is under way", () => {
  it.live("does not change what the commit costs: the price it was begun with, and its gas", () =>
    Effect.gen(function* () {
      const { proxy, run } = yield* rig()
      proxy.plan = (method) => (method === RECEIPT ? { result: null } : undefined)
      yield* run(
        Effect.gen(function* () {
          assert.strictEqual(errorOf(yield* recordOne("one"))._tag, "CommitPending")
          proxy.plan = () => undefined
          const dearer = { ...(yield* Prices), version: "later", commit: amount(2n * PRICE) }
          const again = yield* recordOne("one").pipe(Effect.provideService(Prices, dearer))
          const { gasPaid } = yield* again
          const job = yield* eventually(jobOf("one"), isCaptured)
          assert.isTrue(Exit.isSuccess(again))
          assert.strictEqual(BigInt(job?.captured ?? 0), PRICE + gasPaid)
          assert.strictEqual(yield* creditsOf("alice"), amount(100n * TOKEN - PRICE - gasPaid))
        }),
        {
          deadline: Duration.seconds(4),
          networks: { profile: profileAt(proxy.url), rpcTimeout: Duration.seconds(20) },
          outbox: { resendAfter: Duration.minutes(5) }
        }
      )
    }).pipe(Effect.scoped)
  )
})
