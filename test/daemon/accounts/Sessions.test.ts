/** Codes and sessions on a real store: once, within two minutes, for twelve hours; kept as hashes. Times are set in the table. */
import { assert, describe, it } from "@effect/vitest"
import { amount } from "@treemark/core"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AccessTokens } from "../../../packages/daemon/src/accounts/AccessTokens.ts"
import { Accounts } from "../../../packages/daemon/src/accounts/Accounts.ts"
import * as SessionStore from "../../../packages/daemon/src/accounts/SessionStore.ts"
import { CODE_LIFE, SESSION_LIFE, Sessions } from "../../../packages/daemon/src/accounts/Sessions.ts"
import { openAccount, type TestChain, TOKEN, withBank } from "../books/Bank.ts"

const sessions = SessionStore.layer({ firstTokens: amount(100n * TOKEN) })
type Work<A, E> = Effect.Effect<A, E, AccessTokens | Accounts | Sessions | SqlClient.SqlClient | TestChain>
const withSessions = <A, E>(work: Work<A, E>) => withBank(Effect.provide(work, Layer.fresh(sessions)))

const later = Effect.fnUntraced(function* (table: string, column: string, milliseconds: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE ${sql(table)} SET ${sql(column)} = ${sql(column)} - ${milliseconds}`
})

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

describe("sessions of the console", () => {
  it.live("a code signs in once, also when two browsers hurry; the store holds neither code nor session", () =>
    withSessions(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n)
        const { authenticate, makeCode, signIn } = yield* Sessions
        const code = yield* makeCode(alice.accountId)
        const sql = yield* SqlClient.SqlClient
        const codes = yield* sql`SELECT * FROM sign_in_code`
        assert.notInclude(JSON.stringify(codes), Redacted.value(code))
        const both = yield* Effect.all([Effect.exit(signIn(code)), Effect.exit(signIn(code))], { concurrency: 2 })
        const session = both.find((exit) => exit._tag === "Success")?.value
        assert.strictEqual(both.filter(({ _tag }) => _tag === "Success").length, 1)
        assert.strictEqual((yield* authenticate(session!)).name, "alice")
        assert.notInclude(JSON.stringify(yield* sql`SELECT * FROM console_session`), Redacted.value(session!))
        assert.strictEqual(yield* tagOf(signIn(Redacted.make("never given"))), "CodeRefused")
        assert.strictEqual(yield* tagOf(authenticate(code)), "SessionOver")
      })
    )
  )

  it.live("a code lasts two minutes, a session twelve hours from its last use", () =>
    withSessions(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n)
        const { authenticate, makeCode, signIn } = yield* Sessions
        const late = yield* makeCode(alice.accountId)
        yield* later("sign_in_code", "expires_at", CODE_LIFE)
        assert.strictEqual(yield* tagOf(signIn(late)), "CodeRefused")
        const session = yield* signIn(yield* makeCode(alice.accountId))
        for (let day = 0; day < 3; day++) {
          yield* later("console_session", "last_used_at", SESSION_LIFE - 60_000)
          yield* authenticate(session)
        }
        yield* later("console_session", "last_used_at", SESSION_LIFE)
        assert.strictEqual(yield* tagOf(authenticate(session)), "SessionOver")
      })
    )
  )

  it.live("ends alone or with all of its account's, and serves no disabled account", () =>
    withSessions(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n)
        const bob = yield* openAccount("bob", 0n)
        const { authenticate, end, endAll, makeCode, signIn } = yield* Sessions
        const begin = (account: typeof alice) => Effect.flatMap(makeCode(account.accountId), signIn)
        const [first, second, third] = yield* Effect.all([begin(alice), begin(alice), begin(bob)])
        yield* end(first)
        assert.strictEqual(yield* tagOf(authenticate(first)), "SessionOver")
        const open = yield* makeCode(alice.accountId)
        yield* authenticate(second)
        yield* endAll(alice.accountId)
        assert.strictEqual(yield* tagOf(authenticate(second)), "SessionOver")
        assert.strictEqual(yield* tagOf(signIn(open)), "CodeRefused")
        yield* authenticate(third)
        yield* (yield* Accounts).setDisabled(bob.accountId, true)
        assert.strictEqual(yield* tagOf(authenticate(third)), "AccountDisabled")
      })
    )
  )

  it.live("a code without an account signs in to the first, which is made where there is none, without a token", () =>
    withSessions(
      Effect.gen(function* () {
        const { authenticate, makeCode, signIn } = yield* Sessions
        const enter = Effect.gen(function* () {
          return yield* authenticate(yield* signIn(yield* makeCode(undefined)))
        })
        const made = yield* enter
        assert.strictEqual(made.name, "desk")
        const tokens = yield* (yield* AccessTokens).list(made.accountId)
        assert.deepStrictEqual(
          tokens.filter(({ revokedAt }) => revokedAt === null),
          []
        )
        yield* openAccount("alice", 0n)
        assert.strictEqual((yield* enter).name, "desk")
      })
    )
  )
})
