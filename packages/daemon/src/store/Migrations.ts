/**
 * Brings the store's tables to the version this treemarkd knows: numbered steps, each once, all pending ones in one transaction.
 * A step that was released is never edited; a new one is added. `layer` belongs between the client and everything else.
 */
import { Effect, Layer } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import initial from "./migrations/0001_Initial.ts"
import transferJobs from "./migrations/0002_TransferJobs.ts"
import books from "./migrations/0003_Books.ts"
import { StoreTooNew } from "./StoreErrors.ts"

const MIGRATIONS = { "0001_Initial": initial, "0002_TransferJobs": transferJobs, "0003_Books": books }
const TABLE = "schema_migration"
const LATEST = Math.max(...Object.keys(MIGRATIONS).map((name) => Number.parseInt(name, 10)))

/** Runs what is pending and answers it as `[id, name]`; fails with `StoreTooNew` on a store of a later version. */
export const migrate = Effect.gen(function* () {
  const done = yield* Migrator.make({})({ loader: Migrator.fromRecord(MIGRATIONS), table: TABLE })
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: number }>`SELECT MAX(migration_id) AS id FROM ${sql(TABLE)}`
  const found = rows[0]?.id ?? 0
  if (found > LATEST) return yield* new StoreTooNew({ found, known: LATEST })
  return done
}).pipe(Effect.withSpan("Migrations.migrate"))

export const layer = Layer.effectDiscard(migrate)
