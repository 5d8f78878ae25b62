/** Receipts and a clock that is set back: the chain of an account's receipts never runs backwards. */
import { assert, describe, it } from "@effect/vitest"
import { amount, Charges } from "@treemark/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { hold, openAccount, TOKEN, withBank } from "./Bank.ts"

const HOUR = 3_600_000
const NOON = Date.UTC(2026, 10, 22, 12)

describe("a receipt", () => {
  it.effect("is never earlier than the one it follows, also when the clock was set back", () =>
    withBank(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const charges = yield* Charges
        const alice = yield* openAccount("alice", TOKEN)
        for (const time of [NOON, NOON - HOUR, NOON + HOUR]) {
          yield* TestClock.setTime(time)
          yield* charges.capture(yield* hold(alice, TOKEN / 4n, `cmt_${time}`), amount(TOKEN / 5n))
        }
        const rows = yield* sql<{ readonly document: string }>`SELECT document FROM receipt ORDER BY sequence`
        assert.deepStrictEqual(
          rows.map(({ document }) => Date.parse(JSON.parse(document).issuedAt)),
          [NOON, NOON, NOON + HOUR]
        )
      })
    )
  )
})
