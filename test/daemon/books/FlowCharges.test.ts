/** Charging within a flow that loses its COMMIT, on SQLite: only there several transactions share one. */
import { assert, describe, it } from "@effect/vitest"
import { amount, Charges } from "@treemark/core"
import { issued, revenue } from "@treemark/core/charging"
import { Effect, Exit, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Holds } from "../../../packages/daemon/src/books/Holds.ts"
import { Postings } from "../../../packages/daemon/src/books/Postings.ts"
import { inFlow, onDisk, step } from "../../../packages/daemon/src/store/Flow.ts"
import { balances, hold, openAccount, TOKEN, withBank } from "./Bank.ts"

const PRICE = TOKEN / 10n

describe("charging within a flow whose COMMIT fails", () => {
  /** There has to be an account that an entry can be wrong about. */
  const earn = Effect.flatMap(Postings, ({ post }) =>
    post({ id: "grant:r", kind: "grant", reference: "r" }, [
      { account: issued, amount: -1n },
      { account: revenue, amount: 1n }
    ])
  )
  const unbalanced = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.andThen(
        sql`INSERT INTO ledger_entry (id, kind, reference, created_at) VALUES ('wrong', 'grant', 'x', 1)`,
        sql`INSERT INTO posting (entry_id, account_id, amount) VALUES ('wrong', 'revenue', '1')`
      )
    )
  )
  const stateOf = (id: string) => Effect.flatMap(Holds, ({ byId }) => Effect.map(byId(id), Option.getOrUndefined))

  /** Holds, then captures in a flow that is lost at its end; answers the hold. */
  const lost = Effect.fnUntraced(function* (reference: string, operation: "commit" | "balance-all-networks") {
    const held = yield* hold(yield* openAccount(reference, TOKEN), PRICE, reference, operation)
    const charges = yield* Charges
    const exit = yield* Effect.exit(inFlow(Effect.andThen(charges.capture(held, amount(PRICE)), step(unbalanced))))
    assert.isTrue(Exit.isFailure(exit))
    assert.strictEqual((yield* stateOf(held.id))?.state, "held")
    yield* Effect.sleep("1500 millis")
    return (yield* stateOf(held.id))?.state
  })

  it.live("a commit, which was made, is charged later; any other call is not", () =>
    withBank(
      Effect.gen(function* () {
        yield* earn
        assert.strictEqual(yield* lost("cmt_lost", "commit"), "captured")
        assert.strictEqual(yield* lost("bal_lost", "balance-all-networks"), "released")
      })
    )
  )

  it.live("a hold that was lost with it needs no giving back", () =>
    withBank(
      Effect.gen(function* () {
        yield* earn
        const charges = yield* Charges
        const alice = yield* openAccount("alice", TOKEN)
        let placed = ""
        let released: Exit.Exit<void, unknown> | undefined
        const exit = yield* Effect.exit(
          inFlow(
            Effect.gen(function* () {
              const held = yield* hold(alice, PRICE, "cmt_1")
              placed = held.id
              yield* step(unbalanced)
              yield* Effect.exit(onDisk)
              released = yield* Effect.exit(charges.release(held))
            })
          )
        )
        assert.isTrue(Exit.isFailure(exit))
        assert.deepStrictEqual(released, Exit.void)
        assert.isUndefined(yield* stateOf(placed))
        assert.deepInclude(yield* balances, { "credits:alice": TOKEN, revenue: 1n })
      })
    )
  )
})
