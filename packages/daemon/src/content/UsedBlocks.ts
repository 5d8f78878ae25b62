/** Which of some blocks registered files are made of: read off the store and the graphs of the files, whose leaves need not be read. */
import { ContentStore, DAG_PB_CODE, StorageUnavailable } from "@treemark/core"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { CID } from "multiformats/cid"
import { storing } from "../store/StorageFailure.ts"
import { readCid } from "./BlockCid.ts"
import { BlockMissing } from "./BlockErrors.ts"
import { linksOf } from "./BlockGraph.ts"

const PAGE = 500
const DOING = "the blocks of registered files were looked for"

/** Those of `cids` that are in use. Fails when the graph of a file cannot be read whole, since nobody knows then what is below. */
export const usedOf = Effect.fn("UsedBlocks.usedOf")(function* (cids: ReadonlySet<string>) {
  const sql = yield* SqlClient.SqlClient
  const contents = yield* ContentStore
  const used = new Set<string>()

  const visit = Effect.fnUntraced(function* (root: CID) {
    const waiting = [root]
    for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
      const text = cid.toString()
      if (cids.has(text)) used.add(text)
      if (cid.code !== DAG_PB_CODE) continue
      const bytes = yield* contents.get(text)
      if (Option.isNone(bytes)) {
        const cause = new BlockMissing({ cid: text, parent: root.toString() })
        return yield* new StorageUnavailable({ doing: DOING, cause })
      }
      waiting.push(...linksOf({ cid, bytes: bytes.value }))
    }
  })

  let last = ""
  while (used.size < cids.size) {
    const rows = yield* sql<{ readonly cid: string }>`SELECT asset_cid AS cid FROM asset
      WHERE stored = 1 AND asset_cid > ${last} ORDER BY asset_cid LIMIT ${PAGE}`.pipe(storing(DOING))
    for (const { cid } of rows) {
      const root = readCid(cid)
      if (root !== undefined) yield* visit(root)
    }
    last = rows.at(-1)?.cid ?? ""
    if (rows.length < PAGE) break
  }
  return used as ReadonlySet<string>
})
