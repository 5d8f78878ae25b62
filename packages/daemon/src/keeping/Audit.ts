/**
 * The audit: books against jobs against ledger against content store, while the daemon works on. The order matters: the ledger is read
 * first, then everything of the store from one snapshot, then the content store, so that what happens meanwhile is no disagreement.
 */
import type { NetworkRole, StorageUnavailable } from "@treemark/core"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { commitTable } from "../commits/CommitTable.ts"
import { finishedBlocks } from "../commits/FinishedCommits.ts"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import type { RpcFailure } from "../evm/RpcFailure.ts"
import { Snapshot } from "../store/Snapshot.ts"
import { storing } from "../store/StorageFailure.ts"
import { makeCommitters } from "../wallets/Committers.ts"
import { HdWallets, SERVICE_WALLET } from "../wallets/HdWallets.ts"
import { type AuditFinding, type AuditReport, findingOf, type Note } from "./AuditReport.ts"
import { auditBooks } from "./BooksAudit.ts"
import { beginFiles, beginTrees } from "./ContentAudit.ts"
import { auditHolds } from "./HoldsAudit.ts"
import { auditCommits, auditLater, readEvents } from "./LedgerAudit.ts"
import { auditReceipts } from "./ReceiptsAudit.ts"
import { auditSettlements } from "./SettlementsAudit.ts"
import { StoredBlocks } from "./StoredBlocks.ts"

const ROLES: ReadonlyArray<NetworkRole> = ["mainnet", "testnet"]

export class Audit extends Context.Service<
  Audit,
  {
    /** Looks at everything, or of the files only at `sample` of them; disagreements are the answer, not a failure. */
    readonly run: (options?: { readonly sample?: number | undefined }) => Effect.Effect<AuditReport, StorageUnavailable>
  }
>()("@treemark/daemon/keeping/Audit") {
  static readonly layer: Layer.Layer<
    Audit,
    never,
    SqlClient.SqlClient | Snapshot | Networks | HdWallets | StoredBlocks
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

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const snapshot = yield* Snapshot
  const networks = yield* Networks
  const stored = yield* StoredBlocks
  const service = (yield* HdWallets).address(SERVICE_WALLET)
  const own = (yield* makeCommitters).all.map(({ address }) => address)

  /** The events of one role; none when its node cannot be read, which is noted. Roles may share a chain, but not an embedded one. */
  const eventsOf = Effect.fnUntraced(function* (role: NetworkRole, note: Note) {
    const network = networks.role(role)
    const { blocks, committers } = network.embedded
      ? { blocks: [], committers: yield* commitTable(sql).committersOn(network.chainId) }
      : yield* finishedBlocks(sql, network)
    const wallets = new Set([...own, ...committers])
    return yield* readEvents(role, network, [...wallets], blocks).pipe(orUnread(network, note))
  })

  const run = Effect.fn("Audit.run")(
    function* ({ sample }: { readonly sample?: number | undefined } = {}) {
      const findings: Array<AuditFinding> = []
      const note: Note = (code, subject, detail) => void findings.push(findingOf(code, subject, detail))
      const found = yield* Effect.forEach(ROLES, (role) => eventsOf(role, note))
      const ledgers = found.filter((ledger) => ledger !== undefined)
      const now = yield* Clock.currentTimeMillis
      const reader = yield* stored.open
      const read = yield* snapshot.read(
        Effect.fnUntraced(function* (store) {
          const trees = yield* beginTrees(store, reader, note)
          const files = yield* beginFiles(store, reader, note, sample)
          const books = yield* auditBooks(store, note)
          const holds = yield* auditHolds(store, note, books, now)
          const receipts = yield* auditReceipts(store, note, books, service)
          yield* auditSettlements(store, note, books)
          const { finished: commits, later } = yield* auditCommits(store, note, ledgers)
          const endings = ledgers.map((ledger) => orUnread(ledger.network, note)(auditLater(ledger, note, later)))
          const checked = { entries: books.entries, accounts: books.balances.size, holds, receipts, commits }
          return { checked, trees, files, endings }
        })
      )
      yield* Effect.all(read.endings, { discard: true })
      const trees = yield* read.trees
      const { blocks, files, registered } = yield* read.files
      const events = ledgers.reduce((sum, ledger) => sum + ledger.byTransaction.size, 0)
      const report: AuditReport = {
        clean: findings.length === 0,
        checked: { ...read.checked, trees, events, files, blocks },
        sampledFrom: files < registered ? registered : null,
        findings
      }
      return report
    },
    Effect.scoped,
    storing("the books were audited")
  )
  return Audit.of({ run })
})
