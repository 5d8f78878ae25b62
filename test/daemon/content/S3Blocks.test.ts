/** One suite for both content stores, a folder and S3-compatible storage: what is stored under which name, checked on every read. */
import { readdir, writeFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import { ContentStore, cidOf, DAG_JSON_CODE, RAW_CODE, StorageUnavailable } from "@treemark/core"
import { Cause, Effect, Exit, Option, Stream } from "effect"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { BlockFolder } from "../../../packages/daemon/src/content/BlockFolder.ts"
import { importFile } from "../../../packages/daemon/src/content/UnixfsImport.ts"
import { S3_BUCKET } from "../../layers/S3Server.ts"
import { blockFile, bytesOf, CHUNK, filesIn, keyStream, PUBLIC_URL, readStored, withBlocks } from "./ContentFixture.ts"
import { PREFIX, s3Key, withS3 } from "./S3Fixture.ts"

const text = (words: string) => new TextEncoder().encode(words)
const TREE = text('{"assetCid":"a"}')
const CID_OF_TREE = cidOf(RAW_CODE, TREE)
const identity = (length: number) => CID.createV1(RAW_CODE, Digest.create(0, new Uint8Array(length).fill(7))).toString()

/** Where a store keeps its blocks, so that a test can look and tamper. */
interface Place {
  readonly fileOf: (cid: string) => string
  /** The CIDs of what is stored. */
  readonly stored: Effect.Effect<ReadonlyArray<string>>
}

type Use = <A, E>(use: (place: Place) => Effect.Effect<A, E, ContentStore | BlockFolder>) => Effect.Effect<A, unknown>

const inFolder: Use = (use) =>
  withBlocks((folder) => use({ fileOf: (cid) => blockFile(folder, cid), stored: filesIn(folder) }))

const onS3: Use = (use) =>
  withS3((server) =>
    use({
      fileOf: (cid) => server.objectFile(s3Key(cid)),
      stored: Effect.promise(async () => {
        const bucket = server.objectFile("x").replace(/[^/]+$/, "")
        const names = await readdir(bucket, { recursive: true })
        return names.flatMap((name) => /(b[a-z2-7]{50,})\._S3rver_object$/.exec(name)?.[1] ?? [])
      })
    })
  )

describe.each([
  ["in a folder", inFolder],
  ["on S3-compatible storage", onS3]
])("a store of blocks %s", (_, withStore) => {
  it.live("gives a block back under any text form of the CID it was stored under", () =>
    withStore(() =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const cid = cidOf(0x70, TREE)
        yield* contents.put(cid, TREE)
        for (const form of [cid, CID.parse(cid).toV0().toString()]) {
          assert.deepStrictEqual(new Uint8Array(Option.getOrThrow(yield* contents.get(form))), TREE)
        }
        assert.strictEqual(contents.locationOf(cid), `${PUBLIC_URL}/ipfs/${cid}`)
      })
    )
  )

  it.live("keeps the same content under a raw and a dag-json CID apart, each once however often it is stored", () =>
    withStore(({ stored }) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const dagJson = cidOf(DAG_JSON_CODE, TREE)
        yield* contents.put(dagJson, TREE)
        assert.isTrue(Option.isNone(yield* contents.get(CID_OF_TREE)))
        yield* contents.put(CID_OF_TREE, TREE)
        yield* contents.put(CID_OF_TREE, TREE)
        assert.sameMembers([...(yield* stored)], [CID_OF_TREE, dagJson])
      })
    )
  )

  it.live("dies of a put whose bytes are not the content of the CID, and stores nothing", () =>
    withStore(({ stored }) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        for (const cid of [cidOf(RAW_CODE, text("another")), identity(3), "not a CID"]) {
          const exit = yield* Effect.exit(contents.put(cid, TREE))
          assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause), cid)
        }
        assert.deepStrictEqual(yield* stored, [])
      })
    )
  )

  it.live(
    "refuses a block that was changed, saying where it is kept, and mends it when its content is stored again",
    () =>
      withStore(({ fileOf }) =>
        Effect.gen(function* () {
          const contents = yield* ContentStore
          yield* contents.put(CID_OF_TREE, TREE)
          for (const content of [text('{"assetCid":"b"}'), TREE.subarray(0, 5), text("")]) {
            yield* Effect.promise(() => writeFile(fileOf(CID_OF_TREE), content))
            const error = yield* Effect.flip(contents.get(CID_OF_TREE))
            assert.instanceOf(error, StorageUnavailable)
            assert.match(String(error.cause), /(Block|Object)Damaged/)
            assert.include(String(error.cause), `${CID_OF_TREE.slice(-3, -1)}/${CID_OF_TREE}`)
            yield* contents.put(CID_OF_TREE, TREE)
            assert.isTrue(Option.isSome(yield* contents.get(CID_OF_TREE)))
          }
        })
      )
  )

  it.live("answers an identity CID of up to 128 bytes from the CID itself, and keeps nothing for it", () =>
    withStore(({ stored }) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        yield* contents.put(identity(128), new Uint8Array(128).fill(7))
        assert.strictEqual(Option.getOrThrow(yield* contents.get(identity(128))).length, 128)
        assert.isTrue(Option.isNone(yield* contents.get(identity(129))))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(contents.put(identity(129), new Uint8Array(129).fill(7)))))
        assert.deepStrictEqual(yield* stored, [])
      })
    )
  )

  it.live("holds nothing under a CID whose hash it cannot check", () =>
    withStore(() =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const cut = CID.createV1(RAW_CODE, Digest.create(0x12, new Uint8Array(20))).toString()
        assert.isTrue(Option.isNone(yield* contents.get(cut)))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(contents.put(cut, TREE))))
      })
    )
  )

  it.live("holds every block of an imported file once its batch is flushed, and the same file again adds none", () =>
    withStore(({ stored }) =>
      Effect.gen(function* () {
        const file = yield* bytesOf(keyStream("batch", 5 * CHUNK + 7))
        const batch = yield* (yield* BlockFolder).batch
        const { cid } = yield* importFile(Stream.succeed(file), batch)
        yield* batch.flush
        const first = yield* stored
        assert.strictEqual(first.length, 7)
        assert.deepStrictEqual(yield* readStored(cid), file)
        yield* importFile(Stream.succeed(file), batch)
        assert.sameMembers([...(yield* stored)], [...first])
      })
    )
  )
})

describe("a block folder and a bucket", () => {
  it.live("name a block alike, so that either can be copied into the other", () =>
    withBlocks((folder) =>
      Effect.gen(function* () {
        yield* (yield* ContentStore).put(CID_OF_TREE, TREE)
        const files = yield* Effect.promise(() => readdir(folder, { recursive: true }))
        const key = yield* withS3(({ seen }) =>
          Effect.gen(function* () {
            yield* (yield* ContentStore).put(CID_OF_TREE, TREE)
            return seen.find(({ method }) => method === "PUT")?.target.replace(`/${S3_BUCKET}/${PREFIX}/`, "")
          })
        )
        assert.isDefined(key)
        assert.include(files, key)
      })
    )
  )
})
