/** The content store against the jobs: every asset tree that was committed is there, and its bytes are what its CID says. */
import { Effect, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import { eachPage } from "../store/Snapshot.ts"
import type { Note } from "./AuditReport.ts"
import type { TreeReader } from "./StoredTrees.ts"

const PAGE = 1_000

interface TreeRow {
  readonly asset_tree_cid: string
}

/** Has every tree of the jobs that `sql` sees read, each once, while the rest of the audit goes on; the effect it answers waits for the end. */
export const beginTrees = Effect.fn("Audit.trees")(function* (sql: SqlClient.SqlClient, read: TreeReader, note: Note) {
  const trees: Array<string> = []
  yield* eachPage(
    (last: TreeRow | undefined) => sql<TreeRow>`SELECT DISTINCT asset_tree_cid FROM commit_job
      WHERE asset_tree_cid > ${last?.asset_tree_cid ?? ""} ORDER BY asset_tree_cid LIMIT ${PAGE}`,
    (rows) => {
      for (const { asset_tree_cid } of rows) trees.push(asset_tree_cid)
    }
  )
  const lots = Array.from({ length: Math.ceil(trees.length / PAGE) }, (_, n) => trees.slice(n * PAGE, (n + 1) * PAGE))
  const reading = yield* Effect.forkChild(Effect.forEach(lots, read))
  return Effect.gen(function* () {
    for (const { cid, detail, kind } of (yield* Fiber.join(reading)).flat()) {
      if (kind === "missing") note("tree_missing", cid, "It was committed, and nobody can fetch it here.")
      else note("tree_damaged", cid, detail)
    }
    return trees.length
  })
})
