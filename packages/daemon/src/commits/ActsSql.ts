/**
 * Core's `Acts` over the table `signed_act`, the same on SQLite and PostgreSQL: of many callers, in however many daemons, the database lets
 * one have an act. A commit whose job ended without a record on the ledger gives its act up to whoever wants it next.
 */
import { Acts } from "@treemark/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Networks } from "../evm/Networks.ts"
import { storing } from "../store/StorageFailure.ts"

export const layer = Layer.effect(
  Acts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const networks = yield* Networks
    const ended = sql.literal("('refused', 'reverted', 'displaced')")
    return Acts.of({
      holderOf: Effect.fn("Acts.holderOf")(function* ({ actSignature, network }) {
        const rows = yield* sql<{ readonly commit_id: string }>`SELECT a.commit_id FROM signed_act a
          LEFT JOIN commit_job j ON j.id = a.commit_id
          WHERE a.chain_id = ${networks.role(network).chainId} AND a.signature = ${actSignature}
          AND (j.state IS NULL OR j.state NOT IN ${ended})`
        return rows[0]?.commit_id
      }, storing("looking up a signed act")),
      claim: Effect.fn("Acts.claim")(function* ({ actSignature, commitId, network }) {
        const row = { chain_id: networks.role(network).chainId, signature: actSignature, commit_id: commitId }
        const rows = yield* sql`INSERT INTO signed_act ${sql.insert(row)}
          ON CONFLICT (chain_id, signature) DO UPDATE SET commit_id = excluded.commit_id
          WHERE signed_act.commit_id = excluded.commit_id OR EXISTS (
            SELECT 1 FROM commit_job j WHERE j.id = signed_act.commit_id AND j.state IN ${ended})
          RETURNING commit_id`
        return rows.length > 0
      }, storing("noting a signed act")),
      release: Effect.fn("Acts.release")(function* ({ actSignature, commitId, network }) {
        yield* sql`DELETE FROM signed_act WHERE chain_id = ${networks.role(network).chainId}
          AND signature = ${actSignature} AND commit_id = ${commitId}
          AND NOT EXISTS (SELECT 1 FROM commit_job j WHERE j.id = ${commitId} AND j.state NOT IN ${ended})`
      }, storing("freeing a signed act"))
    })
  })
)
