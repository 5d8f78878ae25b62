/**
 * Layer of `Sessions` on SQL. A code is deleted by the statement that finds it, so two browsers never sign in with one. Codes and sessions
 * are 256 random bits: their sha256 needs no slow hash.
 */
import { AccountId, type Amount, amount, Caller, WalletAddress } from "@treemark/core"
import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { SqlClient } from "effect/sql"
import { IntColumn, rowsAs } from "../store/Columns.ts"
import { storing } from "../store/StorageFailure.ts"
import { AccessTokens, AccountDisabled } from "./AccessTokens.ts"
import { Accounts } from "./Accounts.ts"
import { CODE_LIFE, CodeRefused, SESSION_LIFE, SessionOver, Sessions, type SessionText } from "./Sessions.ts"
import { hashOfToken } from "./TokenText.ts"

const BYTES = 32

/** The last use is written at most this often, so that a page that asks much writes little. */
const LAST_USED_STEP = 60_000

/** The account that the first sign-in makes where there is none. */
const FIRST = "desk"

const SessionRow = Schema.Struct({
  last_used_at: IntColumn,
  account_id: AccountId,
  name: Schema.String,
  service_name: Schema.String,
  wallet: WalletAddress,
  disabled_at: Schema.NullOr(IntColumn)
})
const sessionRows = rowsAs(SessionRow)

const codeRows = rowsAs(Schema.Struct({ account_id: Schema.NullOr(AccountId), expires_at: IntColumn }))

const make = Effect.fnUntraced(function* ({ firstTokens }: Options) {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const accounts = yield* Accounts
  const tokens = yield* AccessTokens

  const secret = Effect.map(random.randomBytes(BYTES), (bytes) => Redacted.make(Base64Url.encode(bytes)))

  const makeCode = Effect.fn("Sessions.makeCode")(function* (accountId: AccountId | undefined) {
    const code = yield* secret
    const now = yield* Clock.currentTimeMillis
    yield* sql`DELETE FROM sign_in_code WHERE expires_at <= ${now}`
    yield* sql`INSERT INTO sign_in_code ${sql.insert({
      code_hash: hashOfToken(code),
      account_id: accountId ?? null,
      expires_at: now + CODE_LIFE
    })}`
    return code
  }, storing("a sign-in code was made"))

  /** The account that a code without one signs in to. The token that comes with a new one is shown to nobody, so it is revoked. */
  const firstAccount = Effect.fnUntraced(function* () {
    const known = (yield* accounts.list).find(({ closed, disabled }) => !closed && !disabled)
    if (known !== undefined) return known.id
    const { account } = yield* accounts
      .create({ name: FIRST, serviceName: "treemark", credits: amount(0n), tokens: firstTokens })
      .pipe(Effect.catchTag("AccountNameTaken", () => Effect.fail(new CodeRefused())))
    const [unseen] = yield* tokens.list(account.id)
    if (unseen !== undefined) yield* Effect.ignore(tokens.revoke(unseen.id))
    return account.id
  })

  const signIn = Effect.fn("Sessions.signIn")(function* (code: Redacted.Redacted<string>) {
    const [found] = yield* codeRows(
      sql`DELETE FROM sign_in_code WHERE code_hash = ${hashOfToken(code)} RETURNING account_id, expires_at`
    )
    const now = yield* Clock.currentTimeMillis
    if (found === undefined || found.expires_at <= now) return yield* new CodeRefused()
    const account_id = found.account_id ?? (yield* firstAccount())
    const session = yield* secret
    yield* sql`DELETE FROM console_session WHERE last_used_at <= ${now - SESSION_LIFE}`
    yield* sql`INSERT INTO console_session ${sql.insert({
      session_hash: hashOfToken(session),
      account_id,
      created_at: now,
      last_used_at: now
    })}`
    return session
  }, storing("a session was begun"))

  /** A use that cannot be written (a full disk) is no reason to refuse the call. */
  const markUsed = (hash: string, now: number) =>
    sql`UPDATE console_session SET last_used_at = ${now} WHERE session_hash = ${hash}`.pipe(
      Effect.catch((error) => Effect.logWarning(`The last use of a session was not written: ${error.message}`))
    )

  const authenticate = Effect.fn("Sessions.authenticate")(function* (session: SessionText) {
    const hash = hashOfToken(session)
    const [known] = yield* sessionRows(sql`
      SELECT s.last_used_at, s.account_id, a.name, a.service_name, a.wallet, a.disabled_at
      FROM console_session s JOIN account a ON a.id = s.account_id WHERE s.session_hash = ${hash}`)
    const now = yield* Clock.currentTimeMillis
    if (known === undefined || known.last_used_at <= now - SESSION_LIFE) return yield* new SessionOver()
    if (known.disabled_at !== null) return yield* new AccountDisabled({ name: known.name })
    if (now - known.last_used_at >= LAST_USED_STEP) yield* markUsed(hash, now)
    return new Caller({
      accountId: known.account_id,
      name: known.name,
      serviceName: known.service_name,
      wallet: known.wallet
    })
  }, storing("a session was looked up"))

  const end = Effect.fn("Sessions.end")(
    (session: SessionText) =>
      Effect.asVoid(sql`DELETE FROM console_session WHERE session_hash = ${hashOfToken(session)}`),
    storing("a session was ended")
  )

  const endAll = Effect.fn("Sessions.endAll")(
    function* (accountId: AccountId) {
      yield* sql`DELETE FROM console_session WHERE account_id = ${accountId}`
      yield* sql`DELETE FROM sign_in_code WHERE account_id = ${accountId} OR account_id IS NULL`
    },
    sql.withTransaction,
    storing("all sessions were ended")
  )

  return Sessions.of({ makeCode, signIn, authenticate, end, endAll })
})

interface Options {
  /** Tokens that an account gets which the first sign-in makes: more than none on the local chains only. */
  readonly firstTokens: Amount
}

export const layer = (
  options: Options
): Layer.Layer<Sessions, never, SqlClient.SqlClient | SecureRandom.SecureRandom | Accounts | AccessTokens> =>
  Layer.effect(Sessions, make(options))
