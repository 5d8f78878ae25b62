/** Access tokens on a real store: kept only as a hash, refused alike for every reason, revoked at once. Times are set in the table. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { AccountId } from "@treemark/core"
import { Clock, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccessTokens } from "../../../packages/daemon/src/accounts/AccessTokens.ts"
import { Accounts } from "../../../packages/daemon/src/accounts/Accounts.ts"
import { makeToken } from "../../../packages/daemon/src/accounts/TokenText.ts"
import { openAccount, withBank } from "../books/Bank.ts"
import { setWritable } from "../store/TempStore.ts"

const HOUR = 3_600_000

/** An account "alice" and a second token of hers. */
const issued = Effect.fnUntraced(function* (expiresAt: number | null = null) {
  const alice = yield* openAccount("alice", 0n)
  const made = yield* (yield* AccessTokens).issue(alice.accountId, { label: "laptop", expiresAt })
  return { alice, ...made }
})

const refusal = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
  return (yield* Effect.flip((yield* AccessTokens).authenticate(token)))._tag
})

const lastUsed = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly at: number | null }>`SELECT last_used_at AS at FROM access_token WHERE id = ${id}`
  return rows[0]?.at ?? null
})

describe("access tokens", () => {
  it.live("a token names its caller, and the store holds its sha256 and nothing else of it", () =>
    withBank(
      Effect.gen(function* () {
        const { alice, info, token } = yield* issued()
        const shown = { id: info.id, dailyLimit: null }
        assert.deepStrictEqual({ ...(yield* (yield* AccessTokens).authenticate(token)) }, { ...alice, token: shown })
        assert.deepInclude(info, { label: "laptop", expiresAt: null, revokedAt: null, lastUsedAt: null })
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`SELECT * FROM access_token`
        const text = Redacted.value(token)
        const hash = createHash("sha256").update(text).digest("hex")
        assert.isTrue(rows.some((row) => Object.values(row).includes(hash)))
        assert.notInclude(JSON.stringify(rows), text.slice(4, 20))
        assert.notInclude(String(token), text.slice(4, 20))
      })
    )
  )

  it.live("an unknown, a malformed, an expired and a revoked token are refused alike", () =>
    withBank(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { alice, info, token } = yield* issued()
        const tokens = yield* AccessTokens
        const expired = yield* tokens.issue(alice.accountId, { label: "old", expiresAt: now })
        const good = Redacted.value(token)
        const refused = [
          makeToken(new Uint8Array(32)),
          ...["", "tmk_", `${good}x`, good.slice(1), `${good.slice(0, -1)}!`].map((text) => Redacted.make(text)),
          expired.token
        ]
        for (const one of refused) assert.strictEqual(yield* refusal(one), "InvalidToken")
        yield* tokens.authenticate(token)
        yield* tokens.revoke(info.id)
        assert.strictEqual(yield* refusal(token), "InvalidToken")
      })
    )
  )

  it.live("a token works until it expires", () =>
    withBank(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { info, token } = yield* issued((yield* Clock.currentTimeMillis) + HOUR)
        yield* (yield* AccessTokens).authenticate(token)
        yield* sql`UPDATE access_token SET expires_at = expires_at - ${HOUR} WHERE id = ${info.id}`
        assert.strictEqual(yield* refusal(token), "InvalidToken")
      })
    )
  )

  it.effect("a token works up to the millisecond before it expires, and not in that millisecond", () =>
    withBank(
      Effect.gen(function* () {
        const { token } = yield* issued((yield* Clock.currentTimeMillis) + HOUR)
        yield* TestClock.adjust(HOUR - 1)
        yield* (yield* AccessTokens).authenticate(token)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* refusal(token), "InvalidToken")
      })
    )
  )

  it.live("the token of a disabled account is known but refused, until the account is enabled", () =>
    withBank(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { token } = yield* issued()
        yield* accounts.setDisabled("alice", true)
        const error = yield* Effect.flip((yield* AccessTokens).authenticate(token))
        assert.deepInclude(error, { _tag: "AccountDisabled", name: "alice" })
        yield* accounts.setDisabled("alice", false)
        yield* (yield* AccessTokens).authenticate(token)
      })
    )
  )

  it.live("a revoked token of a disabled account is invalid: it says nothing about the account", () =>
    withBank(
      Effect.gen(function* () {
        const { info, token } = yield* issued()
        yield* (yield* Accounts).setDisabled("alice", true)
        yield* (yield* AccessTokens).revoke(info.id)
        assert.strictEqual(yield* refusal(token), "InvalidToken")
      })
    )
  )

  it.live("the last use is written, at most once a minute", () =>
    withBank(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tokens = yield* AccessTokens
        const { info, token } = yield* issued()
        assert.isNull(yield* lastUsed(info.id))
        yield* tokens.authenticate(token)
        const first = (yield* lastUsed(info.id)) ?? 0
        assert.isBelow(Math.abs(first - (yield* Clock.currentTimeMillis)), 60_000)
        const setBack = (ms: number) => sql`UPDATE access_token SET last_used_at = ${first - ms} WHERE id = ${info.id}`
        yield* setBack(30_000)
        yield* tokens.authenticate(token)
        assert.strictEqual(yield* lastUsed(info.id), first - 30_000)
        yield* setBack(61_000)
        yield* tokens.authenticate(token)
        assert.isAtLeast((yield* lastUsed(info.id)) ?? 0, first)
      })
    )
  )

  it.live("a last use that cannot be written does not refuse the call", () =>
    withBank(
      Effect.gen(function* () {
        const { alice, token } = yield* issued()
        yield* setWritable(false)
        const caller = yield* (yield* AccessTokens).authenticate(token)
        yield* setWritable(true)
        assert.strictEqual(caller.accountId, alice.accountId)
      })
    )
  )

  it.live("tokens are listed without their text, and revoking twice keeps the first time", () =>
    withBank(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tokens = yield* AccessTokens
        const { alice, info } = yield* issued()
        const revoked = yield* tokens.revoke(info.id)
        yield* sql`UPDATE access_token SET revoked_at = 5 WHERE id = ${info.id}`
        assert.isNotNull(revoked.revokedAt)
        assert.strictEqual((yield* tokens.revoke(info.id)).revokedAt, 5)
        const listed = yield* tokens.list(alice.accountId)
        assert.deepStrictEqual(listed.map((one) => one.label).sort(), ["first", "laptop"])
        assert.deepStrictEqual(yield* tokens.list(AccountId.make(`acc_${"0".repeat(20)}`)), [])
      })
    )
  )

  it.live("an unknown account gets no token, and an unknown token id is not revoked", () =>
    withBank(
      Effect.gen(function* () {
        const tokens = yield* AccessTokens
        const nobody = AccountId.make(`acc_${"0".repeat(20)}`)
        const unknown = yield* Effect.flip(tokens.issue(nobody, { label: "x", expiresAt: null }))
        assert.strictEqual(unknown._tag, "AccountNotFound")
        assert.strictEqual((yield* Effect.flip(tokens.revoke("tok_none")))._tag, "TokenNotFound")
      })
    )
  )
})
