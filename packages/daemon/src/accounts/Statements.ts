/**
 * Statements: what the books say of one account in a period, signed by the service's wallet (core's statement/Statement). Read in pages
 * from a snapshot, so that a long history neither blocks the daemon nor changes while it is read.
 *
 * A charge counts at the time of its receipt, which never goes back; everything else at the time of its entry.
 */
import {
  compactReceipt,
  formatTokens,
  type InvalidFields,
  type Movement,
  STATEMENT_MEDIA_TYPE,
  type Statement,
  type StatementBalance,
  type StorageUnavailable,
  signStatement
} from "@treemark/core"
import { Clock, Context, DateTime, Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { IntColumn, rowsAs } from "../store/Columns.ts"
import { eachPage, Snapshot } from "../store/Snapshot.ts"
import { storing } from "../store/StorageFailure.ts"
import { HdWallets, SERVICE_WALLET } from "../wallets/HdWallets.ts"
import { AccountNotFound } from "./Accounts.ts"
import { type Asked, periodOf } from "./Period.ts"

export class Statements extends Context.Service<
  Statements,
  {
    /** The statement of the account with this id or name. */
    readonly of: (
      idOrName: string,
      period: Asked
    ) => Effect.Effect<Statement, AccountNotFound | InvalidFields | StorageUnavailable>
  }
>()("@treemark/daemon/accounts/Statements") {
  static readonly layer: Layer.Layer<Statements, never, Snapshot | HdWallets> = Layer.effect(
    Statements,
    Effect.suspend(() => make)
  )
}

/** What the statement adds up: the credits, and what the wallet owes (a debit account, so with the other sign). */
const POTS = { credits: ["credits", "held-credits"], owed: ["tokens", "settling"] } as const

const PAGE = 1_000

interface PostingRow {
  readonly entry_id: string
  readonly amount: string
  readonly kind: string
  readonly reference: string | null
  readonly created_at: number | bigint
  readonly sequence: number | bigint | null
  readonly hash: string | null
  readonly document: string | null
  readonly signature: string | null
  readonly receipt_at: number | bigint | null
  readonly tx_hash: string | null
}

interface EntrySum {
  readonly row: PostingRow
  readonly at: number
  credits: bigint
  owed: bigint
}

const AccountRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  wallet: Schema.String,
  created_at: IntColumn,
  last_receipt_at: Schema.NullOr(IntColumn)
})
const accountRows = rowsAs(AccountRow)

const make = Effect.gen(function* () {
  const snapshot = yield* Snapshot
  const wallets = yield* HdWallets
  const service = wallets.address(SERVICE_WALLET)

  const accountOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, idOrName: string) {
    const found = yield* accountRows(sql`SELECT a.id, a.name, a.wallet, a.created_at,
        (SELECT r.created_at FROM receipt r WHERE r.account_id = a.id ORDER BY r.sequence DESC LIMIT 1) AS last_receipt_at
      FROM account a WHERE a.id = ${idOrName} OR a.name = ${idOrName}`)
    const account = found.find(({ id }) => id === idOrName) ?? found[0]
    return account ?? (yield* new AccountNotFound({ account: idOrName }))
  })

  const of = Effect.fn("Statements.of")(function* (idOrName: string, asked: Asked) {
    const now = yield* Clock.currentTimeMillis
    return yield* snapshot.read(
      Effect.fnUntraced(function* (sql) {
        const { id, name, wallet, created_at, last_receipt_at } = yield* accountOf(sql, idOrName)
        const end = Math.max(now, last_receipt_at ?? 0) + 1
        const { from, to } = yield* periodOf(asked, { from: created_at, to: end })
        const entries = yield* entriesOf(sql, id)
        const before = entries.filter(({ at }) => at < from)
        const within = entries.filter(({ at }) => at >= from && at < to)
        return signStatement(
          {
            mediaType: STATEMENT_MEDIA_TYPE,
            account: { id, name, wallet },
            service,
            from: isoOf(from),
            to: isoOf(to),
            issuedAt: isoOf(now),
            opening: balanceOf(before),
            movements: within.flatMap(movementsOf),
            closing: balanceOf([...before, ...within])
          },
          (checksum) => wallets.signText(SERVICE_WALLET, checksum)
        )
      })
    )
  }, storing("a statement was written"))
  return Statements.of({ of })
})

/** Every entry that changed one of the account's pots, in the order of time; of the same moment, grants come first. */
const entriesOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, accountId: string) {
  const entries = new Map<string, EntrySum>()
  for (const pot of ["credits", "owed"] as const) {
    for (const kind of POTS[pot]) {
      const book = `${kind}:${accountId}`
      yield* eachPage(
        (last: PostingRow | undefined) => sql<PostingRow>`
          SELECT p.entry_id, p.amount, e.kind, e.reference, e.created_at, r.sequence, r.hash, r.document, r.signature,
            r.created_at AS receipt_at, s.tx_hash
          FROM posting p JOIN ledger_entry e ON e.id = p.entry_id
            LEFT JOIN receipt r ON r.entry_id = p.entry_id
            LEFT JOIN settlement s ON s.id = e.reference AND e.kind = 'settled'
          WHERE p.account_id = ${book} AND p.entry_id > ${last?.entry_id ?? ""}
          ORDER BY p.entry_id LIMIT ${PAGE}`,
        (rows) => {
          for (const row of rows) {
            const sum = entries.get(row.entry_id) ?? {
              row,
              at: Number(row.receipt_at ?? row.created_at),
              credits: 0n,
              owed: 0n
            }
            sum[pot] += pot === "owed" ? -BigInt(row.amount) : BigInt(row.amount)
            entries.set(row.entry_id, sum)
          }
        }
      )
    }
  }
  return [...entries.values()].sort(
    (a, b) =>
      a.at - b.at ||
      rankOf(a.row) - rankOf(b.row) ||
      Number(a.row.sequence ?? 0) - Number(b.row.sequence ?? 0) ||
      (a.row.entry_id < b.row.entry_id ? -1 : 1)
  )
})

const rankOf = ({ kind }: PostingRow): number => ["grant", "capture", "settled"].indexOf(kind)

const balanceOf = (entries: ReadonlyArray<EntrySum>): StatementBalance => {
  const charges = entries.filter(({ row }) => row.hash !== null)
  const last = charges.at(-1)?.row
  return {
    credits: formatTokens(entries.reduce((sum, { credits }) => sum + credits, 0n)),
    owed: formatTokens(entries.reduce((sum, { owed }) => sum + owed, 0n)),
    receipt: last?.hash == null ? null : { sequence: Number(last.sequence), hash: last.hash }
  }
}

/** Holds, releases and transfers under way move money between the account's own books: in a statement they are nothing. */
const movementsOf = ({ row, at, credits, owed }: EntrySum): ReadonlyArray<Movement> => {
  const { entry_id: posting, kind, reference, document, signature, tx_hash: txHash } = row
  if (kind !== "capture" && credits === 0n && owed === 0n) return []
  return [
    {
      at: isoOf(at),
      kind: kind === "capture" ? "charge" : owed === 0n ? "grant" : "settlement",
      posting,
      reference: reference ?? "",
      credits: formatTokens(credits),
      owed: formatTokens(owed),
      receipt: document === null || signature === null ? null : compactReceipt({ text: document, signature }),
      txHash
    }
  ]
}

const isoOf = (milliseconds: number): string => DateTime.formatIso(DateTime.makeUnsafe(milliseconds))
