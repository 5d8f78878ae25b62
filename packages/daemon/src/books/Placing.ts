/**
 * Setting money aside, as parts of the transaction at hand: first what it can be taken from, which changes nothing and may refuse; then
 * the hold. One piece of work (account, operation, reference) has at most one hold that was not released: asked for again it is that
 * one, in whatever state, so that a repeated call is not charged twice.
 *
 * The gas of a later settlement comes out of the wallet too. A wallet that holds exactly the price is served all the same, because
 * the interface asks for no more; what the transfer cannot carry stays owed, and counts against the wallet's next call.
 */
import {
  type Amount,
  amount,
  type Caller,
  InsufficientFunds,
  type Operation,
  type SpendingLimitReached
} from "@treemark/core"
import { credits, type Funding, fundingFor, heldCredits, holdLines, overLimit, payable } from "@treemark/core/charging"
import { Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { orderedId } from "../store/RandomId.ts"
import { ReplicaId } from "../store/Replica.ts"
import { holdQuery, type StoredHold } from "./Holds.ts"
import { Postings } from "./Postings.ts"
import { makeTokenSpending } from "./TokenSpending.ts"
import { WalletDebt, type WalletReading } from "./WalletDebt.ts"

/** Money that is wanted for a piece of work, by the prices of today. */
export interface Wanted {
  readonly caller: Caller
  readonly operation: Operation
  readonly reference: string
  readonly amount: Amount
  readonly price: Amount
  readonly priceVersion: string
  /** Whether the work is certain to have no hold yet. */
  readonly isNew: boolean
}

/** What money can be taken from: `ask` for the wallet's balance on the chain; the hold that the work has; or why not. */
export type Source =
  | { readonly _tag: "ask" }
  | { readonly _tag: "held"; readonly hold: StoredHold }
  | { readonly _tag: "refused"; readonly why: InsufficientFunds | SpendingLimitReached }
  | { readonly _tag: "found"; readonly funding: Funding; readonly balances: ReadonlyMap<string, bigint> }

interface Standing {
  readonly closed_at: number | bigint | null
  readonly hold_id: string | null
}

export const makePlacing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const postings = yield* Postings
  const debt = yield* WalletDebt
  const random = yield* SecureRandom.SecureRandom
  const replica_id = yield* ReplicaId
  const holds = holdQuery(sql)
  const spending = yield* makeTokenSpending

  /** The hold that the work has already, and whether the account was closed just before: then there is nothing there to be spent. */
  const standingOf = ({ caller, operation, reference }: Wanted) =>
    Effect.map(
      sql<Standing>`SELECT a.closed_at, (SELECT h.id FROM hold h WHERE h.account_id = a.id AND h.operation = ${operation}
        AND h.reference = ${reference} AND h.state <> 'released') AS hold_id FROM account a WHERE a.id = ${caller.accountId}`,
      (rows) => rows[0] ?? { closed_at: null, hold_id: null }
    )

  /** Needs the account's books locked: all calls of a token wait for each other there. */
  const refusedByLimit = Effect.fnUntraced(function* ({ amount: needed, caller: { token } }: Wanted) {
    if (token === undefined || token.dailyLimit === null) return undefined
    const spent = (yield* spending.today([token.id])).get(token.id) ?? 0n
    return overLimit(amount(token.dailyLimit), { spent, needed, at: yield* Clock.currentTimeMillis })
  })

  /** Without a reading of the wallet only credits are tried; with one, credits still come first. A closed account has no credits. */
  const find = Effect.fnUntraced(function* (wanted: Wanted, reading: WalletReading | undefined) {
    const { accountId } = wanted.caller
    const accounts = [credits(accountId), heldCredits(accountId)]
    const [balance = 0n, held = 0n] = yield* postings.lock(accounts)
    const isShort = balance < wanted.amount
    const standing = wanted.isNew && !isShort ? undefined : yield* standingOf(wanted)
    if (typeof standing?.hold_id === "string") {
      const [hold] = yield* holds(sql`WHERE h.id = ${standing.hold_id}`)
      if (hold !== undefined) return { _tag: "held", hold } satisfies Source as Source
    }
    const limited = yield* refusedByLimit(wanted)
    if (limited !== undefined) return { _tag: "refused", why: limited } satisfies Source as Source
    const isClosed = typeof standing?.closed_at === "number" || typeof standing?.closed_at === "bigint"
    let wallet: Amount | undefined = isClosed ? amount(0n) : undefined
    if (isShort && !isClosed && reading !== undefined) {
      const { owed, settled } = yield* debt.lock(accountId)
      if (settled === reading.settled) wallet = payable(reading.onChain, owed)
    }
    const funding = fundingFor(wanted.amount, { credits: isClosed ? 0n : balance, wallet })
    if (funding === "ask") return { _tag: "ask" } satisfies Source as Source
    if (funding === "insufficient") {
      const has = { credits: amount(isClosed ? 0n : balance), tokens: wallet ?? amount(0n) }
      return {
        _tag: "refused",
        why: new InsufficientFunds({ needed: wanted.amount, ...has })
      } satisfies Source as Source
    }
    const balances = new Map(accounts.map(({ id }, n) => [id, n === 0 ? balance : held]))
    return { _tag: "found", funding, balances } satisfies Source as Source
  })

  /** The hold, taken from what was found; `at` is milliseconds since 1970. */
  const write = Effect.fnUntraced(function* (
    wanted: Wanted,
    { balances, funding }: Extract<Source, { readonly _tag: "found" }>,
    at: number
  ) {
    const { caller, operation, price, priceVersion, reference } = wanted
    const id = yield* orderedId("hold", random)
    const lines = holdLines({ accountId: caller.accountId, amount: wanted.amount, funding })
    yield* postings.post({ id: `hold:${id}`, kind: "hold", reference, at }, lines, balances)
    yield* sql`INSERT INTO hold ${sql.insert({
      id,
      account_id: caller.accountId,
      operation,
      reference,
      amount: wanted.amount.toString(),
      funding,
      state: "held",
      price: price.toString(),
      price_version: priceVersion,
      token_id: caller.token?.id ?? null,
      replica_id,
      created_at: at
    })}`
    return { id, caller, operation, reference, amount: wanted.amount, price }
  })

  return { find, write, readWallet: debt.read }
})
