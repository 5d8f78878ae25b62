/**
 * Asset trees as rows of the store, in front of the folder of the blocks: a row shares the COMMIT of the job that names it, where a file
 * would need two syncs of its own before each signature. Everything else, and trees from before there was the table, is in the folder.
 * Text that is stored is checked against its CID on every read, like a file.
 */
import { ContentStore, StorageUnavailable } from "@treemark/core"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { storing } from "../store/StorageFailure.ts"
import { isContentOf, readCid } from "./BlockCid.ts"
import { BlockDamaged } from "./BlockErrors.ts"
import { BlockFolder } from "./BlockFolder.ts"

const toText = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const toBytes = new TextEncoder()

interface TreeRow {
  readonly document: string
}

/** The content store around another one, which it reads first: what it holds besides is trees. */
const make = (sql: SqlClient.SqlClient, elsewhere: ContentStore["Service"], keepsTrees: boolean) => {
  const read = Effect.fnUntraced(function* (text: string) {
    const cid = readCid(text)
    if (cid === undefined) return Option.none()
    const doing = `the asset tree ${cid} was read`
    const [row] = yield* sql<TreeRow>`SELECT document FROM asset_tree WHERE cid = ${cid.toString()}`.pipe(
      storing(doing)
    )
    if (row === undefined) return Option.none()
    const bytes = toBytes.encode(row.document)
    if (isContentOf(cid, bytes)) return Option.some(bytes)
    const place = "the table asset_tree of the store"
    return yield* new StorageUnavailable({ doing, cause: new BlockDamaged({ cid: cid.toString(), place }) })
  })

  const write = Effect.fn("ContentStore.put")(function* (text: string, bytes: Uint8Array) {
    const cid = readCid(text)
    if (cid === undefined || !isContentOf(cid, bytes)) {
      return yield* Effect.die(new Error(`These ${bytes.length} bytes are not the content of ${text}.`))
    }
    const document = toText.decode(bytes)
    yield* sql`INSERT INTO asset_tree ${sql.insert({ cid: cid.toString(), document })}
      ON CONFLICT (cid) DO UPDATE SET document = excluded.document WHERE asset_tree.document <> excluded.document`.pipe(
      storing(`the asset tree ${cid} was written`)
    )
  })

  return ContentStore.of({
    put: keepsTrees ? write : elsewhere.put,
    get: (cid) =>
      Effect.flatMap(
        elsewhere.get(cid),
        Option.match({ onNone: () => read(cid), onSome: (bytes) => Effect.succeed(Option.some(bytes)) })
      ),
    locationOf: elsewhere.locationOf
  })
}

const over = (keepsTrees: boolean) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const contents = make(yield* SqlClient.SqlClient, yield* ContentStore, keepsTrees)
      return Context.make(ContentStore, contents).pipe(Context.add(BlockFolder, yield* BlockFolder))
    })
  )

/** Whether storing a tree is a change of the store, and so part of the transaction around it. */
export const TreesInStore = Context.Reference<boolean>("@treemark/daemon/content/TreeTable/TreesInStore", {
  defaultValue: () => false
})

/** Keeps trees in the table. */
export const layer = Layer.merge(over(true), Layer.succeed(TreesInStore, true))

/** Only reads the table: for storage elsewhere, where readers look for new trees. */
export const layerReading = over(false)
