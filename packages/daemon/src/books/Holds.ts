/**
 * The holds as stored: found again after a restart, when nobody remembers them. Work that was cut off between hold and capture leaves
 * an open hold; a commit job captures or releases its own, and `abandoned` tells those that nothing will ever close.
 */
import {
  AccountId,
  type Amount,
  Caller,
  type Hold,
  Operation,
  type StorageUnavailable,
  WalletAddress
} from "@treemark/core"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AmountColumn, IntColumn } from "../store/Columns.ts"
import { isAlive } from "../store/Replica.ts"
import { storing } from "../store/StorageFailure.ts"

/** Times are milliseconds since 1970. */
export interface StoredHold extends Hold {
  readonly state: "held" | "captured" | "released"
  readonly funding: "credits" | "tokens"
  /** What was charged; null while held and when released. */
  readonly captured: Amount | null
  /** The operation's price when the money was held; the rest of what is captured is gas. */
  readonly price: Amount
  /** Version of the price list that price is from. */
  readonly priceVersion: string
  readonly createdAt: number
}

/** What of a hold its end is written from. */
export type OpenHold = Pick<
  StoredHold,
  "id" | "operation" | "reference" | "amount" | "price" | "priceVersion" | "funding"
> & {
  readonly caller: Pick<StoredHold["caller"], "accountId">
}

export class Holds extends Context.Service<
  Holds,
  {
    /** The hold with this id in any state. */
    readonly byId: (id: string) => Effect.Effect<Option.Option<StoredHold>, StorageUnavailable>
    /** Every hold neither captured nor released, oldest first. */
    readonly open: Effect.Effect<ReadonlyArray<StoredHold>, StorageUnavailable>
    /** Open holds made before `createdBefore` that no commit job refers to, by a daemon that lives no more: their work ended with it. */
    readonly abandoned: (createdBefore: number) => Effect.Effect<ReadonlyArray<StoredHold>, StorageUnavailable>
  }
>()("@treemark/daemon/books/Holds") {
  static readonly layer: Layer.Layer<Holds, never, SqlClient.SqlClient> = Layer.effect(
    Holds,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const select = holdQuery(sql)
      return Holds.of({
        byId: Effect.fn("Holds.byId")(
          (id: string) => select(sql`WHERE h.id = ${id}`).pipe(Effect.map((found) => Option.fromUndefinedOr(found[0]))),
          storing("a hold was looked up")
        ),
        open: select(sql`WHERE h.state = 'held' ORDER BY h.created_at, h.id`).pipe(
          storing("open holds were listed"),
          Effect.withSpan("Holds.open")
        ),
        abandoned: Effect.fn("Holds.abandoned")(
          (createdBefore: number) =>
            select(sql`WHERE h.state = 'held' AND h.created_at < ${createdBefore}
              AND NOT EXISTS (SELECT 1 FROM commit_job j WHERE j.hold_id = h.id)
              AND NOT ${isAlive(sql, "h.replica_id")} ORDER BY h.created_at, h.id`),
          storing("abandoned holds were listed")
        )
      })
    })
  )
}

const Row = Schema.Struct({
  id: Schema.String,
  account_id: AccountId,
  name: Schema.String,
  service_name: Schema.String,
  wallet: WalletAddress,
  operation: Operation,
  reference: Schema.String,
  amount: AmountColumn,
  captured: Schema.NullOr(AmountColumn),
  funding: Schema.Literals(["credits", "tokens"]),
  state: Schema.Literals(["held", "captured", "released"]),
  price: AmountColumn,
  price_version: Schema.String,
  created_at: IntColumn
})

const decodeRow = Schema.decodeUnknownEffect(Row)

/** Reads holds with their callers; the fragment says which, with `h` for the hold and `a` for the account. */
export const holdQuery = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (which: ReturnType<typeof sql.literal>) {
    const rows = yield* sql`
      SELECT h.id, h.account_id, a.name, a.service_name, a.wallet, h.operation, h.reference, h.amount, h.captured,
        h.funding, h.state, h.price, h.price_version, h.created_at
      FROM hold h JOIN account a ON a.id = h.account_id ${which}`
    return yield* Effect.forEach(rows, (row) => Effect.map(Effect.orDie(decodeRow(row)), holdOf))
  })

const holdOf = (row: typeof Row.Type): StoredHold => ({
  id: row.id,
  caller: new Caller({
    accountId: row.account_id,
    name: row.name,
    serviceName: row.service_name,
    wallet: row.wallet
  }),
  operation: row.operation,
  reference: row.reference,
  amount: row.amount,
  captured: row.captured,
  funding: row.funding,
  state: row.state,
  price: row.price,
  priceVersion: row.price_version,
  createdAt: row.created_at
})
