/** The folder of blocks: what is stored under which name, that it is checked, and what happens when the disk is not as it should be. */
import { existsSync } from "node:fs"
import { type FileHandle, mkdir, open, rm, stat, unlink, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ContentStore, cidOf, DAG_JSON_CODE, RAW_CODE, StorageUnavailable } from "@treemark/core"
import { Cause, Effect, Exit, Option } from "effect"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { readCid } from "../../../packages/daemon/src/content/BlockCid.ts"
import { BlockDamaged } from "../../../packages/daemon/src/content/BlockErrors.ts"
import * as BlockFolder from "../../../packages/daemon/src/content/BlockFolder.ts"
import { tempFolder } from "../store/TempStore.ts"
import { blockFile, filesIn, withBlocks } from "./ContentFixture.ts"

const text = (words: string) => new TextEncoder().encode(words)
const TREE = text('{"assetCid":"a"}')

const identity = (length: number) => CID.createV1(RAW_CODE, Digest.create(0, new Uint8Array(length).fill(7))).toString()

/** What all open files have in common. */
const fileHandles = Effect.promise(async (): Promise<FileHandle> => {
  const file = await open(import.meta.filename)
  await file.close()
  return Object.getPrototypeOf(file)
})

describe("the folder of blocks", () => {
  it.live("gives a block back under the CID it was stored under, in any text form of that CID", () =>
    withBlocks(() =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const cid = cidOf(0x70, TREE)
        yield* contents.put(cid, TREE)
        const forms = [cid, CID.parse(cid).toV0().toString()]
        for (const form of forms)
          assert.deepStrictEqual(new Uint8Array(Option.getOrThrow(yield* contents.get(form))), TREE)
      })
    )
  )

  it.live("keeps the same content under a raw and a dag-json CID apart, each found under its own", () =>
    withBlocks((folder) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const [raw, dagJson] = [cidOf(RAW_CODE, TREE), cidOf(DAG_JSON_CODE, TREE)]
        yield* contents.put(dagJson, TREE)
        assert.deepStrictEqual(yield* contents.get(raw), Option.none())
        yield* contents.put(raw, TREE)
        assert.isTrue(Option.isSome(yield* contents.get(raw)))
        assert.isTrue(Option.isSome(yield* contents.get(dagJson)))
        assert.sameMembers([...(yield* filesIn(folder))], [raw, dagJson])
      })
    )
  )

  it.live(
    "stores a block as a file named by its CID, in a shard named by the end of the multihash, for its owner alone",
    () =>
      withBlocks((folder) =>
        Effect.gen(function* () {
          const cid = cidOf(RAW_CODE, TREE)
          yield* (yield* ContentStore).put(cid, TREE)
          const file = yield* Effect.promise(() => stat(blockFile(folder, cid)))
          assert.strictEqual(file.size, TREE.length)
          assert.strictEqual(file.mode & 0o777, 0o600)
          assert.strictEqual((yield* Effect.promise(() => stat(folder))).mode & 0o777, 0o700)
        })
      )
  )

  it.live("has a block on the disk before it has its name, so that no crash leaves a part of one under it", () =>
    withBlocks((folder) =>
      Effect.gen(function* () {
        const cid = cidOf(RAW_CODE, TREE)
        const synced: Array<string> = []
        const handles = yield* fileHandles
        const datasync = handles.datasync
        handles.datasync = async function () {
          const { size } = await this.stat()
          synced.push(`${size} bytes, ${existsSync(blockFile(folder, cid)) ? "named" : "not named yet"}`)
          return datasync.call(this)
        }
        yield* (yield* ContentStore)
          .put(cid, TREE)
          .pipe(Effect.ensuring(Effect.sync(() => Object.assign(handles, { datasync }))))
        assert.deepStrictEqual(synced, [`${TREE.length} bytes, not named yet`])
      })
    )
  )

  it.live("dies of a put whose bytes are not the content of the CID, and stores nothing", () =>
    withBlocks((folder) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const wrong = [cidOf(RAW_CODE, text("another")), identity(3), "not a CID"]
        for (const cid of wrong) {
          const exit = yield* Effect.exit(contents.put(cid, TREE))
          assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause), cid)
        }
        assert.deepStrictEqual(yield* filesIn(folder), [])
      })
    )
  )

  it.live("refuses a block that was changed on the disk, and says which file", () =>
    withBlocks((folder) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const cid = cidOf(RAW_CODE, TREE)
        yield* contents.put(cid, TREE)
        yield* Effect.promise(() => writeFile(blockFile(folder, cid), text('{"assetCid":"b"}')))
        const error = yield* Effect.flip(contents.get(cid))
        assert.instanceOf(error, StorageUnavailable)
        assert.instanceOf(error.cause, BlockDamaged)
        assert.include(error.cause.message, blockFile(folder, cid))
      })
    )
  )

  it.live("mends a damaged block when its content is stored again", () =>
    withBlocks((folder) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const cid = cidOf(RAW_CODE, TREE)
        yield* contents.put(cid, TREE)
        yield* Effect.promise(() => writeFile(blockFile(folder, cid), ""))
        yield* contents.put(cid, TREE)
        assert.isTrue(Option.isSome(yield* contents.get(cid)))
      })
    )
  )

  it.live("answers an identity CID of up to 128 bytes from the CID itself, and keeps no file for it", () =>
    withBlocks((folder) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        yield* contents.put(identity(128), new Uint8Array(128).fill(7))
        assert.strictEqual(Option.getOrThrow(yield* contents.get(identity(128))).length, 128)
        assert.isTrue(Option.isNone(yield* contents.get(identity(129))))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(contents.put(identity(129), new Uint8Array(129).fill(7)))))
        assert.deepStrictEqual(yield* filesIn(folder), [])
      })
    )
  )

  it.live("holds nothing under a CID of another hash, or of a sha256 cut short", () =>
    withBlocks(() =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const others = [
          "bafkrgqbqt3gerhas23vuzrapkdeqf4vu2dwxp3srdj6hvg6nhsug2tgyn6mj3u23yx7utftq3i2ckw2fwdh5qmhid5qf3t35yvkc5e5ottlw6",
          CID.createV1(RAW_CODE, Digest.create(0x12, new Uint8Array(20))).toString()
        ]
        for (const cid of others) {
          assert.isDefined(readCid(cid))
          assert.isTrue(Option.isNone(yield* contents.get(cid)))
          assert.isTrue(Exit.isFailure(yield* Effect.exit(contents.put(cid, TREE))))
        }
      })
    )
  )

  it.live("names the place of a block under the public address", () =>
    withBlocks(() =>
      Effect.gen(function* () {
        assert.strictEqual((yield* ContentStore).locationOf("bafk"), "http://127.0.0.1:7053/ipfs/bafk")
      })
    )
  )

  it.live("removes a draft that a crash left behind, and leaves one that is being written alone", () =>
    Effect.gen(function* () {
      const folder = join(yield* tempFolder, "blocks")
      const drafts = join(folder, "tmp")
      yield* Effect.promise(async () => {
        await mkdir(drafts, { recursive: true })
        await writeFile(join(drafts, "old"), "x")
        await utimes(join(drafts, "old"), 1, 1)
        await writeFile(join(drafts, "new"), "x")
      })
      const opened = ContentStore.pipe(Effect.provide(BlockFolder.layer({ folder, publicUrl: "http://x" })))
      yield* opened
      assert.deepStrictEqual(yield* filesIn(folder), ["new"])
    }).pipe(Effect.scoped)
  )

  it.live("writes blocks again after their shard's folder was removed", () =>
    withBlocks((folder) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const cid = cidOf(RAW_CODE, TREE)
        yield* contents.put(cid, TREE)
        yield* Effect.promise(() => rm(join(blockFile(folder, cid), ".."), { recursive: true }))
        yield* contents.put(cid, TREE)
        assert.isTrue(Option.isSome(yield* contents.get(cid)))
      })
    )
  )

  it.live(
    "tells that the store is unavailable, with the system's reason, when a block cannot be written, and leaves no draft",
    () =>
      withBlocks((folder) =>
        Effect.gen(function* () {
          const contents = yield* ContentStore
          const cid = cidOf(RAW_CODE, TREE)
          // A file where the shard's folder should be.
          const shard = join(blockFile(folder, cid), "..")
          yield* Effect.promise(() => writeFile(shard, ""))
          const error = yield* Effect.flip(contents.put(cid, TREE))
          assert.instanceOf(error, StorageUnavailable)
          assert.match(String(error.cause), /ENOTDIR/)
          yield* Effect.promise(() => unlink(shard))
          assert.deepStrictEqual(yield* filesIn(folder), [])
        })
      )
  )
})
