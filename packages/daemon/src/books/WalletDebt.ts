/**
 * What a caller's wallet can still pay: its balance on the mainnet less what is held, captured but not settled, and under way to
 * the treasury. The chain is asked outside any transaction; `settled` counts finished transfers, so that a balance read before one
 * of them is never set against the debt that is left after it, which would count the same tokens twice.
 */
import { type AccountId, type Caller, NativeBalance } from "@treemark/core"
import { debtAccounts, owedOf } from "@treemark/core/charging"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Postings } from "./Postings.ts"

/** `owed` in 10^-18, and the number of transfers that had been settled when it was read. */
export interface Debt {
  readonly owed: bigint
  readonly settled: number
}

/** What the wallet held on the chain, and the number of transfers that had been settled before it was asked. */
export interface WalletReading {
  readonly onChain: bigint
  readonly settled: number
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const postings = yield* Postings
  const balances = yield* NativeBalance

  const settledCount = Effect.fnUntraced(function* (accountId: AccountId) {
    const rows = yield* sql<{ readonly n: number | bigint }>`
      SELECT COUNT(*) AS n FROM settlement WHERE account_id = ${accountId} AND state = 'settled'`
    return Number(rows[0]?.n ?? 0)
  })

  /** Asks the chain. Never call this inside a transaction. */
  const read = Effect.fnUntraced(function* (caller: Pick<Caller, "accountId" | "wallet">) {
    const settled = yield* settledCount(caller.accountId)
    return { onChain: yield* balances.onMainnet(caller.wallet), settled }
  })

  /** The debt, its accounts locked until the transaction around it ends. */
  const lock = Effect.fnUntraced(function* (accountId: AccountId) {
    const owed = owedOf(yield* postings.lock(debtAccounts(accountId)))
    return { owed, settled: yield* settledCount(accountId) }
  })

  return { read, lock }
})

export class WalletDebt extends Context.Service<WalletDebt, Effect.Success<typeof make>>()(
  "@treemark/daemon/books/WalletDebt"
) {
  static readonly layer = Layer.effect(WalletDebt, make)
}
