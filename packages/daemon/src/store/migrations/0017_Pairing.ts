/**
 * Pairing (RFC 8628): what tools ask for until somebody decides, and what their tokens may do. `scopes` are words with spaces between; null:
 * everything, as tokens made before. A page of `origin` may call while one of its tokens lives.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Dialect, dialectOf } from "../Dialect.ts"

const statements = ({ hex, int64, strict }: Dialect) => [
  `CREATE TABLE pairing (
    device_hash TEXT NOT NULL PRIMARY KEY CHECK (${hex("device_hash", 64)}),
    user_hash TEXT NOT NULL UNIQUE CHECK (${hex("user_hash", 64)}),
    name TEXT NOT NULL,
    origin TEXT,
    scopes TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('asked', 'approved', 'denied')),
    account_id TEXT REFERENCES account (id),
    wrong_tries INTEGER NOT NULL DEFAULT 0,
    pause ${int64} NOT NULL,
    polled_at ${int64},
    expires_at ${int64} NOT NULL,
    CHECK ((state = 'approved') = (account_id IS NOT NULL))
  )${strict}`,
  "ALTER TABLE access_token ADD COLUMN scopes TEXT",
  "ALTER TABLE access_token ADD COLUMN origin TEXT"
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements(dialectOf(sql)), (statement) => sql.unsafe(statement), { discard: true })
})
