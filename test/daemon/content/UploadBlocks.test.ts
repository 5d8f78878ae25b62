/** Blocks of uploads that break: they go, those that anything else needs stay, whatever uploads share and whenever the process ends. */
import { unlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { RAW_CODE } from "@treemark/core"
import { Deferred, Effect, Exit, Fiber, type Layer, Stream } from "effect"
import { Assets } from "../../../packages/daemon/src/content/Assets.ts"
import { cidOfBlock } from "../../../packages/daemon/src/content/BlockCid.ts"
import { BlockFolder } from "../../../packages/daemon/src/content/BlockFolder.ts"
import { usedOf } from "../../../packages/daemon/src/content/UsedBlocks.ts"
import { tempFolder } from "../store/TempStore.ts"
import { assetsLayer, blockFile, bytesOf, CHUNK, filesIn, keyStream, readStored } from "./ContentFixture.ts"

type Services = Layer.Success<ReturnType<typeof assetsLayer>>

const withHome = <A, E>(use: (home: string) => Effect.Effect<A, E>) => Effect.scoped(Effect.flatMap(tempFolder, use))

const within = <A, E>(home: string, use: Effect.Effect<A, E, Services>) => Effect.provide(use, assetsLayer(home))

const onHome = <A, E>(use: (folder: string) => Effect.Effect<A, E, Services>) =>
  withHome((home) => within(home, use(join(home, "blocks"))))

const register = <E>(bytes: Stream.Stream<Uint8Array, E>) =>
  Effect.flatMap(Assets, (assets) =>
    assets.register({ bytes, fileName: undefined, contentType: undefined, accountId: undefined })
  )

const chunk = (name: string) => bytesOf(keyStream(name, CHUNK))
const chunks = (...names: ReadonlyArray<string>) => Stream.mapEffect(Stream.fromIterable(names), chunk)
const broken = Stream.fail("the client left" as const)
const cidOf = (name: string) => Effect.map(chunk(name), (bytes) => cidOfBlock(RAW_CODE, bytes).toString())

/** An upload of these chunks that stands still then, until it is told how it ends. */
const standing = Effect.fnUntraced(function* (folder: string, ...names: ReadonlyArray<string>) {
  const ending = yield* Deferred.make<void, "the client left">()
  const rest = Stream.drain(Stream.fromEffect(Deferred.await(ending)))
  const uploading = yield* Effect.forkChild(register(Stream.concat(chunks(...names), rest)))
  const last = yield* cidOf(names.at(-1)!)
  yield* Effect.repeat(Effect.delay(filesIn(folder), "5 millis"), { until: (files) => files.includes(last) })
  return {
    finish: Effect.andThen(Deferred.succeed(ending, undefined), Fiber.join(uploading)),
    break: Effect.andThen(Deferred.fail(ending, "the client left"), Fiber.await(uploading)),
    interrupt: Fiber.interrupt(uploading)
  }
})

const assertWhole = (asset: { readonly assetCid: string }, ...names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* readStored(asset.assetCid), yield* bytesOf(chunks(...names)))
  })

describe("an upload that breaks", () => {
  it.live("leaves nothing, whether its client left, it was refused, or it was interrupted", () =>
    onHome((folder) =>
      Effect.gen(function* () {
        const ended = yield* Effect.exit(register(Stream.concat(chunks("a", "b", "c"), broken)))
        assert.isTrue(Exit.isFailure(ended))
        assert.deepStrictEqual(yield* filesIn(folder), [])
        yield* (yield* standing(folder, "a", "b")).interrupt
        assert.deepStrictEqual(yield* filesIn(folder), [])
      })
    )
  )

  it.live("leaves what was there before it, and nothing besides once it is registered after all", () =>
    onHome((folder) =>
      Effect.gen(function* () {
        const asset = yield* register(chunks("a", "b"))
        const before = yield* filesIn(folder)
        assert.strictEqual(before.length, 3)
        yield* Effect.exit(register(Stream.concat(chunks("b", "c", "a"), broken)))
        assert.sameMembers(yield* filesIn(folder), before)
        yield* assertWhole(asset, "a", "b")
        yield* register(chunks("b", "c"))
        assert.strictEqual((yield* filesIn(folder)).length, 5)
      })
    )
  )

  it.live("leaves the blocks that another upload uses at the same time, whichever of the two wrote them", () =>
    onHome((folder) =>
      Effect.gen(function* () {
        const writer = yield* standing(folder, "shared", "a")
        const reader = yield* standing(folder, "shared", "b")
        yield* writer.break
        yield* assertWhole(yield* reader.finish, "shared", "b")
        assert.notInclude(yield* filesIn(folder), yield* cidOf("a"))

        const second = yield* standing(folder, "both", "c")
        const third = yield* standing(folder, "both", "d")
        const asset = yield* second.finish
        yield* third.break
        yield* assertWhole(asset, "both", "c")
        assert.notInclude(yield* filesIn(folder), yield* cidOf("d"))
      })
    )
  )

  it.live("takes what it shares with another one that breaks later", () =>
    onHome((folder) =>
      Effect.gen(function* () {
        const first = yield* standing(folder, "shared", "a")
        const second = yield* standing(folder, "shared", "b")
        yield* first.break
        yield* second.break
        const left = yield* filesIn(folder)
        assert.isTrue(
          left.every((name) => name.endsWith(".upload")),
          `left: ${left}`
        )
      })
    )
  )

  it.live("never takes a block from one that begins while it ends", () =>
    onHome(() =>
      Effect.gen(function* () {
        for (let round = 0; round < 5; round++) {
          const names = [0, 1, 2, 3].map((n) => `round ${round} ${n}`)
          const [, asset] = yield* Effect.all(
            [
              Effect.exit(register(Stream.concat(chunks(...names), broken))),
              register(Stream.concat(chunks("own"), chunks(...names)))
            ],
            { concurrency: 2 }
          )
          yield* assertWhole(asset, "own", ...names)
        }
      })
    )
  )

  it.live("at its registration takes only its own blocks with it", () =>
    Effect.gen(function* () {
      const { assetCid } = yield* onHome(() => register(chunks("a", "c")))
      yield* onHome((folder) =>
        Effect.gen(function* () {
          const asset = yield* register(chunks("a", "b"))
          const before = yield* filesIn(folder)
          const names = { assetCid, assetSha256: "0".repeat(64), encodingFormat: "text/plain", size: null }
          yield* (yield* Assets).registerElsewhere({ ...names, accountId: undefined })
          const error = yield* Effect.flip(register(chunks("a", "c")))
          assert.strictEqual(error._tag, "RegistrationConflict")
          assert.sameMembers(yield* filesIn(folder), before)
          yield* assertWhole(asset, "a", "b")
        })
      )
    })
  )
})

/** What a kill leaves of an upload: its blocks, and the note that names them. */
const leave = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const batch = yield* (yield* BlockFolder).batch
  for (const name of names) yield* batch.add(RAW_CODE, yield* chunk(name))
})

describe("a process that was killed during uploads", () => {
  it.live("leaves blocks that the next one removes, except those that registered files use", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const folder = join(home, "blocks")
        const asset = yield* within(
          home,
          Effect.gen(function* () {
            yield* leave("a", "orphan")
            return yield* register(chunks("a", "b"))
          })
        )
        yield* Effect.promise(() => writeFile(join(folder, "tmp", "draft"), "half a block"))
        yield* within(
          home,
          Effect.gen(function* () {
            const files = yield* Effect.repeat(Effect.delay(filesIn(folder), "5 millis"), {
              until: (found) => found.length <= 3
            })
            assert.sameMembers(files, [asset.assetCid, yield* cidOf("a"), yield* cidOf("b")])
            yield* assertWhole(asset, "a", "b")
          })
        )
      })
    )
  )

  it.live("has nothing of it removed while a registered file cannot be read, since nobody knows what it uses", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const folder = join(home, "blocks")
        const asset = yield* within(
          home,
          Effect.gen(function* () {
            yield* leave("orphan")
            return yield* register(chunks("a", "b"))
          })
        )
        yield* Effect.promise(() => unlink(blockFile(folder, asset.assetCid)))
        const before = yield* filesIn(folder)
        yield* within(
          home,
          Effect.gen(function* () {
            const context = yield* Effect.context<Services>()
            const error = yield* Effect.flip(
              (yield* BlockFolder).collect((cids) => Effect.provideContext(usedOf(cids), context))
            )
            assert.strictEqual(error._tag, "StorageUnavailable")
            assert.sameMembers(yield* filesIn(folder), before)
          })
        )
      })
    )
  )
})
