/**
 * Layer of core's `Charges` over the books. One piece of work (account, operation, reference) has at most one hold that was not
 * released: asked for again it is that hold, in whatever state, so that a repeated call is not charged twice.
 *
 * The gas of a later settlement comes out of the wallet too. A wallet that holds exactly the price is served all the same, because
 * the interface asks for no more; what the transfer cannot carry stays owed, and counts against the wallet's next call.
 */
import {
  type Amount,
  amount,
  Charges,
  type Hold,
  InsufficientFunds,
  type LedgerUnavailable,
  Prices,
  type StorageUnavailable
} from "@treemark/core"
import { chargeOf, credits, type Funding, fundingFor, holdLines, payable } from "@treemark/core/charging"
import { Clock, Duration, Effect, Layer, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { randomId } from "../store/RandomId.ts"
import { ReplicaId } from "../store/Replica.ts"
import { storing } from "../store/StorageFailure.ts"
import type { HdWallets } from "../wallets/HdWallets.ts"
import { makeHoldEntries } from "./HoldEntries.ts"
import { holdQuery } from "./Holds.ts"
import { Postings } from "./Postings.ts"
import { Receipts } from "./Receipts.ts"
import { WalletDebt, type WalletReading } from "./WalletDebt.ts"

interface Standing {
  readonly closed_at: number | bigint | null
  readonly hold_id: string | null
}

type HoldRequest = Parameters<Charges["Service"]["hold"]>[0]

/** How long a store that could not be used is left alone before a hold that stayed open is tried again. */
const AGAIN = Duration.seconds(1)

/** A hold, or why not yet: `ask` for the wallet's balance on the chain. */
type Placed = { readonly hold: Hold } | "ask"

export const layer: Layer.Layer<
  Charges | Receipts,
  StorageUnavailable,
  SqlClient.SqlClient | Postings | WalletDebt | HdWallets | SecureRandom.SecureRandom
> = Layer.effect(
  Charges,
  Effect.gen(function* () {
    const entries = yield* makeHoldEntries
    const sql = yield* SqlClient.SqlClient
    const postings = yield* Postings
    const debt = yield* WalletDebt
    const random = yield* SecureRandom.SecureRandom
    const replica_id = yield* ReplicaId
    const scope = yield* Effect.scope
    const closing = new Set<string>()
    const holds = holdQuery(sql)
    const forUpdate = sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE OF h", orElse: () => "" }))

    const write = Effect.fnUntraced(function* (request: HoldRequest, funding: Funding) {
      const { caller, operation, reference } = request
      const { accountId } = caller
      const prices = yield* Prices
      const id = yield* randomId("hold", random)
      const lines = holdLines({ accountId, amount: request.amount, funding })
      yield* postings.post({ id: `hold:${id}`, kind: "hold", reference }, lines)
      yield* sql`INSERT INTO hold ${sql.insert({
        id,
        account_id: accountId,
        operation,
        reference,
        amount: request.amount.toString(),
        funding,
        state: "held",
        price: prices[operation].toString(),
        price_version: prices.version,
        replica_id,
        created_at: yield* Clock.currentTimeMillis
      })}`
      return { hold: { id, caller, operation, reference, amount: request.amount, price: prices[operation] } }
    })

    /**
     * The hold that the work has already, and whether the account was closed: a call that was let in just before that finds nothing there
     * that it may spend.
     */
    const standingOf = ({ caller, operation, reference }: HoldRequest) =>
      Effect.map(
        sql<Standing>`SELECT a.closed_at, (SELECT h.id FROM hold h WHERE h.account_id = a.id AND h.operation = ${operation}
          AND h.reference = ${reference} AND h.state <> 'released') AS hold_id FROM account a WHERE a.id = ${caller.accountId}`,
        (rows) => rows[0] ?? { closed_at: null, hold_id: null }
      )

    /** Without a reading of the wallet only credits are tried; with one, credits still come first. */
    const place = Effect.fnUntraced(function* (
      request: HoldRequest,
      reading: WalletReading | undefined
    ): Effect.fn.Return<Placed, SqlError.SqlError | InsufficientFunds> {
      const { accountId } = request.caller
      const [balance = 0n] = yield* postings.lock([credits(accountId)])
      const standing = yield* standingOf(request)
      if (standing.hold_id !== null) {
        const [known] = yield* holds(sql`WHERE h.id = ${standing.hold_id}`)
        if (known !== undefined) return { hold: known }
      }
      if (standing.closed_at !== null) {
        return yield* new InsufficientFunds({ needed: request.amount, credits: amount(0n), tokens: amount(0n) })
      }
      let wallet: Amount | undefined
      if (balance < request.amount && reading !== undefined) {
        const { owed, settled } = yield* debt.lock(accountId)
        if (settled === reading.settled) wallet = payable(reading.onChain, owed)
      }
      const funding = fundingFor(request.amount, { credits: balance, wallet })
      if (funding === "ask") return "ask"
      if (funding !== "insufficient") return yield* write(request, funding)
      return yield* new InsufficientFunds({
        needed: request.amount,
        credits: amount(balance),
        tokens: wallet ?? amount(0n)
      })
    }, sql.withTransaction)

    const hold = Effect.fn("Charges.hold")(function* (
      request: HoldRequest
    ): Effect.fn.Return<Hold, InsufficientFunds | StorageUnavailable | LedgerUnavailable> {
      let placed = yield* place(request, undefined).pipe(storing("money was held"))
      while (placed === "ask") {
        const reading = yield* debt.read(request.caller).pipe(storing("money was held"))
        placed = yield* place(request, reading).pipe(storing("money was held"))
      }
      return placed.hold
    })

    /** The stored hold, locked. */
    const locked = Effect.fnUntraced(function* (id: string) {
      const [found] = yield* holds(sql`WHERE h.id = ${id} ${forUpdate}`)
      return found
    })

    const captureOnce = Effect.fn("Charges.capture")(
      function* (hold: Hold, asked: Amount) {
        const stored = yield* locked(hold.id)
        if (stored === undefined) return yield* Effect.die(new Error(`There is no hold ${hold.id} in the books.`))
        if (stored.state === "released") {
          return yield* Effect.logError(
            `The work ${stored.reference} of account ${stored.caller.name} ended well after its hold ${hold.id} had been released: it was not charged.`
          )
        }
        if (stored.state === "captured") return
        yield* entries.capture(stored, chargeOf(stored, asked))
      },
      sql.withTransaction,
      storing("a call was charged")
    )

    /** A transaction stands behind the hold, or soon will: of an earlier attempt of the same commit, which settles the hold when it ends. */
    const mayBeMined = (holdId: string) =>
      Effect.map(
        sql`SELECT id FROM commit_job WHERE hold_id = ${holdId} AND state IN ('queued', 'signed', 'sent', 'mined') LIMIT 1`,
        (rows) => rows.length > 0
      )

    const releaseOnce = Effect.fn("Charges.release")(
      function* (hold: Hold) {
        const stored = yield* locked(hold.id)
        if (stored?.state === "held" && !(yield* mayBeMined(hold.id))) yield* entries.release(stored)
      },
      sql.withTransaction,
      storing("held money was given back")
    )

    /** The store could not be used when a call ended. Nobody else closes its hold while this daemon lives, so it is done when it can be. */
    const later = (hold: Hold, close: Effect.Effect<void, StorageUnavailable>) =>
      Effect.suspend(() => {
        if (closing.has(hold.id)) return Effect.void
        closing.add(hold.id)
        return close.pipe(
          Effect.delay(AGAIN),
          Effect.retry(Schedule.forever),
          Effect.ensuring(Effect.sync(() => closing.delete(hold.id))),
          Effect.forkIn(scope),
          Effect.asVoid
        )
      })

    /** A commit that was made is charged all the same; any other call has failed with this, and a call that failed costs nothing. */
    const capture = (hold: Hold, asked: Amount) =>
      Effect.tapError(captureOnce(hold, asked), () =>
        later(hold, hold.operation === "commit" ? captureOnce(hold, asked) : releaseOnce(hold))
      )

    const release = (hold: Hold) => Effect.tapError(releaseOnce(hold), () => later(hold, releaseOnce(hold)))

    return Charges.of({ hold, capture, release })
  })
).pipe(Layer.provideMerge(Receipts.layer))
