/**
 * How many bytes of files an account may store. Room is reserved before an upload is read, so that uploads at the same time cannot each take
 * what is left; the store has the last word when the file is registered. The same bytes count once, so a file of a size that the account has
 * already is read even when nothing is left: it may be that file again.
 */
import type { AccountId } from "@treemark/core"
import { ByteSize, Context, Effect, Schema, type Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** Bytes that each account may store; 0: no limit. */
export const StorageQuota = Context.Reference<number>("@treemark/daemon/content/StorageQuota", {
  defaultValue: () => 0
})

const inWords = (bytes: number): string =>
  bytes < 1_000 ? `${bytes} bytes` : `${ByteSize.format(ByteSize.bytes(bytes), { system: "decimal" })} (${bytes} bytes)`

/** The account has no room for the file. Nothing was registered, and what was stored of the file is removed. */
export class StorageQuotaReached extends Schema.TaggedError<StorageQuotaReached>()("StorageQuotaReached", {
  limit: Schema.Number,
  /** Bytes of the account's registered files. */
  used: Schema.Number,
  /** Bytes of its other uploads under way. */
  reserved: Schema.Number
}) {
  override get message() {
    const others = this.reserved === 0 ? "" : `, and ${inWords(this.reserved)} are reserved for its uploads under way`
    const left = Math.max(0, this.limit - this.used - this.reserved)
    return `The file was not registered: it does not fit into the storage of this account. The account may store ${inWords(this.limit)} and has stored ${inWords(this.used)}${others}, so ${inWords(left)} are left. Register a smaller file, or ask whoever runs this service for more room (the setting storage_quota).`
  }
}

/** Room for one file. */
export interface Room {
  /** Takes room for `size` more bytes that have come. */
  readonly take: (size: number) => Effect.Effect<void, StorageQuotaReached>
}

const ENDLESS: Room = { take: () => Effect.void }

/** Of each account with uploads under way, the bytes reserved for them. */
export const makeRooms = (sql: SqlClient.SqlClient, limit: number) => {
  const reserved = new Map<AccountId, number>()
  const reservedFor = (account: AccountId): number => reserved.get(account) ?? 0
  const reserve = (account: AccountId, size: number): void => {
    const now = reservedFor(account) + size
    if (now === 0) reserved.delete(account)
    else reserved.set(account, now)
  }

  /** Room for a file of the account until the scope closes; `declared`: how many bytes it will have at least, as far as was said. */
  return Effect.fnUntraced(function* (
    account: AccountId | undefined,
    declared: number
  ): Effect.fn.Return<Room, StorageQuotaReached | SqlError.SqlError, Scope.Scope> {
    if (limit === 0 || account === undefined) return ENDLESS
    const [row] = yield* sql<{ readonly used: number; readonly known: number }>`SELECT stored_bytes AS used,
      (SELECT COUNT(*) FROM holding WHERE account_id = ${account} AND bytes = ${declared} AND bytes > 0) AS known
      FROM account WHERE id = ${account}`
    const used = Number(row?.used ?? 0)
    const mayBeKnown = Number(row?.known ?? 0) > 0
    const reached = (own: number) =>
      new StorageQuotaReached({ limit, used, reserved: Math.max(0, reservedFor(account) - own) })
    let own = 0
    let come = 0
    const reserveMore = (size: number): boolean => {
      if (used + reservedFor(account) + size > limit) return false
      own += size
      reserve(account, size)
      return true
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => reserve(account, -own)))
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
}
