/** The content store against the jobs: every asset tree that was committed is there, and its bytes are what its CID says. */
import { Effect, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import { isContentOf, readCid } from "../content/BlockCid.ts"
import { eachPage } from "../store/Snapshot.ts"
import type { Note } from "./AuditReport.ts"
import type { TreeReader } from "./StoredTrees.ts"

const PAGE = 1_000

interface TreeRow {
  readonly cid: string
  /** Null where the tree is not in the store's own table. */
  readonly document: string | null
}

const toBytes = new TextEncoder()

const isWhole = (text: string, document: string): boolean => {
  const cid = readCid(text)
  return cid !== undefined && isContentOf(cid, toBytes.encode(document))
}

/**
 * Every tree of the jobs that `sql` sees, each once. Those of the table are hashed here; `read` reads the others while the rest of the
 * audit goes on, and the effect it answers waits for the end.
 */
export const beginTrees = Effect.fn("Audit.trees")(function* (sql: SqlClient.SqlClient, read: TreeReader, note: Note) {
  const trees: Array<string> = []
  let hashed = 0
  yield* eachPage(
    (last: TreeRow | undefined) => sql<TreeRow>`SELECT j.cid, t.document
      FROM (SELECT DISTINCT asset_tree_cid AS cid FROM commit_job WHERE asset_tree_cid > ${last?.cid ?? ""}
        ORDER BY asset_tree_cid LIMIT ${PAGE}) j LEFT JOIN asset_tree t ON t.cid = j.cid ORDER BY j.cid`,
    (rows) => {
      for (const { cid, document } of rows) {
        if (document === null) trees.push(cid)
        else {
          hashed++
          if (!isWhole(cid, document))
            note("tree_damaged", cid, "The table asset_tree does not hold what its CID says.")
        }
      }
    }
  )
  const lots = Array.from({ length: Math.ceil(trees.length / PAGE) }, (_, n) => trees.slice(n * PAGE, (n + 1) * PAGE))
  const reading = yield* Effect.forkChild(Effect.forEach(lots, read))
  return Effect.gen(function* () {
    for (const { cid, detail, kind } of (yield* Fiber.join(reading)).flat()) {
      if (kind === "missing") note("tree_missing", cid, "It was committed, and nobody can fetch it here.")
      else note("tree_damaged", cid, detail)
    }
    return hashed + trees.length
  })
})
