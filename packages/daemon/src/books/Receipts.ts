/**
 * Receipts of charged calls, signed by the service's wallet and chained per account (core's statement/Receipt). A receipt is stored in
 * the transaction that books the charge, so there is never one without the other; charges from before there were receipts get theirs when
 * the layer is built.
 */
import {
  type AccountId,
  compactReceipt,
  formatTokens,
  type Operation,
  type Receipt,
  type StorageUnavailable,
  signReceipt
} from "@treemark/core"
import { type Charge, chargeOf } from "@treemark/core/charging"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { storing } from "../store/StorageFailure.ts"
import { HdWallets, SERVICE_WALLET } from "../wallets/HdWallets.ts"
import { holdQuery, type StoredHold } from "./Holds.ts"

/** What a receipt is issued for: a hold, and what of it was taken. */
export interface Charged {
  readonly hold: StoredHold
  /** Id of the entry that took it. */
  readonly entryId: string
  readonly charge: Charge
}

export class Receipts extends Context.Service<
  Receipts,
  {
    /** Stores the account's next receipt; belongs in the transaction that posted the entry. */
    readonly issue: (charged: Charged) => Effect.Effect<void, SqlError.SqlError>
    /** The receipt of one piece of work, as the header `Treemark-Receipt` carries it; none when nothing was charged for it. */
    readonly ofWork: (
      accountId: AccountId,
      operation: Operation,
      reference: string
    ) => Effect.Effect<Option.Option<string>, StorageUnavailable>
  }
>()("@treemark/daemon/books/Receipts") {
  static readonly layer: Layer.Layer<Receipts, StorageUnavailable, SqlClient.SqlClient | HdWallets> = Layer.effect(
    Receipts,
    Effect.suspend(() => make)
  )
}

/** Charges without a receipt are given one in portions of so many. */
const PORTION = 200

interface ReceiptRow {
  readonly hash: string
  readonly sequence: number | bigint
  readonly created_at: number | bigint
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const wallets = yield* HdWallets
  const service = wallets.address(SERVICE_WALLET)
  const holds = holdQuery(sql)

  /** Receipts of one account follow one another, whoever charges it at the same time. */
  const lockAccount = (accountId: AccountId) =>
    sql.onDialectOrElse({
      pg: () => sql`SELECT id FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`,
      orElse: () => Effect.succeed([])
    })

  /** A clock that was set back must not put a receipt before the one it follows. */
  const timeOf = Effect.fnUntraced(function* (entryId: string, last: ReceiptRow | undefined) {
    const [entry] = yield* sql<{ readonly created_at: number | bigint }>`
      SELECT created_at FROM ledger_entry WHERE id = ${entryId}`
    if (entry === undefined) return yield* Effect.die(new Error(`There is no entry ${entryId} to write a receipt for.`))
    return Math.max(Number(entry.created_at), Number(last?.created_at ?? 0))
  })

  const issue = Effect.fnUntraced(function* ({ charge, entryId, hold }: Charged) {
    const { accountId } = hold.caller
    yield* lockAccount(accountId)
    const [last] = yield* sql<ReceiptRow>`SELECT hash, sequence, created_at FROM receipt
      WHERE account_id = ${accountId} ORDER BY sequence DESC LIMIT 1`
    const created_at = yield* timeOf(entryId, last)
    const sequence = Number(last?.sequence ?? 0) + 1
    const receipt: Receipt = {
      version: 1,
      account: accountId,
      sequence,
      previous: last?.hash ?? null,
      operation: hold.operation,
      reference: hold.reference,
      amount: formatTokens(charge.taken),
      price: formatTokens(charge.price),
      gas: formatTokens(charge.gas),
      funding: hold.funding,
      priceListVersion: hold.priceVersion,
      posting: entryId,
      issuedAt: DateTime.formatIso(DateTime.makeUnsafe(created_at)),
      service
    }
    const { text, hash, signature } = signReceipt(receipt, (checksum) => wallets.signText(SERVICE_WALLET, checksum))
    yield* sql`INSERT INTO receipt ${sql.insert({
      hash,
      account_id: accountId,
      sequence,
      entry_id: entryId,
      document: text,
      signature,
      created_at
    })}`
  })

  const ofWork = Effect.fn("Receipts.ofWork")(function* (
    accountId: AccountId,
    operation: Operation,
    reference: string
  ) {
    const [found] = yield* sql<{ readonly document: string; readonly signature: string }>`
        SELECT r.document, r.signature FROM hold h JOIN receipt r ON r.entry_id = 'capture:' || h.id
        WHERE h.account_id = ${accountId} AND h.operation = ${operation} AND h.reference = ${reference}
          AND h.state <> 'released'`
    return Option.map(Option.fromUndefinedOr(found), ({ document, signature }) =>
      compactReceipt({ text: document, signature })
    )
  }, storing("a receipt was looked up"))

  /** Gives receipts to the oldest charges that have none; answers how many there were. */
  const catchUp = Effect.fnUntraced(function* () {
    const missing = yield* holds(sql`WHERE h.state = 'captured'
      AND NOT EXISTS (SELECT 1 FROM receipt r WHERE r.entry_id = 'capture:' || h.id)
      ORDER BY h.closed_at, h.id LIMIT ${PORTION}`)
    yield* Effect.forEach(
      missing,
      (hold) =>
        hold.captured === null
          ? Effect.void
          : issue({ hold, entryId: `capture:${hold.id}`, charge: chargeOf(hold, hold.captured) }),
      { discard: true }
    )
    return missing.length
  }, sql.withTransaction)

  yield* catchUp().pipe(
    Effect.repeat({ until: (found) => found < PORTION }),
    storing("receipts were written for earlier charges")
  )
  return Receipts.of({ issue, ofWork })
})
