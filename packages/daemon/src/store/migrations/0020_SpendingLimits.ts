/**
 * What a token may spend in a day (null: as much as its account), and which token the money of a call was set aside for. The index finds
 * what one token spent today.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Dialect, dialectOf } from "../Dialect.ts"

const statements = ({ natural }: Dialect) => [
  `ALTER TABLE access_token ADD COLUMN daily_limit TEXT CHECK (${natural("daily_limit")})`,
  `ALTER TABLE pairing ADD COLUMN daily_limit TEXT CHECK (${natural("daily_limit")})`,
  "ALTER TABLE hold ADD COLUMN token_id TEXT REFERENCES access_token (id)",
  "CREATE INDEX hold_token ON hold (token_id, created_at) WHERE token_id IS NOT NULL"
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements(dialectOf(sql)), (statement) => sql.unsafe(statement), { discard: true })
})
