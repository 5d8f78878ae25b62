/**
 * Layer of `AccessTokens` on SQL. The text of a token is shown once and only its sha256 is stored; a token is looked up by that hash
 * on every call, so a revoked one is refused at once. Times are milliseconds since 1970.
 */
import { AccountId, amount, Caller, formatTokens, WalletAddress } from "@treemark/core"
import { Clock, Effect, Layer, type Redacted, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { makeTokenSpending } from "../books/TokenSpending.ts"
import { AmountColumn, IntColumn, rowsAs } from "../store/Columns.ts"
import { randomId } from "../store/RandomId.ts"
import { storing } from "../store/StorageFailure.ts"
import { AccessTokens, AccountDisabled, InvalidToken, type NewToken, TokenInfo, TokenNotFound } from "./AccessTokens.ts"
import { AccountClosed, AccountNotFound } from "./Accounts.ts"
import { scopesIn } from "./Scopes.ts"
import { hashOfToken, makeToken, parseToken } from "./TokenText.ts"

const TOKEN_BYTES = 32

/** The last use is written at most this often. */
const LAST_USED_STEP = 60_000

const Time = Schema.NullOr(IntColumn)

const InfoRow = Schema.Struct({
  id: Schema.String,
  label: Schema.String,
  created_at: IntColumn,
  expires_at: Time,
  revoked_at: Time,
  last_used_at: Time,
  scopes: Schema.NullOr(Schema.String),
  origin: Schema.NullOr(Schema.String),
  daily_limit: Schema.NullOr(AmountColumn)
})
const infoRows = rowsAs(InfoRow)

const KnownRow = Schema.Struct({
  id: Schema.String,
  expires_at: Time,
  revoked_at: Time,
  last_used_at: Time,
  scopes: Schema.NullOr(Schema.String),
  daily_limit: Schema.NullOr(AmountColumn),
  account_id: AccountId,
  name: Schema.String,
  service_name: Schema.String,
  wallet: WalletAddress,
  disabled_at: Time
})
const knownRows = rowsAs(KnownRow)

const ownerRows = rowsAs(Schema.Struct({ name: Schema.String, closed_at: Time }))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const spending = yield* makeTokenSpending

  const forUpdate = sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE", orElse: () => "" }))

  const infos = Effect.fnUntraced(function* (which: ReturnType<typeof sql.literal>) {
    const known = yield* infoRows(
      sql`SELECT id, label, created_at, expires_at, revoked_at, last_used_at, scopes, origin, daily_limit FROM access_token ${which}`
    )
    const spent = yield* spending.today(known.map(({ id }) => id))
    return known.map((row) => infoOf(row, spent.get(row.id)))
  })

  const issue = Effect.fn("AccessTokens.issue")(
    function* (accountId: AccountId, options: NewToken) {
      const [owner] = yield* ownerRows(sql`SELECT name, closed_at FROM account WHERE id = ${accountId} ${forUpdate}`)
      if (owner === undefined) return yield* new AccountNotFound({ account: accountId })
      if (owner.closed_at !== null) return yield* new AccountClosed({ name: owner.name })
      const token = makeToken(yield* random.randomBytes(TOKEN_BYTES))
      const row = {
        id: yield* randomId("tok", random),
        label: options.label,
        created_at: yield* Clock.currentTimeMillis,
        expires_at: options.expiresAt,
        scopes: options.scopes?.join(" ") ?? null,
        origin: options.origin ?? null,
        daily_limit: options.dailyLimit ?? null
      }
      yield* sql`INSERT INTO access_token ${sql.insert({
        ...row,
        daily_limit: row.daily_limit?.toString() ?? null,
        account_id: accountId,
        token_hash: hashOfToken(token)
      })}`
      return { token, info: infoOf({ ...row, revoked_at: null, last_used_at: null }) }
    },
    sql.withTransaction,
    storing("an access token was issued")
  )

  /** A use that cannot be written (a full disk) is no reason to refuse the call. */
  const markUsed = (id: string, lastUsedAt: number | null, now: number) =>
    lastUsedAt !== null && now - lastUsedAt < LAST_USED_STEP
      ? Effect.void
      : sql`UPDATE access_token SET last_used_at = ${now} WHERE id = ${id}`.pipe(
          Effect.catch((error) => Effect.logWarning(`The last use of token ${id} was not written: ${error.message}`)),
          Effect.asVoid
        )

  const authenticate = Effect.fn("AccessTokens.authenticate")(function* (token: Redacted.Redacted<string>) {
    const hash = parseToken(token)
    if (Result.isFailure(hash)) return yield* new InvalidToken()
    const [known] = yield* knownRows(sql`
      SELECT t.id, t.expires_at, t.revoked_at, t.last_used_at, t.scopes, t.daily_limit, t.account_id, a.name, a.service_name, a.wallet, a.disabled_at
      FROM access_token t JOIN account a ON a.id = t.account_id WHERE t.token_hash = ${hash.success}`)
    const now = yield* Clock.currentTimeMillis
    if (known === undefined || known.revoked_at !== null) return yield* new InvalidToken()
    if (known.expires_at !== null && known.expires_at <= now) return yield* new InvalidToken()
    if (known.disabled_at !== null) return yield* new AccountDisabled({ name: known.name })
    yield* markUsed(known.id, known.last_used_at, now)
    return new Caller({
      accountId: known.account_id,
      name: known.name,
      serviceName: known.service_name,
      wallet: known.wallet,
      token: { id: known.id, dailyLimit: known.daily_limit },
      ...(known.scopes === null ? {} : { scopes: scopesIn(known.scopes) ?? [] })
    })
  }, storing("an access token was looked up"))

  const revoke = Effect.fn("AccessTokens.revoke")(
    function* (tokenId: string) {
      const now = yield* Clock.currentTimeMillis
      yield* sql`UPDATE access_token SET revoked_at = COALESCE(revoked_at, ${now}) WHERE id = ${tokenId}`
      const [info] = yield* infos(sql`WHERE id = ${tokenId}`)
      return info ?? (yield* new TokenNotFound({ id: tokenId }))
    },
    sql.withTransaction,
    storing("an access token was revoked")
  )

  return AccessTokens.of({
    issue,
    authenticate,
    list: Effect.fn("AccessTokens.list")(
      (accountId: AccountId) => infos(sql`WHERE account_id = ${accountId} ORDER BY created_at, id`),
      storing("access tokens were listed")
    ),
    revoke
  })
})

export const layer: Layer.Layer<AccessTokens, never, SqlClient.SqlClient | SecureRandom.SecureRandom> = Layer.effect(
  AccessTokens,
  make
)

const infoOf = (row: typeof InfoRow.Type, spent = 0n): TokenInfo =>
  new TokenInfo({
    id: row.id,
    label: row.label,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    scopes: row.scopes,
    origin: row.origin,
    dailyLimit: row.daily_limit === null ? null : formatTokens(row.daily_limit),
    spentToday: formatTokens(amount(spent))
  })
