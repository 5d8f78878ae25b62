/**
 * Settlement: what a wallet owes for captured calls goes to the treasury (the service's wallet) in one transfer, when it has reached a
 * threshold, or after a time. The intent is booked before anything is sent, the transfer's reference is the settlement's id, and a
 * settlement cut off anywhere is taken up again with that reference.
 *
 * The transfer's gas is paid by the caller's wallet too: {@link TransferGas} of its balance is left for it, and what the rest does not
 * cover stays owed.
 */
import {
  AccountId,
  type Amount,
  amount,
  formatTokens,
  type LedgerUnavailable,
  NativeBalance,
  type StorageUnavailable,
  UNITS_PER_TOKEN,
  WalletAddress
} from "@treemark/core"
import { isDue, settledLines, settlementOf, settlingLines, tokens } from "@treemark/core/charging"
import { Clock, Context, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { AmountColumn } from "../store/Columns.ts"
import { randomId } from "../store/RandomId.ts"
import { storing } from "../store/StorageFailure.ts"
import { note, settlementsEnded } from "../telemetry/Metrics.ts"
import { HdWallets, SERVICE_WALLET } from "../wallets/HdWallets.ts"
import { Postings } from "./Postings.ts"
import { Transfers } from "./Transfers.ts"

/** A wallet that owes this much is settled at the next look. Default: 1 token. */
export const SettlementThreshold = Context.Reference<Amount>("@treemark/daemon/books/SettlementThreshold", {
  defaultValue: () => amount(UNITS_PER_TOKEN)
})

/** A wallet that owes anything is settled this often. */
export const SettlementInterval = Context.Reference<Duration.Duration>("@treemark/daemon/books/SettlementInterval", {
  defaultValue: () => Duration.minutes(15)
})

/** The most one transfer may cost in gas. Default: 0.01 tokens, which is 21,000 gas at 476 gwei. */
export const TransferGas = Context.Reference<Amount>("@treemark/daemon/books/TransferGas", {
  defaultValue: () => amount(UNITS_PER_TOKEN / 100n)
})

/** How often thresholds are looked at. */
const LOOK = Duration.seconds(5)

export class Settlement extends Context.Service<
  Settlement,
  {
    /**
     * Settles one account now: first a transfer that was cut off, else a new one of what is owed and the wallet can pay. Answers what
     * reached the treasury, 0 when nothing did; the reason is logged.
     */
    readonly settle: (accountId: AccountId) => Effect.Effect<Amount, StorageUnavailable | LedgerUnavailable>
    /**
     * Settles every account that owes at least `threshold`, and takes up every transfer that was cut off. An account whose transfer was
     * refused within the last interval waits. Failures are logged.
     */
    readonly settleAll: (threshold: Amount) => Effect.Effect<void, StorageUnavailable>
  }
>()("@treemark/daemon/books/Settlement") {}

const decodeOpen = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ id: Schema.String, account_id: AccountId, amount: AmountColumn, wallet_index: Schema.Int })
  )
)
const decodeAccount = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ wallet: WalletAddress, wallet_index: Schema.Int }))
)

interface OpenSettlement {
  readonly id: string
  readonly account_id: AccountId
  readonly amount: Amount
  readonly wallet_index: number
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const postings = yield* Postings
  const balances = yield* NativeBalance
  const transfers = yield* Transfers
  const hdWallets = yield* HdWallets
  const random = yield* SecureRandom.SecureRandom

  const openOf = Effect.fnUntraced(function* (accountId: AccountId) {
    const rows = yield* sql`SELECT s.id, s.account_id, s.amount, a.wallet_index FROM settlement s
      JOIN account a ON a.id = s.account_id WHERE s.account_id = ${accountId} AND s.state = 'sending'`
    return (yield* Effect.orDie(decodeOpen(rows)))[0]
  })

  const owedBy = (accountId: AccountId) =>
    Effect.map(postings.balances([tokens(accountId)]), ([balance = 0n]) => -balance)

  /** Books the intent to transfer what is owed and the wallet can pay; nothing when that is nothing. */
  const begin = Effect.fnUntraced(function* (accountId: AccountId) {
    const [account] = yield* Effect.orDie(
      decodeAccount(yield* sql`SELECT wallet, wallet_index FROM account WHERE id = ${accountId}`)
    )
    const owed = yield* owedBy(accountId)
    if (account === undefined || owed === 0n) return undefined
    const onChain = yield* balances.onMainnet(account.wallet)
    const value = settlementOf({ owed, onChain, reserve: yield* TransferGas })
    if (value === undefined) {
      yield* Effect.logWarning(
        `The wallet ${account.wallet} of account ${accountId} owes ${formatTokens(owed)} tokens and does not hold enough to transfer any of it. It stays owed, and counts against its next call.`
      )
      return undefined
    }
    const id = yield* randomId("stl", random)
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        const [balance = 0n] = yield* postings.lock([tokens(accountId)])
        if (-balance < value || (yield* openOf(accountId)) !== undefined) return undefined
        const created_at = yield* Clock.currentTimeMillis
        yield* sql`INSERT INTO settlement ${sql.insert({ id, account_id: accountId, amount: value.toString(), state: "sending", created_at })}`
        yield* postings.post({ id: `settling:${id}`, kind: "settling", reference: id }, settlingLines(accountId, value))
        return { id, account_id: accountId, amount: value, wallet_index: account.wallet_index }
      })
    )
  })

  const close = Effect.fnUntraced(function* (
    open: OpenSettlement,
    done: { readonly txHash: string; readonly gasPaid: Amount } | undefined
  ) {
    const state = done === undefined ? "returned" : "settled"
    const lines = settledLines(open.account_id, open.amount, state)
    yield* postings.post({ id: `${state}:${open.id}`, kind: state, reference: open.id }, lines)
    yield* sql`UPDATE settlement SET ${sql.update({
      state,
      tx_hash: done?.txHash ?? null,
      gas_paid: done?.gasPaid.toString() ?? null,
      closed_at: yield* Clock.currentTimeMillis
    })} WHERE id = ${open.id} AND state = 'sending'`
    yield* sql.afterCommit(Effect.sync(() => note(settlementsEnded, 1, { outcome: state })))
  }, sql.withTransaction)

  const settle = Effect.fn("Settlement.settle")(function* (accountId: AccountId) {
    const open = (yield* openOf(accountId)) ?? (yield* begin(accountId))
    if (open === undefined) return amount(0n)
    const transfer = {
      role: "mainnet",
      fromWalletIndex: open.wallet_index,
      to: hdWallets.address(SERVICE_WALLET),
      value: open.amount,
      reference: open.id
    } as const
    return yield* transfers.send(transfer).pipe(
      Effect.flatMap((done) => Effect.as(close(open, done), open.amount)),
      Effect.catchTag("TransferRefused", (refused) =>
        Effect.logWarning(refused.message).pipe(Effect.andThen(close(open, undefined)), Effect.as(amount(0n)))
      ),
      Effect.catchTag("TransferPending", (pending) => Effect.as(Effect.logInfo(pending.message), amount(0n)))
    )
  }, storing("what a wallet owes was settled"))

  const settleAll = Effect.fn("Settlement.settleAll")(function* (threshold: Amount) {
    const lately = (yield* Clock.currentTimeMillis) - Duration.toMillis(yield* SettlementInterval)
    const rows = yield* sql<{ readonly id: AccountId; readonly owed: string; readonly open: number | bigint }>`
      SELECT a.id, COALESCE(b.balance, '0') AS owed,
        (SELECT COUNT(*) FROM settlement s WHERE s.account_id = a.id AND s.state = 'sending') AS open
      FROM account a LEFT JOIN ledger_account b ON b.id = 'tokens:' || a.id
      WHERE NOT EXISTS (SELECT 1 FROM settlement r
        WHERE r.account_id = a.id AND r.state = 'returned' AND r.closed_at > ${lately})`
    const due = rows.filter((row) => Number(row.open) > 0 || isDue(-BigInt(row.owed), threshold))
    yield* Effect.forEach(
      due,
      (row) => settle(row.id).pipe(Effect.catch((error) => Effect.logWarning(error.message))),
      { discard: true }
    )
  }, storing("wallets that owe were looked up"))

  return Settlement.of({ settle, settleAll })
})

/** The service alone. */
export const layer = Layer.effect(Settlement, make)

/** Looks for wallets that owe for as long as the layer lives: at the threshold soon, at anything every interval. */
export const layerLoop = Layer.effectDiscard(
  Effect.gen(function* () {
    const settlement = yield* Settlement
    const threshold = yield* SettlementThreshold
    const interval = yield* SettlementInterval
    const every = (period: Duration.Duration, least: Amount) =>
      settlement.settleAll(least).pipe(
        Effect.catch((error) => Effect.logWarning(error.message)),
        Effect.schedule(Schedule.spaced(period)),
        Effect.forkScoped
      )
    yield* every(LOOK, threshold)
    yield* every(interval, amount(1n))
  })
)
