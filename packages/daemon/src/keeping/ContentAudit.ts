/**
 * The content store against the tables: every asset tree that was committed and every block of every registered file is there, and its
 * bytes are what its CID says.
 */
import { Effect, Fiber, Random } from "effect"
import type { SqlClient } from "effect/sql"
import { commitTable } from "../commits/CommitTable.ts"
import { isContentOf, readCid } from "../content/BlockCid.ts"
import { eachPage, readingOrder } from "../store/Snapshot.ts"
import type { Note } from "./AuditReport.ts"
import type { BlockReader } from "./StoredBlocks.ts"

const PAGE = 500

/** Trees, and files, that are asked for in one go. */
const TREES = 1_000
const FILES = 100

interface TreeRow {
  readonly cid: string
  /** Null where the tree is not in the store's own table. */
  readonly document: string | null
}

interface AssetRow {
  readonly place: number | bigint | string
  readonly cid: string
}

const toBytes = new TextEncoder()

const isWhole = (text: string, document: string): boolean => {
  const cid = readCid(text)
  return cid !== undefined && isContentOf(cid, toBytes.encode(document))
}

const lotsOf = (cids: ReadonlyArray<string>, size: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(cids.length / size) }, (_, n) => cids.slice(n * size, (n + 1) * size))

/**
 * Every tree of the jobs that `sql` sees, each once. Those of the table are hashed here; `reader` reads the others while the rest of the
 * audit goes on, and the effect it answers waits for the end.
 */
export const beginTrees = Effect.fn("Audit.trees")(function* (
  sql: SqlClient.SqlClient,
  reader: BlockReader,
  note: Note
) {
  const trees: Array<string> = []
  let hashed = 0
  yield* eachPage(
    (last: TreeRow | undefined) => commitTable(sql).trees(last?.cid ?? "", PAGE),
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
  const reading = yield* Effect.forkChild(Effect.forEach(lotsOf(trees, TREES), reader.trees))
  return Effect.gen(function* () {
    for (const { cid, detail, kind } of (yield* Fiber.join(reading)).flatMap(({ faults }) => faults)) {
      if (kind === "missing") note("tree_missing", cid, "It was committed, and nobody can fetch it here.")
      else note("tree_damaged", cid, detail)
    }
    return hashed + trees.length
  })
})

/**
 * The blocks of every file that was registered by its bytes, or of `sample` of them drawn at random; read as the trees are. Files may share
 * blocks: one that is missing is named for each file that needs it.
 */
export const beginFiles = Effect.fn("Audit.files")(function* (
  sql: SqlClient.SqlClient,
  reader: BlockReader,
  note: Note,
  sample: number | undefined
) {
  const { cids, registered } = yield* filesToRead(sql, sample)
  const reading = yield* Effect.forkChild(Effect.forEach(lotsOf(cids, FILES), reader.files))
  return Effect.gen(function* () {
    const parts = yield* Fiber.join(reading)
    for (const { asset = "", cid, detail, kind } of parts.flatMap(({ faults }) => faults)) {
      const whose = cid === asset ? `It is the first block of the file ${asset}.` : `It is a part of the file ${asset}.`
      if (kind === "missing") note("block_missing", cid, `${whose} Nobody can fetch that file whole here.`)
      else note("block_damaged", cid, `${whose} ${detail}`)
    }
    return { files: cids.length, registered, blocks: parts.reduce((sum, { blocks }) => sum + blocks, 0) }
  })
})

/** Which files are read: all, or each with the same chance (a reservoir, so the table is read once and only `sample` are held). */
const filesToRead = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, sample = Number.POSITIVE_INFINITY) {
  const random = yield* Random.Random
  const cids: Array<string> = []
  let registered = 0
  const { column, first } = readingOrder(sql, "asset", "asset_cid")
  yield* eachPage(
    (last: AssetRow | undefined) => sql<AssetRow>`SELECT ${column} AS place, asset_cid AS cid FROM asset
      WHERE ${column} > ${last?.place ?? first} AND stored = 1 ORDER BY ${column} LIMIT ${PAGE}`,
    (rows) => {
      for (const { cid } of rows) {
        registered++
        if (cids.length < sample) {
          cids.push(cid)
          continue
        }
        const place = Math.floor(random.nextDoubleUnsafe() * registered)
        if (place < sample) cids[place] = cid
      }
    }
  )
  return { cids, registered }
})
