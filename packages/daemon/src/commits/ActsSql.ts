/**
 * Core's `Acts` over the table `signed_act`, the same on SQLite and PostgreSQL: of many callers, in however many daemons, the database lets
 * one have an act. A commit whose job ended without a record on the ledger gives its act up to whoever wants it next.
 */
import { Acts } from "@treemark/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Networks } from "../evm/Networks.ts"
import { storing } from "../store/StorageFailure.ts"
import { commitTable } from "./CommitTable.ts"

export const layer = Layer.effect(
  Acts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const networks = yield* Networks
    const ended = sql.literal(ENDED)
    return Acts.of({
      holderOf: Effect.fn("Acts.holderOf")(function* ({ actSignature, network }) {
        const rows = yield* sql<{ readonly commit_id: string }>`SELECT a.commit_id FROM signed_act a
          ${commitTable(sql).beside("a.commit_id")}
          WHERE a.chain_id = ${networks.role(network).chainId} AND a.signature = ${actSignature}
          AND (j.state IS NULL OR j.state NOT IN ${ended})`
        return rows[0]?.commit_id
      }, storing("looking up a signed act"))
    })
  })
)

/** Gives the act to this commit for good, part of the transaction at hand: false when another has it. Of many at once one gets it. */
export const claimAct = (sql: SqlClient.SqlClient, chainId: number, actSignature: string, commitId: string) =>
  Effect.map(
    sql`INSERT INTO signed_act ${sql.insert({ chain_id: chainId, signature: actSignature, commit_id: commitId })}
      ON CONFLICT (chain_id, signature) DO UPDATE SET commit_id = excluded.commit_id
      WHERE signed_act.commit_id = excluded.commit_id OR ${commitTable(sql).isIn("signed_act.commit_id", sql.literal(ENDED))}
      RETURNING commit_id`,
    (rows) => rows.length > 0
  )

/** States of a commit that gives its act up. */
const ENDED = "('refused', 'reverted', 'displaced')"
