/** Pairing on a real store, as RFC 8628 has it: codes that last ten minutes and are good once, five wrong tries, scopes. Times are set in the table. */
import { assert, describe, it } from "@effect/vitest"
import { amount } from "@treemark/core"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AccessTokens } from "../../../packages/daemon/src/accounts/AccessTokens.ts"
import { MOST_WAITING, PAIRING_LIFE, PAUSE, Pairing } from "../../../packages/daemon/src/accounts/Pairing.ts"
import * as PairingStore from "../../../packages/daemon/src/accounts/PairingStore.ts"
import { requireScope } from "../../../packages/daemon/src/accounts/Scopes.ts"
import { type Bank, openAccount, withBank } from "../books/Bank.ts"

type Work<A, E> = Effect.Effect<A, E, Bank | Pairing>
const withPairing = <A, E>(work: Work<A, E>) => withBank(Effect.provide(work, Layer.fresh(PairingStore.layer)))

const asking = { name: "Lightroom", origin: "https://tool.example", scopes: ["read", "register"] } as const

const later = Effect.fnUntraced(function* (column: string, milliseconds: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE pairing SET ${sql(column)} = ${sql(column)} - ${milliseconds}`
})

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

describe("pairing a tool", () => {
  it.live("the tool is named before it is allowed, gets its token once, and may do what it asked for and no more", () =>
    withPairing(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n)
        const { allowsOrigin, begin, decide, find, poll } = yield* Pairing
        const { deviceCode, userCode } = yield* begin(asking)
        assert.match(userCode, /^[BCDFGHJKLMNPQRSTVWXZ]{5}-[BCDFGHJKLMNPQRSTVWXZ]{5}$/)
        const sql = yield* SqlClient.SqlClient
        const kept = JSON.stringify(yield* sql`SELECT * FROM pairing`)
        assert.notInclude(kept, userCode.slice(0, 5))
        assert.notInclude(kept, Redacted.value(deviceCode))
        assert.strictEqual(yield* poll(deviceCode), "authorization_pending")
        assert.deepStrictEqual(yield* find(` ${userCode.toLowerCase().replace("-", " ")}`), asking)
        assert.isFalse(yield* allowsOrigin(asking.origin))
        yield* decide(userCode, alice.accountId)
        assert.strictEqual(yield* tagOf(find(userCode)), "PairingUnknown")
        const got = yield* poll(deviceCode)
        if (typeof got === "string") return assert.fail(got)
        assert.deepStrictEqual(got.scopes, ["read", "register"])
        assert.strictEqual(yield* poll(deviceCode), "invalid_grant")
        const { authenticate, list, revoke } = yield* AccessTokens
        const caller = yield* authenticate(got.token)
        assert.strictEqual(caller.name, "alice")
        yield* requireScope(caller, "register")
        assert.strictEqual(yield* tagOf(requireScope(caller, "commit")), "ScopeMissing")
        yield* requireScope(alice, "commit")
        assert.isTrue(yield* allowsOrigin(asking.origin))
        const made = (yield* list(alice.accountId)).find(({ label }) => label === "Lightroom")
        assert.deepInclude(made, { scopes: "read register", origin: asking.origin })
        yield* revoke(made!.id)
        assert.isFalse(yield* allowsOrigin(asking.origin))
      })
    )
  )

  it.live("what it may spend in a day is what was allowed, to the last unit", () =>
    withPairing(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n)
        const { begin, decide, poll } = yield* Pairing
        const { authenticate } = yield* AccessTokens
        const pair = Effect.fnUntraced(function* (dailyLimit?: bigint) {
          const { deviceCode, userCode } = yield* begin(asking)
          yield* decide(userCode, alice.accountId, dailyLimit === undefined ? undefined : amount(dailyLimit))
          const got = yield* poll(deviceCode)
          return typeof got === "string" ? assert.fail(got) : (yield* authenticate(got.token)).token?.dailyLimit
        })
        const beyondIntegers = 10n ** 30n + 1n
        assert.strictEqual(yield* pair(beyondIntegers), beyondIntegers)
        assert.strictEqual(yield* pair(0n), 0n)
        assert.isNull(yield* pair())
      })
    )
  )

  it.live("hasty tools are slowed down; a refusal and the end of ten minutes are told", () =>
    withPairing(
      Effect.gen(function* () {
        const { begin, decide, find, poll } = yield* Pairing
        const { deviceCode, userCode } = yield* begin(asking)
        assert.strictEqual(yield* poll(deviceCode), "authorization_pending")
        assert.strictEqual(yield* poll(deviceCode), "slow_down")
        yield* later("polled_at", PAUSE)
        assert.strictEqual(yield* poll(deviceCode), "slow_down")
        yield* later("polled_at", 3 * PAUSE)
        assert.strictEqual(yield* poll(deviceCode), "authorization_pending")
        yield* decide(userCode, undefined)
        assert.strictEqual(yield* poll(deviceCode), "access_denied")
        const slow = yield* begin(asking)
        yield* later("expires_at", PAIRING_LIFE)
        assert.strictEqual(yield* poll(slow.deviceCode), "expired_token")
        assert.strictEqual(yield* tagOf(find(slow.userCode)), "PairingUnknown")
      })
    )
  )

  it.live("after five wrong codes the right one is gone; decided codes are not good again", () =>
    withPairing(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n)
        const { begin, decide, find, poll } = yield* Pairing
        const { deviceCode, userCode } = yield* begin(asking)
        for (let n = 0; n < 4; n++) assert.strictEqual(yield* tagOf(find("BBBBB-BBBBB")), "PairingUnknown")
        yield* find(userCode)
        assert.strictEqual(yield* tagOf(decide("BBBBB-BBBBB", alice.accountId)), "PairingUnknown")
        assert.strictEqual(yield* tagOf(decide(userCode, alice.accountId)), "PairingUnknown")
        assert.strictEqual(yield* poll(deviceCode), "expired_token")
      })
    )
  )

  it.live("one that asks over and over is refused, without harm to others", () =>
    withPairing(
      Effect.gen(function* () {
        const { begin } = yield* Pairing
        for (let n = 0; n < MOST_WAITING; n++) yield* begin(asking)
        assert.strictEqual(yield* tagOf(begin(asking)), "PairingsFull")
        yield* begin({ ...asking, origin: null })
      })
    )
  )

  it.live("two that fetch at once: one token", () =>
    withPairing(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n)
        const { begin, decide, poll } = yield* Pairing
        const { deviceCode, userCode } = yield* begin(asking)
        yield* decide(userCode, alice.accountId)
        const both = yield* Effect.all([poll(deviceCode), poll(deviceCode)], { concurrency: 2 })
        assert.deepStrictEqual(
          both.filter((one) => typeof one === "string"),
          ["invalid_grant"]
        )
      })
    )
  )
})
