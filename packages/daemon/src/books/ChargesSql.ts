/**
 * Layer of core's `Charges` over the books: a call that keeps nobody waiting for a ledger. The transaction that sets its money aside claims
 * its key, and the one that takes the money keeps its answer. Commits have their own (commits/), made of the same parts.
 */
import {
  type Amount,
  Charges,
  type Hold,
  type IdempotencyKeyInUse,
  type InsufficientFunds,
  type LedgerUnavailable,
  Prices,
  type SpendingLimitReached,
  type StorageUnavailable
} from "@treemark/core"
import { chargeOf } from "@treemark/core/charging"
import { Clock, Duration, Effect, Layer, Schedule } from "effect"
import type { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { storing } from "../store/StorageFailure.ts"
import type { HdWallets } from "../wallets/HdWallets.ts"
import { makeHoldEntries } from "./HoldEntries.ts"
import { holdQuery } from "./Holds.ts"
import { makeKeys } from "./Keys.ts"
import { makePlacing, type Wanted } from "./Placing.ts"
import type { Postings } from "./Postings.ts"
import { Receipts } from "./Receipts.ts"
import type { WalletDebt, WalletReading } from "./WalletDebt.ts"

type HoldRequest = Parameters<Charges["Service"]["hold"]>[0]

/** How long a store that could not be used is left alone before a hold that stayed open is tried again. */
const AGAIN = Duration.seconds(1)

export const layer: Layer.Layer<
  Charges | Receipts,
  StorageUnavailable,
  SqlClient.SqlClient | Postings | WalletDebt | HdWallets | SecureRandom.SecureRandom
> = Layer.effect(
  Charges,
  Effect.gen(function* () {
    const entries = yield* makeHoldEntries
    const placing = yield* makePlacing
    const keys = yield* makeKeys
    const sql = yield* SqlClient.SqlClient
    const scope = yield* Effect.scope
    const closing = new Set<string>()
    const holds = holdQuery(sql)
    const forUpdate = sql.literal(
      sql.onDialectOrElse({ pg: () => "FOR UPDATE OF h FOR NO KEY UPDATE OF a", orElse: () => "" })
    )

    /** Refusals are values: they harm nobody who shares the COMMIT. */
    const place = Effect.fnUntraced(function* (
      wanted: Wanted,
      call: HoldRequest["call"],
      reading: WalletReading | undefined
    ) {
      const source = yield* placing.find(wanted, reading)
      if (source._tag === "ask") return undefined
      if (source._tag === "refused") return source.why
      const at = yield* Clock.currentTimeMillis
      const inUse = call === undefined ? undefined : yield* keys.claim(call, at)
      if (inUse !== undefined) return inUse
      return source._tag === "held" ? source.hold : yield* placing.write(wanted, source, at)
    }, sql.withTransaction)

    const hold = Effect.fn("Charges.hold")(function* ({
      call,
      ...request
    }: HoldRequest): Effect.fn.Return<
      Hold,
      InsufficientFunds | SpendingLimitReached | IdempotencyKeyInUse | StorageUnavailable | LedgerUnavailable
    > {
      const prices = yield* Prices
      const price = { price: prices[request.operation], priceVersion: prices.version }
      const wanted = { ...request, ...price, isNew: call?.isNew === true }
      let placed = yield* place(wanted, call, undefined).pipe(storing("money was held"))
      while (placed === undefined) {
        const reading = yield* placing.readWallet(request.caller).pipe(storing("money was held"))
        placed = yield* place(wanted, call, reading).pipe(storing("money was held"))
      }
      return "_tag" in placed ? yield* placed : placed
    })

    /** The stored hold, locked with its account. */
    const locked = Effect.fnUntraced(function* (id: string) {
      const [found] = yield* holds(sql`WHERE h.id = ${id} ${forUpdate}`)
      return found
    })

    const captureOnce = Effect.fn("Charges.capture")(
      function* (hold: Hold, asked: Amount, answer: unknown) {
        const stored = yield* locked(hold.id)
        if (stored === undefined) return yield* Effect.die(new Error(`There is no hold ${hold.id} in the books.`))
        if (stored.state === "released") {
          return yield* Effect.logError(
            `The work ${stored.reference} of account ${stored.caller.name} ended well after its hold ${hold.id} had been released: it was not charged.`
          )
        }
        if (stored.state === "captured") return
        const receipt = yield* entries.capture(stored, chargeOf(stored, asked))
        if (answer !== undefined) yield* keys.keep(stored.reference, answer, receipt)
      },
      sql.withTransaction,
      storing("a call was charged")
    )

    const releaseOnce = Effect.fn("Charges.release")(
      function* (hold: Hold) {
        const stored = yield* locked(hold.id)
        if (stored?.state === "held") yield* entries.release(stored)
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

    /** A call whose charge could not be stored has failed, and a call that failed costs nothing. */
    const capture = (hold: Hold, asked: Amount, answer?: unknown) =>
      Effect.tapError(captureOnce(hold, asked, answer), () => later(hold, releaseOnce(hold)))

    const release = (hold: Hold) => Effect.tapError(releaseOnce(hold), () => later(hold, releaseOnce(hold)))

    return Charges.of({ hold, capture, release })
  })
).pipe(Layer.provideMerge(Receipts.layer))
