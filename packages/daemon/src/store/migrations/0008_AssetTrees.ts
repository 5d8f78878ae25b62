/**
 * Asset trees as rows, so that a tree is stored in the same COMMIT as the job that names it. A tree is JSON text. Trees from before stay
 * in the folder of the blocks, where they are looked for first.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { dialectOf } from "../Dialect.ts"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`CREATE TABLE asset_tree (
    cid TEXT NOT NULL PRIMARY KEY,
    document TEXT NOT NULL
  )${dialectOf(sql).strict}`)
})
