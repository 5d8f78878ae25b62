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
import { StoreTooNew } from "./StoreErrors.ts"

const MIGRATIONS = {
  "0001_Initial": initial,
  "0002_TransferJobs": transferJobs,
  "0003_Books": books,
  "0004_Replicas": replicas,
  "0005_Receipts": receipts
}
const TABLE = "schema_migration"
const LATEST = Math.max(...Object.keys(MIGRATIONS).map((name) => Number.parseInt(name, 10)))

/** Names the migrations among PostgreSQL's advisory locks, whose names are 64-bit numbers: ASCII of "treemark". */
const MIGRATION_LOCK = "8390880542045860459"

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
          Effect.andThen(work),
          sql.withTransaction
        ),
      orElse: () => work
    })
  )

/** Runs what is pending and answers it as `[id, name]`; fails with `StoreTooNew` on a store of a later version. */
export const migrate = Effect.gen(function* () {
  const done = yield* Migrator.make({})({ loader: Migrator.fromRecord(MIGRATIONS), table: TABLE })
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: number }>`SELECT MAX(migration_id) AS id FROM ${sql(TABLE)}`
  const found = rows[0]?.id ?? 0
  if (found > LATEST) return yield* new StoreTooNew({ found, known: LATEST })
  return done
}).pipe(oneAtATime, Effect.withSpan("Migrations.migrate"))

export const layer = Layer.effectDiscard(migrate)
