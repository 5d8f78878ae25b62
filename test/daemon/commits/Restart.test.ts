/** What a daemon that ends with commits under way leaves to its next start: each is finished once, and its hold is settled. */
import { assert, describe, it } from "@effect/vitest"
import { Charges } from "@treemark/core"
import { Duration, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { errorOf, isCaptured, RECEIPT, recordOne, rig, SEND, service, shortDeadline } from "./FaultRig.ts"
import { callerNamed, creditsOf, eventually, jobOf, order, record, TOKEN } from "./LedgerFixture.ts"

describe.skipIf(isAnvilMissing)("a daemon that ends with commits under way", () => {
  for (const [state, method, fault] of [
    ["signed", SEND, "hang"],
    ["sent", RECEIPT, { result: null }]
  ] as const) {
    it.live(`finishes one in the state "${state}" at its next start, once, and settles its hold`, () =>
      Effect.gen(function* () {
        const { proxy, run, mined } = yield* rig()
        proxy.plan = (called) => (called === method ? fault : undefined)
        yield* run(
          Effect.gen(function* () {
            assert.strictEqual(errorOf(yield* recordOne("one"))._tag, "CommitPending")
            assert.deepInclude(yield* jobOf("one"), { state, hold_state: "held" })
          }),
          { deadline: Duration.seconds(2) }
        )
        proxy.plan = () => undefined
        yield* run(
          Effect.gen(function* () {
            const job = yield* eventually(jobOf("one"), isCaptured)
            assert.deepInclude(job, { state: "mined", hold_state: "captured" })
          })
        )
        assert.strictEqual(new Set(proxy.sent).size, 1)
        assert.strictEqual(yield* mined, 1)
      }).pipe(Effect.scoped)
    )
  }

  it.live("gives the money of a commit back that turns out never to happen", () =>
    Effect.gen(function* () {
      const { anvil, proxy, run } = yield* rig()
      proxy.plan = (method) => (method === SEND ? "hang" : undefined)
      yield* run(
        Effect.gen(function* () {
          assert.strictEqual(errorOf(yield* recordOne("one"))._tag, "CommitPending")
        }),
        shortDeadline
      )
      yield* Effect.promise(() => anvil.steer.setNonce({ address: service, nonce: 5 }))
      proxy.plan = () => undefined
      yield* run(
        Effect.gen(function* () {
          const job = yield* eventually(jobOf("one"), (found) => found?.hold_state === "released")
          assert.deepInclude(job, { state: "displaced", hold_state: "released" })
          assert.strictEqual(yield* creditsOf("alice"), 100n * TOKEN)
          assert.isTrue(Exit.isSuccess(yield* recordOne("two")))
          assert.strictEqual((yield* jobOf("two"))?.nonce, 5)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("charges a commit in the transaction that ends it: none is mined and not charged", () =>
    Effect.gen(function* () {
      const { run } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          assert.isTrue(Exit.isSuccess(yield* recordOne("one")))
          assert.deepInclude(yield* jobOf("one"), { state: "mined", hold_state: "captured" })
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("charges one that an earlier version had left mined and not charged", () =>
    Effect.gen(function* () {
      const { run } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const wanted = yield* order(yield* callerNamed("alice"), "one")
          yield* record(wanted)
          const alice = yield* callerNamed("alice")
          const request = { caller: alice, operation: "commit", reference: "two", amount: wanted.terms.amount } as const
          const other = yield* (yield* Charges).hold(request)
          yield* sql`UPDATE commit_job SET hold_id = ${other.id} WHERE id = 'one'`
          assert.deepInclude(yield* jobOf("one"), { state: "mined", hold_state: "held" })
        })
      )
      yield* run(
        Effect.gen(function* () {
          assert.isTrue(isCaptured(yield* eventually(jobOf("one"), isCaptured)))
        })
      )
    }).pipe(Effect.scoped)
  )
})
