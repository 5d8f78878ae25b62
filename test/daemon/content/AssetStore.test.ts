/** Registration on a real store: the same bytes, conflicts, content that lives elsewhere, and what the registry then finds. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { InvalidFields, Registry, StorageUnavailable } from "@treemark/core"
import { Effect, type Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Assets, IMPORT_PROFILE, RegistrationConflict } from "../../../packages/daemon/src/content/Assets.ts"
import { tempFolder } from "../store/TempStore.ts"
import { assetsLayer, bytesOf, CHUNK, filesIn, keyStream, readStored, sha256Hex } from "./ContentFixture.ts"

const withAssets = <A, E>(use: (home: string) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof assetsLayer>>>) =>
  Effect.gen(function* () {
    const home = yield* tempFolder
    return yield* use(home).pipe(Effect.provide(assetsLayer(home)))
  }).pipe(Effect.scoped)

const bytes = (text: string) => Stream.succeed(new TextEncoder().encode(text))
const nameless = { fileName: undefined, contentType: undefined, accountId: undefined }

/** Of a file of several chunks: its CID does not tell its sha256. */
const DAG_PB = "bafybeigwduxcf2aawppv3isnfeshnimkyplvw3hthxjhr2bdeje4tdaicu"
const RAW = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"
const RAW_SHA256 = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
const elsewhere = { encodingFormat: "text/plain", size: null, accountId: undefined }

describe("registration of a file", () => {
  it.live("answers its CID, sha256, type and size, and the file can be read back and found", () =>
    withAssets(() =>
      Effect.gen(function* () {
        const assets = yield* Assets
        const file = yield* bytesOf(keyStream("asset", 2 * CHUNK + 1))
        const asset = yield* assets.register({ ...nameless, bytes: Stream.succeed(file), fileName: "a.txt" })
        assert.strictEqual(asset.assetSha256, sha256Hex(file))
        assert.strictEqual(asset.encodingFormat, "text/plain")
        assert.strictEqual(asset.size, file.length)
        assert.deepStrictEqual(yield* readStored(asset.assetCid), file)
        const found = Option.getOrThrow(yield* (yield* Registry).find(asset.assetCid))
        assert.deepStrictEqual({ ...found }, { ...asset })
        assert.deepStrictEqual(yield* assets.list, [asset])
      })
    )
  )

  it.live("looks at the first bytes for the type, however small the pieces they come in", () =>
    withAssets(() =>
      Effect.gen(function* () {
        const png = readFileSync(new URL("../../../packages/daemon/sample/espresso.png", import.meta.url))
        const pieces = Array.from({ length: Math.ceil(png.length / 5) }, (_, i) => png.subarray(5 * i, 5 * i + 5))
        const asset = yield* (yield* Assets).register({ ...nameless, bytes: Stream.fromIterable(pieces) })
        assert.strictEqual(asset.encodingFormat, "image/png")
        assert.strictEqual(asset.assetSha256, sha256Hex(png))
      })
    )
  )

  it.live("answers the same for the same bytes, also under another name and type", () =>
    withAssets(() =>
      Effect.gen(function* () {
        const assets = yield* Assets
        const first = yield* assets.register({ ...nameless, bytes: bytes("hello world"), contentType: "text/plain" })
        const again = yield* assets.register({ ...nameless, bytes: bytes("hello world"), contentType: "text/html" })
        assert.strictEqual(first.assetCid, RAW)
        assert.deepStrictEqual(again, first)
        assert.strictEqual((yield* assets.list).length, 1)
      })
    )
  )

  it.live("gives twenty registrations of the same bytes at once one and the same answer", () =>
    withAssets(() =>
      Effect.gen(function* () {
        const assets = yield* Assets
        const register = assets.register({ ...nameless, bytes: keyStream("race", 2 * CHUNK) })
        const answers = yield* Effect.all(
          Array.from({ length: 20 }, () => register),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(answers.map((asset) => JSON.stringify(asset))).size, 1)
        assert.strictEqual((yield* assets.list).length, 1)
      })
    )
  )

  it.live("registers the empty file", () =>
    withAssets(() =>
      Effect.gen(function* () {
        const asset = yield* (yield* Assets).register({ ...nameless, bytes: Stream.empty })
        assert.strictEqual(asset.assetCid, "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku")
        assert.strictEqual(asset.size, 0)
        assert.strictEqual((yield* readStored(asset.assetCid)).length, 0)
      })
    )
  )

  it.live("refuses a declared type that is none before it reads a byte", () =>
    withAssets((home) =>
      Effect.gen(function* () {
        const untouched = Stream.fromEffect(Effect.die("read"))
        const error = yield* Effect.flip(
          (yield* Assets).register({ ...nameless, bytes: untouched, contentType: "no type" })
        )
        assert.instanceOf(error, InvalidFields)
        assert.deepStrictEqual(yield* filesIn(`${home}/blocks`), [])
      })
    )
  )

  it.live("registers nothing when the upload breaks off", () =>
    withAssets(() =>
      Effect.gen(function* () {
        const assets = yield* Assets
        const broken = Stream.concat(keyStream("broken", CHUNK), Stream.fail("the line broke" as const))
        assert.strictEqual(yield* Effect.flip(assets.register({ ...nameless, bytes: broken })), "the line broke")
        assert.deepStrictEqual(yield* assets.list, [])
      })
    )
  )

  it.live("records how the file was cut and that its bytes are here", () =>
    withAssets(() =>
      Effect.gen(function* () {
        yield* (yield* Assets).register({ ...nameless, bytes: bytes("hello world") })
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`SELECT import_profile, stored, size FROM asset`
        assert.deepStrictEqual({ ...rows[0] }, { import_profile: IMPORT_PROFILE, stored: 1, size: "11" })
      })
    )
  )
})

describe("registration of content that lives elsewhere", () => {
  it.live("is found by its CID, with the sha256 in lower case", () =>
    withAssets(() =>
      Effect.gen(function* () {
        const given = { ...elsewhere, assetCid: RAW, assetSha256: RAW_SHA256.toUpperCase() }
        const asset = yield* (yield* Assets).registerElsewhere(given)
        assert.strictEqual(asset.assetSha256, RAW_SHA256)
        const found = yield* (yield* Registry).find(RAW)
        assert.deepStrictEqual({ ...Option.getOrThrow(found) }, { ...asset })
        assert.isTrue(Option.isNone(yield* (yield* Registry).find(DAG_PB)))
      })
    )
  )

  it.live("refuses another sha256 than the one inside a raw CID, and says which is right", () =>
    withAssets(() =>
      Effect.gen(function* () {
        const given = { ...elsewhere, assetCid: RAW, assetSha256: "0".repeat(64) }
        const error = yield* Effect.flip((yield* Assets).registerElsewhere(given))
        assert.instanceOf(error, InvalidFields)
        assert.strictEqual(error.problems[0].path, "/assetSha256")
        assert.include(error.message, RAW_SHA256)
      })
    )
  )

  it.live("names every broken rule at once", () =>
    withAssets(() =>
      Effect.gen(function* () {
        const given = { assetCid: "a", assetSha256: "0x12", encodingFormat: "jpeg", size: -1, accountId: undefined }
        const error = yield* Effect.flip((yield* Assets).registerElsewhere(given))
        assert.instanceOf(error, InvalidFields)
        const paths = error.problems.map(({ path }) => path)
        assert.sameMembers(paths, ["/assetCid", "/assetSha256", "/encodingFormat", "/size"])
      })
    )
  )

  it.live("refuses another sha256 for a CID that is registered, and changes nothing", () =>
    withAssets(() =>
      Effect.gen(function* () {
        const assets = yield* Assets
        const first = yield* assets.registerElsewhere({ ...elsewhere, assetCid: DAG_PB, assetSha256: "1".repeat(64) })
        const again = { ...elsewhere, assetCid: DAG_PB, assetSha256: "2".repeat(64), size: 5 }
        const error = yield* Effect.flip(assets.registerElsewhere(again))
        assert.instanceOf(error, RegistrationConflict)
        assert.strictEqual(error.registered, "1".repeat(64))
        assert.deepStrictEqual(yield* assets.list, [first])
      })
    )
  )

  it.live("is completed when the bytes come, and then stays so", () =>
    withAssets(() =>
      Effect.gen(function* () {
        const assets = yield* Assets
        const names = { ...elsewhere, assetCid: RAW, assetSha256: RAW_SHA256, size: 99 }
        yield* assets.registerElsewhere(names)
        const asset = yield* assets.register({ ...nameless, bytes: bytes("hello world") })
        assert.strictEqual(asset.size, 11)
        assert.deepStrictEqual(yield* assets.registerElsewhere(names), asset)
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`SELECT stored FROM asset`
        assert.deepStrictEqual({ ...rows[0] }, { stored: 1 })
      })
    )
  )

  it.live("tells that the store is unavailable when the database refuses", () =>
    withAssets(() =>
      Effect.gen(function* () {
        const assets = yield* Assets
        yield* (yield* SqlClient.SqlClient)`DROP TABLE asset`
        const error = yield* Effect.flip(assets.register({ ...nameless, bytes: bytes("hello world") }))
        assert.instanceOf(error, StorageUnavailable)
        assert.instanceOf(yield* Effect.flip((yield* Registry).find(RAW)), StorageUnavailable)
        assert.instanceOf(yield* Effect.flip(assets.list), StorageUnavailable)
      })
    )
  )
})
