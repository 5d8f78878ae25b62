/**
 * Nonces of our own wallets, from our own table: a node's `pending` count is a guess, and behind a balancer a wrong one. The
 * chain is asked once per wallet and process (`latest`), to begin with, and to step over what was mined without this table.
 */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { IntColumn, rowsAs } from "../store/Columns.ts"

const nonceRows = rowsAs(Schema.Struct({ next_nonce: IntColumn }))

export interface Lane {
  readonly chainId: number
  readonly address: string
}

/** Makes sure that the next nonce is not below `mined`, how many transactions of the wallet the chain has taken. */
export const startAt = Effect.fn("Nonces.startAt")(function* ({ chainId, address }: Lane, mined: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO signer_nonce ${sql.insert({ chain_id: chainId, address, next_nonce: mined })}
    ON CONFLICT (chain_id, address) DO UPDATE SET next_nonce = excluded.next_nonce
    WHERE signer_nonce.next_nonce < excluded.next_nonce`
})

/**
 * Takes the next nonce; part of the transaction that stores what is signed with it. Where `lease`, a SELECT that locks the right to sign,
 * finds nothing, none is taken.
 */
export const take = Effect.fnUntraced(function* ({ chainId, address }: Lane, lease?: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  const right = lease === undefined ? sql`` : sql`WITH lease AS (${lease})`
  const under = lease === undefined ? sql`` : sql`AND EXISTS (SELECT 1 FROM lease)`
  const [row] = yield* nonceRows(sql`${right}
    UPDATE signer_nonce SET next_nonce = next_nonce + 1
    WHERE chain_id = ${chainId} AND address = ${address} ${under} RETURNING next_nonce`)
  return row === undefined ? undefined : row.next_nonce - 1
})

/** The nonce that would be taken next, as it is now. */
export const nextOf = Effect.fnUntraced(function* ({ chainId, address }: Lane) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* nonceRows(sql`SELECT next_nonce FROM signer_nonce
    WHERE chain_id = ${chainId} AND address = ${address}`)
  return row?.next_nonce ?? 0
})

/** Gives `nonce` back if it was the last one taken; answers whether it was. */
export const giveBack = Effect.fnUntraced(function* ({ chainId, address }: Lane, nonce: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`UPDATE signer_nonce SET next_nonce = ${nonce}
    WHERE chain_id = ${chainId} AND address = ${address} AND next_nonce = ${nonce + 1} RETURNING next_nonce`
  return rows.length === 1
})
