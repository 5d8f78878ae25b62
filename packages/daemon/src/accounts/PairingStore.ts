/**
 * Layer of `Pairing` on SQL. Codes are stored as hashes. A user code has ten letters of twenty (43 bits): without vowels, so that it spells
 * nothing, and without letters that look alike.
 */
import { AccountId, type Amount, type StorageUnavailable } from "@treemark/core"
import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { SqlClient, type SqlError } from "effect/sql"
import { AmountColumn, IntColumn, rowsAs } from "../store/Columns.ts"
import { storing } from "../store/StorageFailure.ts"
import { AccessTokens } from "./AccessTokens.ts"
import {
  type Asking,
  MOST_WAITING,
  MOST_WRONG,
  PAIRING_LIFE,
  PAUSE,
  Pairing,
  PairingsFull,
  PairingUnknown,
  type Polled
} from "./Pairing.ts"
import { scopesIn } from "./Scopes.ts"
import { hashOfToken } from "./TokenText.ts"

const LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
const DIGITS = 10

/** A code as the tool shows it, from random bytes of which those that would favour a letter are left out. */
const userCodeOf = (bytes: Uint8Array): string | undefined => {
  const fair = [...bytes].filter((byte) => byte < 240).slice(0, DIGITS)
  const text = fair.map((byte) => LETTERS[byte % LETTERS.length]).join("")
  return text.length < DIGITS ? undefined : `${text.slice(0, 5)}-${text.slice(5)}`
}

/** People type codes in small letters, with spaces or without the dash. */
const typed = (userCode: string): Redacted.Redacted<string> =>
  Redacted.make(userCode.toUpperCase().replaceAll(/[^A-Z]/g, ""))

const Row = Schema.Struct({
  device_hash: Schema.String,
  name: Schema.String,
  origin: Schema.NullOr(Schema.String),
  scopes: Schema.String,
  state: Schema.Literals(["asked", "approved", "denied"]),
  account_id: Schema.NullOr(AccountId),
  daily_limit: Schema.NullOr(AmountColumn),
  pause: IntColumn,
  polled_at: Schema.NullOr(IntColumn),
  expires_at: IntColumn
})
const pairingRows = rowsAs(Row)

const askingOf = ({ name, origin, scopes }: typeof Row.Type): Asking => ({
  name,
  origin,
  scopes: scopesIn(scopes) ?? []
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const tokens = yield* AccessTokens
  const forUpdate = sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE", orElse: () => "" }))

  const rowWhere = Effect.fnUntraced(function* (which: ReturnType<typeof sql.literal>) {
    const [row] = yield* pairingRows(sql`
      SELECT device_hash, name, origin, scopes, state, account_id, daily_limit, pause, polled_at, expires_at
      FROM pairing WHERE ${which} ${forUpdate}`)
    return row
  })

  const newUserCode = Effect.gen(function* () {
    for (;;) {
      const code = userCodeOf(yield* random.randomBytes(2 * DIGITS))
      if (code !== undefined) return code
    }
  })

  const begin = Effect.fn("Pairing.begin")(
    function* ({ name, origin, scopes }: Asking) {
      const now = yield* Clock.currentTimeMillis
      yield* sql`DELETE FROM pairing WHERE expires_at <= ${now - PAIRING_LIFE}`
      const waiting = yield* sql`SELECT device_hash FROM pairing WHERE state = 'asked' AND expires_at > ${now}
        AND COALESCE(origin, '') = ${origin ?? ""}`
      if (waiting.length >= MOST_WAITING) return yield* new PairingsFull()
      const deviceCode = Redacted.make(Base64Url.encode(yield* random.randomBytes(32)))
      const userCode = yield* newUserCode
      yield* sql`INSERT INTO pairing ${sql.insert({
        device_hash: hashOfToken(deviceCode),
        user_hash: hashOfToken(typed(userCode)),
        name,
        origin,
        scopes: scopes.join(" "),
        state: "asked",
        pause: PAUSE,
        expires_at: now + PAIRING_LIFE
      })}`
      return { deviceCode, userCode }
    },
    sql.withTransaction,
    storing("a pairing was begun")
  )

  /** The pairing that waits under the code. A wrong one counts against all that wait: nobody can tell whom it was meant for. */
  const waiting = Effect.fnUntraced(function* (userCode: string) {
    const now = yield* Clock.currentTimeMillis
    const found = yield* rowWhere(sql`user_hash = ${hashOfToken(typed(userCode))}`)
    if (found?.state === "asked" && found.expires_at > now) return found
    yield* sql`UPDATE pairing SET wrong_tries = wrong_tries + 1 WHERE state = 'asked'`
    yield* sql`UPDATE pairing SET expires_at = ${now} WHERE state = 'asked' AND wrong_tries >= ${MOST_WRONG}
      AND expires_at > ${now}`
    return undefined
  })

  /** The count of wrong tries has to be stored, so not knowing the code is an answer of the transaction and not its failure. */
  const known = <A>(found: A | undefined) =>
    found === undefined ? Effect.fail(new PairingUnknown()) : Effect.succeed(found)

  const find = Effect.fn("Pairing.find")((userCode: string) =>
    sql
      .withTransaction(waiting(userCode))
      .pipe(storing("a pairing was looked up"), Effect.flatMap(known), Effect.map(askingOf))
  )

  const decide = Effect.fn("Pairing.decide")(
    (userCode: string, accountId: AccountId | undefined, dailyLimit: Amount | null = null) =>
      Effect.gen(function* () {
        const found = yield* waiting(userCode)
        if (found === undefined) return undefined
        const columns = {
          state: accountId === undefined ? "denied" : "approved",
          account_id: accountId ?? null,
          daily_limit: dailyLimit?.toString() ?? null
        }
        yield* sql`UPDATE pairing SET ${sql.update(columns)} WHERE device_hash = ${found.device_hash}`
        return found
      }).pipe(sql.withTransaction, storing("a pairing was decided"), Effect.flatMap(known), Effect.map(askingOf))
  )

  const poll = Effect.fn("Pairing.poll")(
    function* (
      deviceCode: Redacted.Redacted<string>
    ): Effect.fn.Return<Polled, SqlError.SqlError | StorageUnavailable> {
      const now = yield* Clock.currentTimeMillis
      const found = yield* rowWhere(sql`device_hash = ${hashOfToken(deviceCode)}`)
      if (found === undefined) return "invalid_grant"
      if (found.state === "denied") return "access_denied"
      if (found.expires_at <= now) return "expired_token"
      if (found.account_id !== null) return yield* taken(found, found.account_id)
      const isHasty = found.polled_at !== null && now - found.polled_at < found.pause
      const columns = { polled_at: now, pause: isHasty ? found.pause + PAUSE : found.pause }
      yield* sql`UPDATE pairing SET ${sql.update(columns)} WHERE device_hash = ${found.device_hash}`
      return isHasty ? "slow_down" : "authorization_pending"
    },
    sql.withTransaction,
    storing("a pairing was asked about")
  )

  /** The token, made when it is fetched, because only its hash is kept. */
  const taken = Effect.fnUntraced(function* (found: typeof Row.Type, accountId: AccountId) {
    yield* sql`DELETE FROM pairing WHERE device_hash = ${found.device_hash}`
    const { name: label, origin, scopes } = askingOf(found)
    return yield* tokens
      .issue(accountId, { label, expiresAt: null, scopes, origin, dailyLimit: found.daily_limit })
      .pipe(
        Effect.map(({ token }) => ({ token, scopes })),
        // The account was closed since.
        Effect.catchTags({
          AccountClosed: () => Effect.succeed("access_denied" as const),
          AccountNotFound: () => Effect.succeed("access_denied" as const)
        })
      )
  })

  const allowsOrigin = Effect.fn("Pairing.allowsOrigin")(function* (origin: string) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql`SELECT t.id FROM access_token t JOIN account a ON a.id = t.account_id
      WHERE t.origin = ${origin} AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${now})
      AND a.disabled_at IS NULL LIMIT 1`
    return rows.length > 0
  }, storing("the origin of a page was looked up"))

  return Pairing.of({ begin, find, decide, poll, allowsOrigin })
})

export const layer: Layer.Layer<Pairing, never, SqlClient.SqlClient | SecureRandom.SecureRandom | AccessTokens> =
  Layer.effect(Pairing, make)
