/**
 * How many bytes of files an account may store, and one token of it. Room is reserved before an upload is read, so that uploads at the same time cannot each take
 * what is left; the store has the last word when the file is registered. The same bytes count once, so a file of a size that the account has
 * already is read even when nothing is left: it may be that file again.
 */
import { ByteSize, Context, Effect, Schema, type Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** Bytes that each account may store; 0: no limit. */
export const StorageQuota = Context.Reference<number>("@treemark/daemon/content/StorageQuota", {
  defaultValue: () => 0
})

/** Bytes that may be stored with each token; 0: no limit but the account's. */
export const TokenStorageQuota = Context.Reference<number>("@treemark/daemon/content/TokenStorageQuota", {
  defaultValue: () => 0
})

/** Who stores, and how many bytes; `limit` 0: as many as come. */
export interface Quota {
  readonly of: "account" | "token"
  readonly id: string
  readonly limit: number
}

/** The tables that count what was stored, and the settings that bound it. */
export const COUNTED = { account: "account", token: "access_token" } as const
const SETTINGS = { account: "storage_quota", token: "token_storage_quota" } as const

const inWords = (bytes: number): string =>
  bytes < 1_000 ? `${bytes} bytes` : `${ByteSize.format(ByteSize.bytes(bytes), { system: "decimal" })} (${bytes} bytes)`

/** The account, or the token, has no room for the file. Nothing was registered, and what was stored of the file is removed. */
export class StorageQuotaReached extends Schema.TaggedError<StorageQuotaReached>()("StorageQuotaReached", {
  of: Schema.Literals(["account", "token"]),
  limit: Schema.Number,
  /** Bytes of its registered files. */
  used: Schema.Number,
  /** Bytes of its other uploads under way. */
  reserved: Schema.Number
}) {
  override get message() {
    const others = this.reserved === 0 ? "" : `, and ${inWords(this.reserved)} are reserved for its uploads under way`
    const left = Math.max(0, this.limit - this.used - this.reserved)
    return `The file was not registered: it does not fit into the storage of this ${this.of}. The ${this.of} may store ${inWords(this.limit)} and has stored ${inWords(this.used)}${others}, so ${inWords(left)} are left. Register a smaller file, or ask whoever runs this service for more room (the setting ${SETTINGS[this.of]}).`
  }
}

/** Room for one file. */
export interface Room {
  /** Takes room for `size` more bytes that have come. */
  readonly take: (size: number) => Effect.Effect<void, StorageQuotaReached>
}

const ENDLESS: Room = { take: () => Effect.void }

/** Of each account and token with uploads under way, the bytes reserved for them. */
export const makeRooms = (sql: SqlClient.SqlClient) => {
  const reserved = new Map<string, number>()
  const reservedFor = (id: string): number => reserved.get(id) ?? 0
  const reserve = (id: string, size: number): void => {
    const now = reservedFor(id) + size
    if (now === 0) reserved.delete(id)
    else reserved.set(id, now)
  }

  const roomOf = Effect.fnUntraced(function* (
    { id, limit, of }: Quota,
    declared: number,
    mayBeKnown: boolean
  ): Effect.fn.Return<Room, StorageQuotaReached | SqlError.SqlError, Scope.Scope> {
    const [row] = yield* sql<{ readonly used: number }>`SELECT stored_bytes AS used FROM ${sql(COUNTED[of])}
      WHERE id = ${id}`
    const used = Number(row?.used ?? 0)
    const reached = (own: number) =>
      new StorageQuotaReached({ of, limit, used, reserved: Math.max(0, reservedFor(id) - own) })
    let own = 0
    let come = 0
    const reserveMore = (size: number): boolean => {
      if (used + reservedFor(id) + size > limit) return false
      own += size
      reserve(id, size)
      return true
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => reserve(id, -own)))
    if (!mayBeKnown && !reserveMore(declared)) return yield* reached(0)
    return {
      take: (size) =>
        Effect.suspend(() => {
          come += size
          const isPaidFor = come <= own || (mayBeKnown && come <= declared)
          return isPaidFor || reserveMore(come - own) ? Effect.void : Effect.fail(reached(own))
        })
    }
  })

  /** Room for a file of `quotas` until the scope closes, the account's first; `declared`: how many bytes it will have at least, as far as was said. */
  return Effect.fnUntraced(function* (
    quotas: ReadonlyArray<Quota>,
    declared: number
  ): Effect.fn.Return<Room, StorageQuotaReached | SqlError.SqlError, Scope.Scope> {
    const bounded = quotas.filter(({ limit }) => limit > 0)
    const account = quotas.find(({ of }) => of === "account")
    if (bounded.length === 0 || account === undefined) return ENDLESS
    const known = yield* sql`SELECT asset_cid FROM holding
      WHERE account_id = ${account.id} AND bytes = ${declared} AND bytes > 0 LIMIT 1`
    const rooms = yield* Effect.forEach(bounded, (quota) => roomOf(quota, declared, known.length > 0))
    return { take: (size) => Effect.forEach(rooms, ({ take }) => take(size), { discard: true }) }
  })
}
