/**
 * Brings the store's tables to the version this treemarkd knows: numbered steps, each once, all pending ones in one transaction.
 * A step that was released is never edited; a new one is added. `layer` belongs between the client and everything else.
 */
import { Effect, Layer } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import initial from "./migrations/0001_Initial.ts"
import transferJobs from "./migrations/0002_TransferJobs.ts"
import books from "./migrations/0003_Books.ts"
import replicas from "./migrations/0004_Replicas.ts"
import receipts from "./migrations/0005_Receipts.ts"
import commitHistory from "./migrations/0006_CommitHistory.ts"
import closedAccounts from "./migrations/0007_ClosedAccounts.ts"
import assetTrees from "./migrations/0008_AssetTrees.ts"
import fewerIndexes from "./migrations/0009_FewerIndexes.ts"
import signedActs from "./migrations/0010_SignedActs.ts"
import commitStates from "./migrations/0011_CommitStates.ts"
import ledgerIndex from "./migrations/0013_LedgerIndex.ts"
import holdings from "./migrations/0014_Holdings.ts"
import signIn from "./migrations/0016_SignIn.ts"
import pairing from "./migrations/0017_Pairing.ts"
import quotas from "./migrations/0019_Quotas.ts"
import spendingLimits from "./migrations/0020_SpendingLimits.ts"
import authorWatch from "./migrations/0021_AuthorWatch.ts"
import entries from "./migrations/0022_Entries.ts"
import growth from "./migrations/0024_Growth.ts"
import tokenStorage from "./migrations/0025_TokenStorage.ts"
import { StoreTooNew } from "./StoreErrors.ts"

const MIGRATIONS = {
  "0001_Initial": initial,
  "0002_TransferJobs": transferJobs,
  "0003_Books": books,
  "0004_Replicas": replicas,
  "0005_Receipts": receipts,
  "0006_CommitHistory": commitHistory,
  "0007_ClosedAccounts": closedAccounts,
  "0008_AssetTrees": assetTrees,
  "0009_FewerIndexes": fewerIndexes,
  "0010_SignedActs": signedActs,
  "0011_CommitStates": commitStates,
  "0013_LedgerIndex": ledgerIndex,
  "0014_Holdings": holdings,
  "0016_SignIn": signIn,
  "0017_Pairing": pairing,
  "0019_Quotas": quotas,
  "0020_SpendingLimits": spendingLimits,
  "0021_AuthorWatch": authorWatch,
  "0022_Entries": entries,
  "0024_Growth": growth,
  "0025_TokenStorage": tokenStorage
}

/** What each step does, for whoever upgrades. */
const MEANINGS: Readonly<Record<keyof typeof MIGRATIONS, string>> = {
  "0001_Initial": "makes the first tables: accounts, tokens, assets, books, commits, idempotent answers",
  "0002_TransferJobs": "adds transfers of tokens from our own wallets",
  "0003_Books": "adds prices of holds, settlements, and one open hold per piece of work",
  "0004_Replicas": "adds what several daemons on one database need",
  "0005_Receipts": "adds receipts, and books that the database itself keeps balanced and unchanged",
  "0006_CommitHistory": "adds the history of each commit and the variants of replaced transactions",
  "0007_ClosedAccounts": "adds when an account was closed",
  "0008_AssetTrees": "adds a table for asset trees, which were files in the content folder",
  "0009_FewerIndexes": "drops indexes that only cost time, and adds one for the holds of a commit",
  "0010_SignedActs": "adds which signed acts were recorded, so that none is recorded twice",
  "0011_CommitStates": "lets the database check the states of commits, and drops a column that nothing filled",
  "0013_LedgerIndex": "adds an index of the commits on the ledger, so that a page of a history costs a page",
  "0014_Holdings": "adds which account has which assets and commits, and the names of files",
  "0016_SignIn": "adds sign-in to the console: one-time codes and sessions",
  "0017_Pairing": "adds pairing of tools, and what a token may do",
  "0019_Quotas": "adds how many bytes each account has stored",
  "0020_SpendingLimits": "adds what a token may spend in a day, and which token a call was made with",
  "0021_AuthorWatch": "adds the watch over authors, with what has to be told of their commits",
  "0022_Entries": "posts an entry of the books by one statement, and sums its postings faster",
  "0024_Growth":
    "adds indexes for stores of very many commits, and corrects what an asset's last commit is after a reorganisation",
  "0025_TokenStorage": "adds how many bytes were stored with each token"
}

/** Where the steps that were done are noted. */
export const MIGRATION_TABLE = "schema_migration"

/** The version this treemarkd brings a store to. */
export const LATEST = Math.max(...Object.keys(MIGRATIONS).map((name) => Number.parseInt(name, 10)))

export interface Step {
  readonly version: number
  readonly name: string
  /** What it does, as the end of a sentence. */
  readonly what: string
}

const STEPS: ReadonlyArray<Step> = Object.entries(MEANINGS).map(([key, what]) => ({
  version: Number.parseInt(key, 10),
  name: key.slice(key.indexOf("_") + 1),
  what
}))

/** The steps after version `from`, up to version `to`, in order. */
export const stepsBetween = (from: number, to: number): ReadonlyArray<Step> =>
  STEPS.filter(({ version }) => version > from && version <= to)

/** Whether the steps are noted in the connected store, so that it has tables. */
const hasTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql.onDialectOrElse({
    pg: () => sql`SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ${MIGRATION_TABLE}`,
    orElse: () => sql`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ${MIGRATION_TABLE}`
  })
  return tables.length > 0
})

/** The version of the connected store, 0 for one without tables; changes nothing. Fails with `StoreTooNew` on a later version. */
export const versionOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* hasTables)) return 0
  const rows = yield* sql<{ readonly id: number | null }>`SELECT MAX(migration_id) AS id FROM ${sql(MIGRATION_TABLE)}`
  const found = rows[0]?.id ?? 0
  if (found > LATEST) return yield* new StoreTooNew({ found, known: LATEST })
  return found
})

/** Names the migrations among PostgreSQL's advisory locks, whose names are 64-bit numbers: ASCII of "treemark". */
const MIGRATION_LOCK = "8390880542045860459"

/**
 * Makes the table before Effect's migrator would: that one asks again after a refusal, inside the transaction which the refusal ended,
 * and what the database had said (permission denied) would be lost.
 */
const noteTable = (sql: SqlClient.SqlClient) =>
  Effect.flatMap(hasTables, (exists) =>
    exists
      ? Effect.void
      : Effect.asVoid(sql`CREATE TABLE ${sql(MIGRATION_TABLE)} (migration_id INTEGER PRIMARY KEY,
          created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), name TEXT NOT NULL)`)
  )

/**
 * On PostgreSQL, daemons that start together migrate one after the other, however long the first one takes: all in one transaction,
 * whose advisory lock ends with it. The embedded store has one opener only.
 */
const oneAtATime = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.onDialectOrElse({
      pg: () =>
        sql`SET LOCAL statement_timeout = 0`.pipe(
          Effect.andThen(sql`SET LOCAL lock_timeout = 0`),
          Effect.andThen(sql`SELECT pg_advisory_xact_lock(${sql.literal(MIGRATION_LOCK)})`),
          Effect.andThen(noteTable(sql)),
          Effect.andThen(work),
          sql.withTransaction
        ),
      orElse: () => work
    })
  )

/** Runs what is pending and answers it as `[id, name]`; fails with `StoreTooNew` on a store of a later version. */
export const migrate = Effect.gen(function* () {
  const done = yield* Migrator.make({})({ loader: Migrator.fromRecord(MIGRATIONS), table: MIGRATION_TABLE })
  yield* versionOf
  return done
}).pipe(oneAtATime, Effect.withSpan("Migrations.migrate"))

export const layer = Layer.effectDiscard(migrate)
