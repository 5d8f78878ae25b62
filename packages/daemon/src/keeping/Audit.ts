/**
 * The audit: books against jobs against ledger against content store, while the daemon works on. The order matters: the ledger is read
 * first, then everything of the store from one snapshot, then the content store, so that what happens meanwhile is no disagreement.
 */
import type { NetworkRole, StorageUnavailable } from "@treemark/core"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import type { RpcFailure } from "../evm/RpcFailure.ts"
import { eachPage, readingOrder, Snapshot } from "../store/Snapshot.ts"
import { storing } from "../store/StorageFailure.ts"
import { makeCommitters } from "../wallets/Committers.ts"
import { HdWallets, SERVICE_WALLET } from "../wallets/HdWallets.ts"
import type { AuditFinding, AuditReport, Note } from "./AuditReport.ts"
import { auditBooks } from "./BooksAudit.ts"
import { beginTrees } from "./ContentAudit.ts"
import { auditHolds } from "./HoldsAudit.ts"
import { auditCommits, auditLater, readEvents } from "./LedgerAudit.ts"
import { auditReceipts } from "./ReceiptsAudit.ts"
import { auditSettlements } from "./SettlementsAudit.ts"
import { StoredTrees } from "./StoredTrees.ts"

const ROLES: ReadonlyArray<NetworkRole> = ["mainnet", "testnet"]

export class Audit extends Context.Service<
  Audit,
  {
    /** Looks at everything; disagreements are the answer, not a failure. */
    readonly run: Effect.Effect<AuditReport, StorageUnavailable>
  }
>()("@treemark/daemon/keeping/Audit") {
  static readonly layer: Layer.Layer<
    Audit,
    never,
    SqlClient.SqlClient | Snapshot | Networks | HdWallets | StoredTrees
  > = Layer.effect(
    Audit,
    Effect.suspend(() => make)
  )
}

/** A node that cannot be read is a finding of the audit, which goes on with the rest. */
const orUnread =
  (network: LedgerNetwork, note: Note) =>
  <A, R>(effect: Effect.Effect<A, RpcFailure, R>): Effect.Effect<A | undefined, never, R> =>
    Effect.catchTag(effect, "RpcFailure", (failure) => {
      note("ledger_unread", network.name, failure.message)
      return Effect.succeed(undefined)
    })

interface BlockRow {
  readonly place: number | bigint | string
  readonly block_number: number | bigint
}

/** Rows looked at in one go. */
const PAGE = 2_000

/** The blocks in which these commits are, in order. */
const blocksOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, where: Statement.Fragment) {
  const blocks = new Set<number>()
  const { column, first } = readingOrder(sql, "commit_job", "id")
  yield* eachPage(
    (last: BlockRow | undefined) => sql<BlockRow>`SELECT ${column} AS place, block_number FROM commit_job
      WHERE ${column} > ${last?.place ?? first} AND ${where} AND state = 'mined' ORDER BY ${column} LIMIT ${PAGE}`,
    (rows) => {
      for (const { block_number } of rows) blocks.add(Number(block_number))
    }
  )
  return [...blocks].sort((a, b) => a - b)
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const snapshot = yield* Snapshot
  const networks = yield* Networks
  const stored = yield* StoredTrees
  const service = (yield* HdWallets).address(SERVICE_WALLET)
  const own = (yield* makeCommitters).all.map(({ address }) => address)

  /** The events of one role; none when its node cannot be read, which is noted. Roles may share a chain, but not an embedded one. */
  const eventsOf = Effect.fnUntraced(function* (role: NetworkRole, note: Note) {
    const network = networks.role(role)
    const ofChain = sql`chain_id = ${network.chainId}`
    const where = network.embedded ? ofChain : sql`${ofChain} AND network = ${role}`
    const committers = yield* sql<{ readonly committer: string }>`
      SELECT DISTINCT committer FROM commit_job WHERE ${where} AND committer IS NOT NULL`
    const blocks = network.embedded ? [] : yield* blocksOf(sql, where)
    const wallets = new Set([...own, ...committers.map(({ committer }) => committer)])
    return yield* readEvents(network, [...wallets], blocks).pipe(
      Effect.map((events) => ({ network, role, events })),
      orUnread(network, note)
    )
  })

  const run = Effect.gen(function* () {
    const findings: Array<AuditFinding> = []
    const note: Note = (code, subject, detail) => void findings.push({ code, subject, detail })
    const ledgers = yield* Effect.forEach(ROLES, (role) => eventsOf(role, note))
    const now = yield* Clock.currentTimeMillis
    const readTrees = yield* stored.open
    const read = yield* snapshot.read(
      Effect.fnUntraced(function* (store) {
        const trees = yield* beginTrees(store, readTrees, note)
        const books = yield* auditBooks(store, note)
        const holds = yield* auditHolds(store, note, books, now)
        const receipts = yield* auditReceipts(store, note, books, service)
        yield* auditSettlements(store, note, books)
        let commits = 0
        const endings: Array<Effect.Effect<unknown>> = []
        for (const ledger of ledgers) {
          if (ledger === undefined) continue
          const { events, network, role } = ledger
          const { finished, later } = yield* auditCommits(store, note, role, network.chainId, events)
          commits += finished
          endings.push(orUnread(network, note)(auditLater(network, note, role, later)))
        }
        const checked = { entries: books.entries, accounts: books.balances.size, holds, receipts, commits }
        return { checked, trees, endings }
      })
    )
    yield* Effect.all(read.endings, { discard: true })
    const trees = yield* read.trees
    const events = ledgers.reduce((sum, ledger) => sum + (ledger?.events.byTransaction.size ?? 0), 0)
    const report: AuditReport = {
      clean: findings.length === 0,
      checked: { ...read.checked, trees, events },
      findings
    }
    return report
  }).pipe(Effect.scoped, storing("the books were audited"), Effect.withSpan("Audit.run"))
  return Audit.of({ run })
})
