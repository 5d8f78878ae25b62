/**
 * Double entry on SQL: an entry's lines sum to zero, and every balance changes in the same transaction. Amounts are signed bigints
 * of 10^-18, computed in core (charging/Entry) and stored as decimal text. Methods fail with `SqlError`, so that callers compose them in one transaction.
 */
import { type BookAccount, balancesAfter, type Line, linesOf } from "@treemark/core/charging"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** What an entry is called. Its `id` is chosen by the caller and posts once, whatever happens. */
export interface Entry {
  readonly id: string
  readonly kind: string
  readonly reference: string
  /** When, in milliseconds since 1970; now by default. */
  readonly at?: number
}

export class Postings extends Context.Service<
  Postings,
  {
    /**
     * Posts an entry, in the transaction around it or in one of its own. True when it was posted, false when an entry of that id
     * was there already: then nothing changes. Dies when the lines do not sum to zero or an account would leave its side of zero.
     * `locked`: balances by account that the transaction around it has locked already, for an entry that is certainly new.
     */
    readonly post: (
      entry: Entry,
      lines: ReadonlyArray<Line>,
      locked?: ReadonlyMap<string, bigint>
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /** The balances, in the order asked for; locked until the transaction around it ends. */
    readonly lock: (accounts: ReadonlyArray<BookAccount>) => Effect.Effect<ReadonlyArray<bigint>, SqlError.SqlError>
    /** The balances as they are now, in the order asked for; zero for an account nothing was posted to. */
    readonly balances: (accounts: ReadonlyArray<BookAccount>) => Effect.Effect<ReadonlyArray<bigint>, SqlError.SqlError>
  }
>()("@treemark/daemon/books/Postings") {
  static readonly layer: Layer.Layer<Postings, never, SqlClient.SqlClient> = Layer.effect(
    Postings,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const forUpdate = sql.literal(sql.onDialectOrElse({ pg: () => " ORDER BY id FOR UPDATE", orElse: () => "" }))

      const select = Effect.fnUntraced(function* (accounts: ReadonlyArray<BookAccount>, suffix: typeof forUpdate) {
        const ids = accounts.map((account) => account.id)
        const rows = yield* sql<{ readonly id: string; readonly balance: string }>`
          SELECT id, balance FROM ledger_account WHERE ${sql.in("id", ids)}${suffix}`
        return new Map(rows.map((row) => [row.id, BigInt(row.balance)]))
      })

      const inOrder = (accounts: ReadonlyArray<BookAccount>, found: ReadonlyMap<string, bigint>) =>
        accounts.map((account) => found.get(account.id) ?? 0n)

      const lock = Effect.fnUntraced(function* (accounts: ReadonlyArray<BookAccount>) {
        let found = yield* select(accounts, forUpdate)
        if (accounts.some((account) => !found.has(account.id))) {
          for (const account of [...accounts].sort(byId)) {
            yield* sql`INSERT INTO ledger_account ${sql.insert(rowOf(account, 0n))} ON CONFLICT (id) DO NOTHING`
          }
          found = yield* select(accounts, forUpdate)
        }
        return inOrder(accounts, found)
      })

      const isPosted = (id: string) =>
        Effect.map(sql`SELECT id FROM ledger_entry WHERE id = ${id}`, (rows) => rows.length > 0)

      /** Whoever locked the accounts of an entry alone can post it: whether it is there already is asked after that. */
      const write = Effect.fnUntraced(function* (
        { at, id, kind, reference }: Entry,
        sums: ReadonlyArray<Line>,
        locked: ReadonlyMap<string, bigint>
      ) {
        const accounts = sums.map((line) => line.account)
        let before = inOrder(accounts, locked)
        if (sums.length === 0 || !accounts.every((account) => locked.has(account.id))) {
          if (sums.length > 0) before = yield* lock(accounts)
          if (yield* isPosted(id)) return false
        }
        const after = balancesAfter(id, sums, before)
        const lines = sums.map(({ account, amount }, n) => {
          const { debit, kind } = rowOf(account, 0n)
          return [account.id, kind, debit, String(after[n]), amount.toString()]
        })
        const created_at = at ?? (yield* Clock.currentTimeMillis)
        yield* sql`INSERT INTO new_entry ${sql.insert({ id, kind, reference, created_at, lines: JSON.stringify(lines) })}`
        return true
      })

      const post = Effect.fnUntraced(function* (
        entry: Entry,
        lines: ReadonlyArray<Line>,
        locked: ReadonlyMap<string, bigint> = new Map()
      ) {
        const sums = linesOf(entry.id, lines)
        const around = yield* Effect.serviceOption(sql.transactionService)
        return yield* Option.isSome(around)
          ? write(entry, sums, locked)
          : sql.withTransaction(write(entry, sums, locked))
      })

      return Postings.of({
        post,
        lock,
        balances: (accounts) => Effect.map(select(accounts, sql.literal("")), (found) => inOrder(accounts, found))
      })
    })
  )
}

const rowOf = ({ id, kind, side }: BookAccount, balance: bigint) => {
  const debit = side === "debit" ? 1 : 0
  return { id, kind, overdraft: debit, debit, balance: balance.toString() }
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)
