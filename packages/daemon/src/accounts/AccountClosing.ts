/**
 * Closing an account for good, in steps that are each stored, so that a close cut off anywhere is simply asked for again: no new calls
 * (the account is disabled), the end of those under way, what its wallet owes settled by a transfer, then in one transaction its
 * tokens revoked and the account closed. Its books, receipts and history stay; credits that are left stay on its books, unspent.
 */
import {
  type AccountId,
  type Amount,
  amount,
  formatTokens,
  type LedgerUnavailable,
  type StorageUnavailable
} from "@treemark/core"
import { credits, heldCredits, heldTokens, settling, tokens } from "@treemark/core/charging"
import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Postings } from "../books/Postings.ts"
import { Settlement } from "../books/Settlement.ts"
import { commitTable } from "../commits/CommitTable.ts"
import { elapsedMillis } from "../evm/Elapsed.ts"
import { storing } from "../store/StorageFailure.ts"
import { type Account, type AccountNotFound, Accounts } from "./Accounts.ts"

/** How long a close waits for calls and transfers under way. */
export const ClosePatience = Context.Reference<Duration.Duration>("@treemark/daemon/accounts/ClosePatience", {
  defaultValue: () => Duration.seconds(60)
})

const LOOK = Duration.millis(200)

/** Calls or a transfer of the account were still under way; it is disabled by now, and can be closed later. */
export class AccountBusy extends Schema.TaggedError<AccountBusy>()("AccountBusy", {
  name: Schema.String,
  what: Schema.String
}) {
  override get message() {
    return `The account "${this.name}" is not closed yet: ${this.what}. It is disabled, so nothing new begins. Close it again in a while; nothing is done twice.`
  }
}

/** The account's wallet owes more than it can pay. */
export class AccountOwes extends Schema.TaggedError<AccountOwes>()("AccountOwes", {
  name: Schema.String,
  wallet: Schema.String,
  owed: Schema.String
}) {
  override get message() {
    return `The account "${this.name}" is not closed: its wallet ${this.wallet} owes ${this.owed} tokens for calls that were made, and does not hold that much and the gas of a transfer. It is disabled, so nothing new begins. Send tokens to that wallet and close it again, or close it with --leave-debt, which keeps the debt on its books.`
  }
}

/** Amounts are 10^-18. */
export interface Closed {
  readonly account: Account
  /** What reached the service's wallet by this close. */
  readonly settled: Amount
  /** What its wallet still owes: more than zero only where that was allowed. */
  readonly owed: Amount
  readonly tokensRevoked: number
}

export interface CloseRequest {
  /** Whether to close the account although its wallet cannot pay what it owes. */
  readonly leaveDebt: boolean
}

export class AccountClosing extends Context.Service<
  AccountClosing,
  {
    /** Closes the account with this id or name. One that is closed already is answered as it is. */
    readonly close: (
      idOrName: string,
      request: CloseRequest
    ) => Effect.Effect<Closed, AccountBusy | AccountNotFound | AccountOwes | LedgerUnavailable | StorageUnavailable>
  }
>()("@treemark/daemon/accounts/AccountClosing") {
  static readonly layer: Layer.Layer<AccountClosing, never, SqlClient.SqlClient | Accounts | Postings | Settlement> =
    Layer.effect(
      AccountClosing,
      Effect.suspend(() => make)
    )
}

interface Standing {
  readonly calls: bigint
  readonly underWay: bigint
  readonly owed: bigint
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts
  const postings = yield* Postings
  const settlement = yield* Settlement
  const patience = Duration.toMillis(yield* ClosePatience)
  const commits = commitTable(sql)

  /** What is under way or owed; the account's books stay locked until the transaction around it ends. */
  const standing = Effect.fnUntraced(function* (id: AccountId) {
    const books = [credits(id), heldCredits(id), heldTokens(id), settling(id), tokens(id)]
    const [, inCredits = 0n, inTokens = 0n, underWay = 0n, owed = 0n] = yield* postings.lock(books)
    const jobs = (yield* commits.hasOpen(id)) ? 1n : 0n
    return { calls: inCredits + inTokens + jobs, underWay: -underWay, owed: -owed } satisfies Standing
  }, sql.withTransaction)

  const waitFor = Effect.fnUntraced(function* (
    id: AccountId,
    until: number,
    isOver: (found: Standing) => boolean
  ): Effect.fn.Return<Standing, SqlError.SqlError> {
    for (;;) {
      const found = yield* standing(id)
      if (isOver(found) || (yield* elapsedMillis) >= until) return found
      yield* Effect.sleep(LOOK)
    }
  })

  /** Settles until nothing is owed, nothing more can be paid, or patience is at its end. */
  const settleAll = Effect.fnUntraced(function* (id: AccountId, until: number) {
    let settled = 0n
    for (;;) {
      const before = yield* standing(id)
      if (before.owed === 0n && before.underWay === 0n) break
      const paid = yield* settlement.settle(id)
      settled += paid
      const { underWay } = yield* waitFor(id, until, (found) => found.underWay === 0n || before.underWay === 0n)
      if (paid === 0n && underWay === 0n && before.underWay === 0n) break
      if ((yield* elapsedMillis) >= until) break
      if (paid === 0n) yield* Effect.sleep(LOOK)
    }
    return amount(settled)
  })

  /** The last step, in one transaction: nothing can have begun between the look and the mark. */
  const seal = Effect.fnUntraced(function* ({ id, name, wallet }: Account, { leaveDebt }: CloseRequest) {
    const { calls, owed, underWay } = yield* standing(id)
    if (calls !== 0n) return yield* new AccountBusy({ name, what: "calls of it are still under way" })
    if (underWay !== 0n) {
      const what = `a transfer of ${formatTokens(underWay)} tokens that its wallet owes is still under way`
      return yield* new AccountBusy({ name, what })
    }
    if (owed !== 0n && !leaveDebt) return yield* new AccountOwes({ name, wallet, owed: formatTokens(owed) })
    const at = yield* Clock.currentTimeMillis
    yield* sql`UPDATE account SET closed_at = COALESCE(closed_at, ${at}), disabled_at = COALESCE(disabled_at, ${at})
      WHERE id = ${id}`
    const revoked = yield* sql`UPDATE access_token SET revoked_at = ${at}
      WHERE account_id = ${id} AND revoked_at IS NULL RETURNING id`
    return { owed: amount(owed), tokensRevoked: revoked.length }
  }, sql.withTransaction)

  const close = Effect.fn("AccountClosing.close")(function* (idOrName: string, request: CloseRequest) {
    const found = yield* accounts.find(idOrName)
    if (found.closed) {
      const { owed } = yield* standing(found.id)
      return { account: found, settled: amount(0n), owed: amount(owed), tokensRevoked: 0 }
    }
    const account = yield* accounts.setDisabled(found.id, true).pipe(Effect.catchTag("AccountClosed", Effect.die))
    const until = (yield* elapsedMillis) + patience
    const { calls } = yield* waitFor(account.id, until, (now) => now.calls === 0n)
    const settled = calls === 0n ? yield* settleAll(account.id, until) : amount(0n)
    const sealed = yield* seal(account, request)
    return { account: yield* accounts.find(account.id), settled, ...sealed }
  }, storing("an account was closed"))

  return AccountClosing.of({ close })
})
