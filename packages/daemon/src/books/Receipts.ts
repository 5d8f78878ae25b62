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
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { storing } from "../store/StorageFailure.ts"
import { HdWallets, SERVICE_WALLET } from "../wallets/HdWallets.ts"
import { holdQuery, type OpenHold } from "./Holds.ts"

/** `Treemark-Receipt`: the receipt of a charged call, on its answer and on every replay of it (docs/statement-format.md). */
export const RECEIPT_HEADER = "treemark-receipt"

/** What a receipt is issued for: a hold, and what of it was taken. */
export interface Charged {
  readonly hold: OpenHold
  /** Id of the entry that took it. */
  readonly entryId: string
  readonly charge: Charge
  /** When it took it, in milliseconds since 1970. */
  readonly at: number
  /** The account's last one before, with its row locked. */
  readonly last: LastReceipt | undefined
}

/** What of a receipt the next one needs. */
export interface LastReceipt {
  readonly hash: string
  readonly sequence: number | bigint
  readonly created_at: number | bigint
}

export class Receipts extends Context.Service<
  Receipts,
  {
    /**
     * Stores the account's next receipt, and answers it as the header `Treemark-Receipt` carries it; belongs in the transaction that posted
     * the entry.
     */
    readonly issue: (charged: Charged) => Effect.Effect<string, SqlError.SqlError>
    /** The receipt of one piece of work, as the header `Treemark-Receipt` carries it; none when nothing was charged for it. */
    readonly ofWork: (
      accountId: AccountId,
      operation: Operation,
      reference: string
    ) => Effect.Effect<Option.Option<string>, StorageUnavailable>
    /** The receipt of what was taken from a hold. */
    readonly ofHold: (holdId: string) => Effect.Effect<Option.Option<string>, StorageUnavailable>
  }
>()("@treemark/daemon/books/Receipts") {
  static readonly layer: Layer.Layer<Receipts, StorageUnavailable, SqlClient.SqlClient | HdWallets> = Layer.effect(
    Receipts,
    Effect.suspend(() => make)
  )
}

/** Charges without a receipt are given one in portions of so many. */
const PORTION = 200

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

  const lastOf = Effect.fnUntraced(function* (accountId: AccountId) {
    yield* lockAccount(accountId)
    const [last] = yield* sql<LastReceipt>`SELECT hash, sequence, created_at FROM receipt
      WHERE account_id = ${accountId} ORDER BY sequence DESC LIMIT 1`
    return last
  })

  const issue = Effect.fnUntraced(function* ({ at, charge, entryId, hold, last }: Charged) {
    const { accountId } = hold.caller
    // A clock that was set back must not put a receipt before the one it follows.
    const created_at = Math.max(at, Number(last?.created_at ?? 0))
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
    return compactReceipt({ text, signature })
  })

  const one = (which: Statement.Fragment) =>
    Effect.map(
      sql<{ readonly document: string; readonly signature: string }>`
        SELECT r.document, r.signature FROM hold h JOIN receipt r ON r.entry_id = 'capture:' || h.id WHERE ${which}`,
      ([found]) =>
        Option.map(Option.fromUndefinedOr(found), ({ document, signature }) =>
          compactReceipt({ text: document, signature })
        )
    ).pipe(storing("a receipt was looked up"))

  const ofWork = Effect.fn("Receipts.ofWork")((accountId: AccountId, operation: Operation, reference: string) =>
    one(
      sql`h.account_id = ${accountId} AND h.operation = ${operation} AND h.reference = ${reference} AND h.state <> 'released'`
    )
  )

  const timeOf = (entryId: string) =>
    Effect.map(
      sql<{ readonly created_at: number | bigint }>`SELECT created_at FROM ledger_entry WHERE id = ${entryId}`,
      ([entry]) => Number(entry?.created_at ?? 0)
    )

  /** Gives receipts to the oldest charges that have none; answers how many there were. */
  const catchUp = Effect.fnUntraced(function* () {
    const missing = yield* holds(sql`WHERE h.state = 'captured'
      AND NOT EXISTS (SELECT 1 FROM receipt r WHERE r.entry_id = 'capture:' || h.id)
      ORDER BY h.closed_at, h.id LIMIT ${PORTION}`)
    yield* Effect.forEach(
      missing,
      Effect.fnUntraced(function* (hold) {
        if (hold.captured === null) return
        const entryId = `capture:${hold.id}`
        const last = yield* lastOf(hold.caller.accountId)
        yield* issue({ hold, entryId, charge: chargeOf(hold, hold.captured), at: yield* timeOf(entryId), last })
      }),
      { discard: true }
    )
    return missing.length
  }, sql.withTransaction)

  /** Charges come with their receipts, and the earlier ones get theirs in order: who has the newest has all. */
  const hasNewest = Effect.map(
    sql<{ readonly entry_id: string | null }>`SELECT r.entry_id FROM hold h
      LEFT JOIN receipt r ON r.entry_id = 'capture:' || h.id
      WHERE h.state = 'captured' ORDER BY h.closed_at DESC, h.id DESC LIMIT 1`,
    ([newest]) => newest === undefined || newest.entry_id !== null
  )
  const catchUpAll = Effect.asVoid(Effect.repeat(catchUp(), { until: (found) => found < PORTION }))
  yield* Effect.flatMap(hasNewest, (has) => (has ? Effect.void : catchUpAll)).pipe(
    storing("receipts were written for earlier charges")
  )
  return Receipts.of({ issue, ofWork, ofHold: (id) => one(sql`h.id = ${id}`) })
})
