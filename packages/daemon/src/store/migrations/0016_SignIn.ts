/**
 * Signing in to the console: codes that work once, and the sessions they become. Both are stored as hashes, so whoever reads the store
 * cannot sign in with it. A code without an account signs in to the first account, which is made if there is none.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Dialect, dialectOf } from "../Dialect.ts"

const statements = ({ hex, int64, strict }: Dialect) => [
  `CREATE TABLE sign_in_code (
    code_hash TEXT NOT NULL PRIMARY KEY CHECK (${hex("code_hash", 64)}),
    account_id TEXT REFERENCES account (id),
    expires_at ${int64} NOT NULL
  )${strict}`,
  `CREATE TABLE console_session (
    session_hash TEXT NOT NULL PRIMARY KEY CHECK (${hex("session_hash", 64)}),
    account_id TEXT NOT NULL REFERENCES account (id),
    created_at ${int64} NOT NULL,
    last_used_at ${int64} NOT NULL
  )${strict}`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements(dialectOf(sql)), (statement) => sql.unsafe(statement), { discard: true })
})
