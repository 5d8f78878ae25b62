/**
 * Double entry on SQL: an entry's lines sum to zero, and every balance changes in the same transaction. Amounts are signed bigints
 * of 10^-18, computed here and stored as decimal text. Methods fail with `SqlError`, so that callers compose them in one transaction.
 */
import { Array as Arr, Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { BookAccount } from "./BookAccounts.ts"

/** What an entry is called. Its `id` is chosen by the caller and posts once, whatever happens. */
export interface Entry {
  readonly id: string
  readonly kind: string
  readonly reference: string
}

/** `amount` is added to the balance of `account`; negative takes away. */
export interface Line {
  readonly account: BookAccount
  readonly amount: bigint
}

export class Postings extends Context.Service<
  Postings,
  {
    /**
     * Posts an entry, in the transaction around it or in one of its own. True when it was posted, false when an entry of that id
     * was there already: then nothing changes. Dies when the lines do not sum to zero or an account would leave its side of zero.
     */
    readonly post: (entry: Entry, lines: ReadonlyArray<Line>) => Effect.Effect<boolean, SqlError.SqlError>
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

      const write = Effect.fnUntraced(function* (entry: Entry, sums: ReadonlyArray<Line>) {
        const created_at = yield* Clock.currentTimeMillis
        const posted = yield* sql`INSERT INTO ledger_entry ${sql.insert({ ...entry, created_at })}
          ON CONFLICT (id) DO NOTHING RETURNING id`
        if (posted.length === 0) return false
        if (!Arr.isReadonlyArrayNonEmpty(sums)) return true
        const before = yield* lock(sums.map((line) => line.account))
        const after = Arr.map(sums, ({ account, amount }, n) => ({ account, balance: (before[n] ?? 0n) + amount }))
        const wrong = after.find(({ account, balance }) => (account.side === "credit" ? balance < 0n : balance > 0n))
        if (wrong !== undefined) {
          const { account, balance } = wrong
          return yield* Effect.die(
            new Error(`The entry ${entry.id} would bring ${account.id}, a ${account.side} account, to ${balance}.`)
          )
        }
        const rows = Arr.map(after, ({ account, balance }) => rowOf(account, balance))
        yield* sql`INSERT INTO ledger_account ${sql.insert(rows)} ON CONFLICT (id) DO UPDATE SET balance = excluded.balance`
        yield* sql`INSERT INTO posting ${sql.insert(
          Arr.map(sums, ({ account, amount }) => ({
            entry_id: entry.id,
            account_id: account.id,
            amount: amount.toString()
          }))
        )}`
        return true
      })

      const post = Effect.fnUntraced(function* (entry: Entry, lines: ReadonlyArray<Line>) {
        const sums = summed(lines)
        const total = sums.reduce((sum, line) => sum + line.amount, 0n)
        if (total !== 0n) return yield* Effect.die(new Error(`The entry ${entry.id} is not balanced: off by ${total}.`))
        const around = yield* Effect.serviceOption(sql.transactionService)
        return yield* Option.isSome(around) ? write(entry, sums) : sql.withTransaction(write(entry, sums))
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

/** One line per account, zero lines left out, in the one order in which all entries take their locks. */
const summed = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const sums = new Map<string, Line>()
  for (const { account, amount } of lines) {
    sums.set(account.id, { account, amount: (sums.get(account.id)?.amount ?? 0n) + amount })
  }
  return [...sums.values()].filter((line) => line.amount !== 0n).sort((a, b) => byId(a.account, b.account))
}
