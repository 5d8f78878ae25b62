/**
 * Every index is a page more to write for each commit, so those that answer no question go. Holds are looked up by the work they are for
 * and not by account and state.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  "DROP INDEX commit_job_asset",
  "DROP INDEX commit_job_account",
  "DROP INDEX commit_job_state",
  "DROP INDEX ledger_entry_reference",
  "DROP INDEX hold_account",
  "CREATE INDEX hold_reference ON hold (reference)"
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
