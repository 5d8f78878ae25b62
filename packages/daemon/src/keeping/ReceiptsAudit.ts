/**
 * The receipts against the charges: each charge has one, each is what was hashed, names its charge and follows the one before it. Of each
 * account the newest one's signature is checked; through the chain it covers all the others (treemark-verify checks every one).
 */
import { createHash } from "node:crypto"
import { compactReceipt, formatTokens, openReceipt, recoverSigner } from "@treemark/core"
import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { eachInTurns, eachPage } from "../store/Snapshot.ts"
import type { Note } from "./AuditReport.ts"
import type { BookSums } from "./BooksAudit.ts"

const PAGE = 500

interface ReceiptRow {
  readonly hash: string
  readonly account_id: string
  readonly sequence: number | bigint
  readonly entry_id: string
  readonly document: string
  readonly signature: string
}

const decodeDocument = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      account: Schema.String,
      sequence: Schema.Int,
      previous: Schema.NullOr(Schema.String),
      posting: Schema.String,
      amount: Schema.String
    })
  )
)

/** `service`: address of the wallet that signs. Answers how many receipts there are. */
export const auditReceipts = Effect.fn("Audit.receipts")(function* (
  sql: SqlClient.SqlClient,
  note: Note,
  { captures }: BookSums,
  service: string
) {
  const receipted = new Set<string>()
  let count = 0
  let last: ReceiptRow | undefined

  const audit = (row: ReceiptRow) => {
    count++
    receipted.add(row.entry_id)
    if (last !== undefined && last.account_id !== row.account_id) checkSignature(last, service, note)
    const before = last?.account_id === row.account_id ? last : undefined
    last = row
    const document = Option.getOrUndefined(decodeDocument(row.document))
    const hash = createHash("sha256").update(row.document).digest("hex")
    if (
      document === undefined ||
      hash !== row.hash ||
      document.account !== row.account_id ||
      document.sequence !== Number(row.sequence) ||
      document.posting !== row.entry_id ||
      document.amount !== formatTokens(captures.get(row.entry_id) ?? 0n)
    ) {
      return note("receipt_damaged", row.entry_id, `Receipt ${row.sequence} of account ${row.account_id}.`)
    }
    if (document.sequence !== Number(before?.sequence ?? 0) + 1 || document.previous !== (before?.hash ?? null)) {
      note("receipt_chain", row.entry_id, `Receipt ${row.sequence} of account ${row.account_id}.`)
    }
  }

  yield* eachPage(
    (from: ReceiptRow | undefined) => sql<ReceiptRow>`
      SELECT hash, account_id, sequence, entry_id, document, signature FROM receipt
      WHERE (account_id, sequence) > (${from?.account_id ?? ""}, ${from?.sequence ?? 0})
      ORDER BY account_id, sequence LIMIT ${PAGE}`,
    (rows) => rows.forEach(audit)
  )
  if (last !== undefined) checkSignature(last, service, note)
  yield* eachInTurns(captures.keys(), (entry) => {
    if (!receipted.has(entry)) note("receipt_missing", entry, "The charge was booked without one.")
  })
  return count
})

const checkSignature = (
  { account_id, document, entry_id, sequence, signature }: ReceiptRow,
  service: string,
  note: Note
) => {
  const found = isSignature(signature) ? openReceipt(compactReceipt({ text: document, signature })) : undefined
  const recovered = found === undefined ? undefined : recoverSigner(found.hash, found.signature)
  if (recovered?.ok === true && recovered.signer === service) return
  note("receipt_signature", entry_id, `Receipt ${sequence} of account ${account_id} is not signed by ${service}.`)
}

const isSignature = (text: string): boolean => /^0x[0-9a-f]{130}$/.test(text)
