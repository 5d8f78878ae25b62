/** The commits that are under way, as whoever carries them finds them in the store. */
import { StorageUnavailable } from "@treemark/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { byIndex } from "../store/Dialect.ts"
import type { Lane } from "../store/Leases.ts"
import { databaseNow } from "../store/Replica.ts"
import { storing } from "../store/StorageFailure.ts"
import type { CommitRow } from "./CommitRow.ts"

/** Rows looked at in one go: more than a wallet may have under way. */
const AT_ONCE = 64

/** Watched rows looked at in one go. */
const WATCHED_AT_ONCE = 1_000

export const makeCommitRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = databaseNow(sql)

  const find = (commitId: string): Effect.Effect<CommitRow | undefined, StorageUnavailable> =>
    Effect.map(sql<CommitRow>`SELECT * FROM commit_job WHERE id = ${commitId}`, (rows) => rows[0]).pipe(
      storing("looking up a commit")
    )

  /** Whether a commit still waits to be signed, and somebody for it. */
  const isWanted = (commitId: string) =>
    Effect.map(
      sql`SELECT id FROM commit_job WHERE id = ${commitId} AND state = 'queued' AND wanted_until > ${now}`,
      (rows) => rows.length > 0
    )

  /** The wallets that have work on a chain: the committers of this configuration, and perhaps those of an earlier one. */
  const busy = (chainId: number) =>
    Effect.map(
      sql<{ readonly committer: string }>`SELECT committer FROM commit_job ${byIndex(sql, "commit_job_open")}
          WHERE chain_id = ${chainId} AND state IN ('queued', 'signed', 'sent')
        UNION SELECT committer FROM commit_job ${byIndex(sql, "commit_job_watched")}
          WHERE chain_id = ${chainId} AND watched = 1`,
      (rows) => rows.map(({ committer }) => committer)
    ).pipe(Effect.mapError((cause) => new StorageUnavailable({ doing: "reading which wallets have work", cause })))

  /** Work of a lane that has not ended, by id: what was signed first, in the order of the nonces, then what waits, oldest first. */
  const open = ({ address, chainId }: Lane) =>
    Effect.map(
      sql<Pick<CommitRow, "id">>`SELECT id FROM commit_job ${byIndex(sql, "commit_job_open")}
        WHERE chain_id = ${chainId} AND committer = ${address} AND state IN ('queued', 'signed', 'sent')
        ORDER BY nonce NULLS LAST, created_at, id LIMIT ${AT_ONCE}`,
      (rows) => rows.map(({ id }) => id)
    )

  /** Commits on chains that the profile does not have. */
  const foreign = (chainIds: ReadonlyArray<number>) =>
    sql<Pick<CommitRow, "id" | "chain_id">>`SELECT id, chain_id FROM commit_job
      WHERE state IN ('queued', 'signed', 'sent') AND NOT ${sql.in("chain_id", chainIds)}`.pipe(
      storing("reading the unfinished commits")
    )

  /** Work of a lane that has ended while its hold is still open. */
  const unsettled = ({ address, chainId }: Lane) =>
    sql<CommitRow>`SELECT j.* FROM hold h ${byIndex(sql, "hold_open")} CROSS JOIN commit_job j ${byIndex(sql, "commit_job_hold")}
      WHERE h.state = 'held' AND j.hold_id = h.id AND j.chain_id = ${chainId} AND j.committer = ${address}
      AND j.state NOT IN ('queued', 'signed', 'sent')`

  /** Those of the commits that have ended. */
  const ended = (commitIds: ReadonlyArray<string>) =>
    sql<CommitRow>`SELECT * FROM commit_job WHERE ${sql.in("id", commitIds)} AND state NOT IN ('queued', 'signed', 'sent')`

  /** Commits of a lane that were recorded and whose block may yet fall out of the chain, in the order of their blocks. */
  const watched = ({ address, chainId }: Lane) =>
    sql<Pick<CommitRow, "id" | "block_number" | "block_hash">>`SELECT id, block_number, block_hash
      FROM commit_job ${byIndex(sql, "commit_job_watched")} WHERE chain_id = ${chainId} AND watched = 1 AND committer = ${address}
      ORDER BY block_number, nonce LIMIT ${WATCHED_AT_ONCE}`

  /** They need not be watched any more. */
  const letGo = (commitIds: ReadonlyArray<string>) =>
    sql`UPDATE commit_job SET watched = 0 WHERE ${sql.in("id", commitIds)}`

  return { watched, letGo, find, isWanted, busy, open, foreign, unsettled, ended }
})
