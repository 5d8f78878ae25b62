/** Asset trees as rows: checked on the way in and out, mended, and looked for where trees from before the table are. */
import { assert, describe, it } from "@effect/vitest"
import { ContentStore, cidOf, RAW_CODE, StorageUnavailable, treeCidOf } from "@treemark/core"
import { Cause, Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { BlockDamaged } from "../../../packages/daemon/src/content/BlockErrors.ts"
import * as BlockFolder from "../../../packages/daemon/src/content/BlockFolder.ts"
import * as TreeTable from "../../../packages/daemon/src/content/TreeTable.ts"
import { storeLayer, tempFolder } from "../store/TempStore.ts"
import { filesIn, PUBLIC_URL } from "./ContentFixture.ts"

const text = (value: string) => new TextEncoder().encode(value)
const TREE = text('{"headline":"\u00e9\\u0000 \u{1f333}"}')
const CID = treeCidOf(TREE)

/** Runs `use` over an empty store, and a folder of blocks that is empty too. */
const withTrees = <A, E>(
  use: (folder: string) => Effect.Effect<A, E, ContentStore | SqlClient.SqlClient>,
  trees: typeof TreeTable.layer = TreeTable.layer
) =>
  Effect.gen(function* () {
    const folder = `${yield* tempFolder}/blocks`
    const layer = trees.pipe(
      Layer.provide(BlockFolder.layer({ folder, publicUrl: PUBLIC_URL })),
      Layer.provideMerge(storeLayer(`${folder}.db`))
    )
    return yield* use(folder).pipe(Effect.provide(layer))
  }).pipe(Effect.scoped)

const stored = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly cid: string; readonly document: string }>`SELECT cid, document FROM asset_tree`
)

describe("asset trees in the store's own table", () => {
  it.live("are given back byte for byte, under any spelling of their CID, and no file is written", () =>
    withTrees((folder) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        assert.isTrue(Option.isNone(yield* contents.get(CID)))
        yield* contents.put(CID, TREE)
        yield* contents.put(CID, TREE)
        assert.deepStrictEqual(Option.getOrThrow(yield* contents.get(CID)), TREE)
        assert.deepStrictEqual(
          (yield* stored).map((row) => ({ ...row })),
          [{ cid: CID, document: new TextDecoder().decode(TREE) }]
        )
        assert.deepStrictEqual(yield* filesIn(folder), [])
      })
    )
  )

  it.live("are refused when they are not the content of the CID", () =>
    withTrees(() =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        for (const wrong of [treeCidOf(text("{}")), "not a CID"]) {
          const exit = yield* Effect.exit(contents.put(wrong, TREE))
          assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause), wrong)
        }
        assert.deepStrictEqual(yield* stored, [])
      })
    )
  )

  it.live("are not served once they were changed, and mended when they are stored again", () =>
    withTrees(() =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const contents = yield* ContentStore
        yield* contents.put(CID, TREE)
        yield* sql`UPDATE asset_tree SET document = '{"headline":"another"}'`
        const error = yield* Effect.flip(contents.get(CID))
        assert.instanceOf(error, StorageUnavailable)
        assert.instanceOf(error.cause, BlockDamaged)
        assert.include(error.cause.message, "the table asset_tree")
        yield* contents.put(CID, TREE)
        assert.deepStrictEqual(Option.getOrThrow(yield* contents.get(CID)), TREE)
      })
    )
  )

  it.live("from before there was the table are read from the folder", () =>
    withTrees((folder) =>
      Effect.gen(function* () {
        const before = BlockFolder.layer({ folder, publicUrl: PUBLIC_URL })
        yield* Effect.flatMap(ContentStore, ({ put }) => put(CID, TREE)).pipe(Effect.provide(before))
        assert.deepStrictEqual(Option.getOrThrow(yield* (yield* ContentStore).get(CID)), TREE)
        assert.deepStrictEqual(yield* stored, [])
      })
    )
  )

  it.live("where content is elsewhere: what the table has is read, and new trees are stored there", () =>
    withTrees(
      (folder) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const contents = yield* ContentStore
          yield* sql`INSERT INTO asset_tree ${sql.insert({ cid: CID, document: new TextDecoder().decode(TREE) })}`
          assert.deepStrictEqual(Option.getOrThrow(yield* contents.get(CID)), TREE)
          const other = cidOf(RAW_CODE, TREE)
          yield* contents.put(other, TREE)
          assert.deepStrictEqual(yield* filesIn(folder), [other])
          assert.lengthOf(yield* stored, 1)
        }),
      TreeTable.layerReading
    )
  )
})
