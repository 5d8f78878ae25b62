/**
 * Commits that wait to be signed, as rows of `commit_job` in the state `queued`: how a daemon hands a commit to the one that signs for
 * the wallet. A row carries the terms that were quoted, and is void once `wanted_until` has passed by the database's clock: a caller
 * who was told that nothing was recorded can rely on it, even if this daemon could not take the row back.
 *
 * PostgreSQL only: a daemon that is alone on its store signs at once.
 */
import { LedgerUnavailable, type NetworkRole } from "@treemark/core"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Terms } from "../evm/Fees.ts"
import type { Signed } from "../evm/OutboxTransaction.ts"
import type { Lane } from "../store/Leases.ts"
import { databaseNow } from "../store/Replica.ts"
import { addEvent } from "./CommitHistory.ts"
import { type CommitOrder, type CommitRow, newColumns, signedColumns } from "./CommitRow.ts"
import { makeCommitTransitions } from "./CommitTransitions.ts"

/** Rows looked at in one go: more than a wallet may have under way. */
const AT_ONCE = 64

/** A commit to hand over. */
export interface Handover {
  readonly role: NetworkRole
  readonly network: string
  readonly order: CommitOrder
  readonly lane: Lane
  readonly terms: Terms
  /** For how long it is wanted, in milliseconds. */
  readonly patience: number
}

export const makeCommitQueue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = databaseNow(sql)
  const transitions = yield* makeCommitTransitions
  const inStore = Effect.provideService(SqlClient.SqlClient, sql)

  /**
   * Adds the row unless the commit has one that was not refused. The hold is locked meanwhile: it may have been given back because
   * this daemon had shown no sign of life, and then there is no money behind the commit.
   */
  const enqueue = Effect.fn("CommitQueue.enqueue")(function* (handover: Handover) {
    const { lane, network, order, patience, role, terms } = handover
    const at = yield* Clock.currentTimeMillis
    const held = yield* sql`SELECT id FROM hold WHERE id = ${order.holdId} AND state = 'held' FOR SHARE`
    yield* sql`DELETE FROM commit_job WHERE id = ${order.commitId} AND state = 'refused'`
    const added = yield* sql`INSERT INTO commit_job ${sql.insert({
      ...newColumns(role, order, lane, at),
      state: "queued",
      gas_limit: terms.gas.toString(),
      max_fee: terms.maxFeePerGas.toString(),
      max_tip: terms.maxPriorityFeePerGas.toString()
    })} ON CONFLICT (id) DO NOTHING RETURNING id`
    if (added.length === 0) return
    yield* inStore(addEvent(order.commitId, at, { what: "queued" }))
    if (held.length === 0) {
      const reason =
        "this daemon stood still for so long that the money it held for the call was given back. Nothing was sent."
      return yield* new LedgerUnavailable({ network, reason })
    }
    yield* sql`UPDATE commit_job SET wanted_until = ${now} + ${Math.round(patience)}::bigint WHERE id = ${order.commitId}`
  }, sql.withTransaction)

  /** Takes a commit back that nothing was signed for; false when something was, or when it has ended. */
  const withdraw = Effect.fn("CommitQueue.withdraw")(function* (commitId: string, reason: string) {
    const written = { columns: { error: reason }, history: { what: "refused", detail: reason } } as const
    return (yield* transitions.tell(commitId, { _tag: "withdraw" }, written)).hasChanged
  }, sql.withTransaction)

  /** Whether a commit still waits to be signed, and somebody for it. */
  const isWanted = (commitId: string) =>
    Effect.map(
      sql`SELECT id FROM commit_job WHERE id = ${commitId} AND state = 'queued' AND wanted_until > ${now}`,
      (rows) => rows.length > 0
    )

  /** The wallets that have work on a chain: the committers of this configuration, and perhaps those of an earlier one. */
  const busy = (chainId: number) =>
    Effect.map(
      sql<{ readonly committer: string }>`SELECT DISTINCT committer FROM commit_job WHERE chain_id = ${chainId}
        AND (state IN ('queued', 'signed', 'sent') OR watched = 1)`,
      (rows) => rows.map(({ committer }) => committer)
    )

  /** Part of the transaction that signs: the row, if it is still wanted, becomes `signed`. Fails with `LedgerUnavailable` if not. */
  const claim = Effect.fnUntraced(function* (network: string, signed: Signed) {
    const found = yield* sql`SELECT id FROM commit_job WHERE id = ${signed.id} AND state = 'queued'
      AND wanted_until > ${now} FOR UPDATE SKIP LOCKED`
    if (found.length === 0) {
      return yield* new LedgerUnavailable({ network, reason: "the commit was no longer wanted when its turn came." })
    }
    const { state } = yield* transitions.tell(signed.id, { _tag: "sign" }, { columns: signedColumns(signed) })
    if (state._tag !== "signed") {
      return yield* new LedgerUnavailable({ network, reason: "the money held for the commit had been given back." })
    }
  })

  /** Work of a lane that has not ended: what was signed first, in the order of the nonces, then what waits, oldest first. */
  const open = ({ address, chainId }: Lane) =>
    sql<CommitRow>`SELECT * FROM commit_job WHERE chain_id = ${chainId} AND committer = ${address}
      AND state IN ('queued', 'signed', 'sent') ORDER BY nonce NULLS LAST, created_at, id LIMIT ${AT_ONCE}`

  /** Work of a lane that has ended while its hold is still open. */
  const unsettled = ({ address, chainId }: Lane) =>
    sql<CommitRow>`SELECT j.* FROM hold h JOIN commit_job j ON j.hold_id = h.id WHERE h.state = 'held'
      AND j.chain_id = ${chainId} AND j.committer = ${address} AND j.state NOT IN ('queued', 'signed', 'sent')`

  /** Those of the commits that have ended. */
  const ended = (commitIds: ReadonlyArray<string>) =>
    sql<CommitRow>`SELECT * FROM commit_job WHERE ${sql.in("id", commitIds)} AND state NOT IN ('queued', 'signed', 'sent')`

  return { enqueue, withdraw, isWanted, busy, claim, open, unsettled, ended }
})

/** The terms under which a queued row wants to be signed. */
export const termsOf = (row: CommitRow): Terms => {
  const [gas, maxFeePerGas] = [BigInt(row.gas_limit ?? 0), BigInt(row.max_fee ?? 0)]
  return { gas, maxFeePerGas, maxPriorityFeePerGas: BigInt(row.max_tip ?? 0), ceiling: gas * maxFeePerGas }
}
