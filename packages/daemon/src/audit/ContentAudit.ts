/** The content store against the jobs: every asset tree that was committed is there, and its bytes are what its CID says. */
import { ContentStore } from "@treemark/core"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { eachPage } from "../store/Snapshot.ts"
import type { Note } from "./AuditReport.ts"

const PAGE = 5_000

const READS_AT_ONCE = 16

interface TreeRow {
  readonly asset_tree_cid: string
}

/** The trees of all jobs, each once. */
export const treesOf = Effect.fn("Audit.treesOf")(function* (sql: SqlClient.SqlClient) {
  const trees: Array<string> = []
  yield* eachPage(
    (last: TreeRow | undefined) => sql<TreeRow>`SELECT DISTINCT asset_tree_cid FROM commit_job
      WHERE asset_tree_cid > ${last?.asset_tree_cid ?? ""} ORDER BY asset_tree_cid LIMIT ${PAGE}`,
    (rows) => {
      for (const { asset_tree_cid } of rows) trees.push(asset_tree_cid)
    }
  )
  return trees
})

/** Reads each tree; the store checks it against its CID. */
export const auditTrees = Effect.fn("Audit.trees")(function* (trees: ReadonlyArray<string>, note: Note) {
  const contents = yield* ContentStore
  yield* Effect.forEach(
    trees,
    (cid) =>
      contents.get(cid).pipe(
        Effect.match({
          onSuccess: (bytes) => {
            if (Option.isNone(bytes)) note("tree_missing", cid, "It was committed, and nobody can fetch it here.")
          },
          onFailure: ({ cause }) => note("tree_damaged", cid, cause instanceof Error ? cause.message : String(cause))
        })
      ),
    { concurrency: READS_AT_ONCE, discard: true }
  )
})
