/** The seed: made once, kept encrypted, never overwritten, brought back by its words. */
import { chmod, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HDNodeWallet, Mnemonic } from "ethers"
import { HdWallets } from "../../../packages/daemon/src/wallets/HdWallets.ts"
import { Seed, type SeedOptions } from "../../../packages/daemon/src/wallets/Seed.ts"
import { storeLayer, tempFolder } from "../store/TempStore.ts"

const JUNK = "test test test test test test test test test test test junk"
const OTHER = "legal winner thank year wave sausage worth useful legal winner thank yellow"

const at = (home: string, more: Partial<SeedOptions> = {}): SeedOptions => ({
  home,
  password: undefined,
  expectedId: undefined,
  ...more
})
const opened = (options: SeedOptions) => Effect.provide(Seed, Layer.fresh(Seed.layer(options)))
const restored = (options: SeedOptions, words: string) => Seed.restore(options, Redacted.make(words))
const wordsOf = (options: SeedOptions) =>
  opened(options).pipe(
    Effect.flatMap((seed) => seed.backup),
    Effect.map(Redacted.value)
  )
const fileNames = (home: string) => Effect.promise(async () => (await readdir(home)).sort())
const textOf = (path: string) => Effect.promise(() => readFile(path, "utf8"))

const inFolder = <A, E>(use: (home: string) => Effect.Effect<A, E, SecureRandomOf>) =>
  Effect.gen(function* () {
    return yield* use(join(yield* tempFolder, "home"))
  }).pipe(Effect.provide(NodeCrypto.layerSecureRandom), Effect.scoped)
type SecureRandomOf = Layer.Success<typeof NodeCrypto.layerSecureRandom>

describe("the seed of the wallets", () => {
  it.live("the first start makes 24 words, the next start has the same", () =>
    inFolder((home) =>
      Effect.gen(function* () {
        const first = yield* opened(at(home))
        const words = Redacted.value(yield* first.backup)
        assert.strictEqual(words.split(" ").length, 24)
        assert.match(first.id, /^[0-9a-f]{40}$/)
        const second = yield* opened(at(home, { expectedId: first.id }))
        assert.strictEqual(second.id, first.id)
        assert.deepStrictEqual(Redacted.value(second.bytes), Redacted.value(first.bytes))
        assert.strictEqual(Redacted.value(yield* second.backup), words)
      })
    )
  )

  it.live("two homes have different seeds", () =>
    inFolder((home) =>
      Effect.gen(function* () {
        assert.notStrictEqual(yield* wordsOf(at(join(home, "a"))), yield* wordsOf(at(join(home, "b"))))
      })
    )
  )

  it.live("the words open the same wallets in ethers", () =>
    inFolder((home) =>
      Effect.gen(function* () {
        const words = yield* wordsOf(at(home))
        const wallets = yield* Effect.provide(HdWallets, HdWallets.layer.pipe(Layer.provide(Seed.layer(at(home)))))
        for (const index of [0, 1, 7]) {
          const theirs = HDNodeWallet.fromPhrase(words, undefined, `m/44'/60'/0'/0/${index}`)
          assert.strictEqual(wallets.address(index), theirs.address)
        }
      })
    )
  )

  it.live("its files are for the owner only, do not hold the seed in the clear, and leave no draft behind", () =>
    inFolder((home) =>
      Effect.gen(function* () {
        const seed = yield* opened(at(home))
        assert.deepStrictEqual(yield* fileNames(home), ["seed.json", "seed.key"])
        const text = yield* textOf(join(home, "seed.json"))
        const words = Redacted.value(yield* seed.backup)
        assert.notInclude(text, words)
        assert.notInclude(text, Mnemonic.fromPhrase(words).entropy.slice(2))
        assert.notInclude(text, (yield* textOf(join(home, "seed.key"))).trim())
        for (const name of ["seed.json", "seed.key"]) {
          const file = join(home, name)
          assert.strictEqual((yield* Effect.promise(() => stat(file))).mode & 0o777, 0o600)
          yield* Effect.promise(() => chmod(file, 0o644))
        }
        yield* opened(at(home))
        for (const name of ["seed.json", "seed.key"]) {
          assert.strictEqual((yield* Effect.promise(() => stat(join(home, name)))).mode & 0o777, 0o600)
        }
      })
    )
  )

  it.live("a password opens it instead of a key file; another one or none does not", () =>
    inFolder((home) =>
      Effect.gen(function* () {
        const password = Redacted.make("correct horse")
        const words = yield* wordsOf(at(home, { password }))
        assert.deepStrictEqual(yield* fileNames(home), ["seed.json"])
        const { crypto } = JSON.parse(yield* textOf(join(home, "seed.json")))
        assert.strictEqual(crypto.kdfparams.n, 2 ** 17)
        assert.strictEqual(yield* wordsOf(at(home, { password })), words)
        const wrong = yield* Effect.flip(opened(at(home, { password: Redacted.make("wrong horse") })))
        assert.strictEqual(wrong._tag, "SeedLocked")
        assert.include(wrong.message, "does not open it")
        assert.notInclude(wrong.message, "horse")
        const none = yield* Effect.flip(opened(at(home)))
        assert.strictEqual(none._tag, "SeedLocked")
        assert.include(none.message, "none was given")
      })
    )
  )

  it.live("a missing or foreign key file is told apart, and nothing is made in its place", () =>
    inFolder((home) =>
      Effect.gen(function* () {
        yield* opened(at(home))
        const key = join(home, "seed.key")
        yield* Effect.promise(() => writeFile(key, "ab".repeat(32)))
        assert.include((yield* Effect.flip(opened(at(home)))).message, "belongs to another seed")
        yield* Effect.promise(() => rm(key))
        assert.include((yield* Effect.flip(opened(at(home)))).message, "missing")
        assert.deepStrictEqual(yield* fileNames(home), ["seed.json"])
      })
    )
  )

  it.live("a seed file that is no keystore is refused and kept", () =>
    inFolder((home) =>
      Effect.gen(function* () {
        yield* opened(at(home))
        yield* Effect.promise(() => writeFile(join(home, "seed.json"), "{}"))
        assert.strictEqual((yield* Effect.flip(opened(at(home))))._tag, "SeedUnusable")
        assert.strictEqual((yield* Effect.flip(restored(at(home), JUNK)))._tag, "SeedUnusable")
        assert.strictEqual(yield* textOf(join(home, "seed.json")), "{}")
      })
    )
  )

  it.live("a data store whose seed is gone or swapped stops the start instead of getting new wallets", () =>
    inFolder((home) =>
      Effect.gen(function* () {
        const expectedId = yield* restored(at(join(home, "a")), JUNK)
        const gone = yield* Effect.flip(opened(at(join(home, "b"), { expectedId })))
        assert.strictEqual(gone._tag, "SeedMismatch")
        assert.include(gone.message, "wallet restore")
        yield* restored(at(join(home, "c")), OTHER)
        const swapped = yield* Effect.flip(opened(at(join(home, "c"), { expectedId })))
        assert.strictEqual(swapped._tag, "SeedMismatch")
        const wrongWords = yield* Effect.flip(restored(at(join(home, "b"), { expectedId }), OTHER))
        assert.strictEqual(wrongWords._tag, "SeedMismatch")
        assert.strictEqual(yield* restored(at(join(home, "b"), { expectedId }), JUNK), expectedId)
      })
    )
  )
})

describe("the seed of a data store", () => {
  it.live("the store's first start notes its seed, and no later start accepts a new one", () =>
    inFolder((home) =>
      Effect.gen(function* () {
        const start = (folder: string) =>
          Effect.map(
            Effect.provide(Seed, Layer.fresh(Seed.layerOfStore({ home: folder, password: undefined }))),
            (seed) => seed.id
          )
        yield* Effect.gen(function* () {
          assert.isUndefined(yield* Seed.idOfStore)
          const id = yield* start(home)
          assert.strictEqual(yield* Seed.idOfStore, id)
          assert.strictEqual(yield* start(home), id)
          const error = yield* Effect.flip(start(join(home, "empty")))
          assert.strictEqual(error._tag, "SeedMismatch")
        }).pipe(Effect.provide(storeLayer(join(home, "treemark.db"))))
      })
    )
  )
})

describe("restoring the seed from its words", () => {
  it.live("brings back the published wallet, whatever the case and spacing of the words", () =>
    inFolder((home) =>
      Effect.gen(function* () {
        const id = yield* restored(at(home), `  ${JUNK.toUpperCase().replaceAll(" ", "\n ")} `)
        const wallets = yield* Effect.provide(HdWallets, HdWallets.layer.pipe(Layer.provide(Seed.layer(at(home)))))
        assert.strictEqual(wallets.address(0), "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
        assert.strictEqual((yield* opened(at(home))).id, id)
      })
    )
  )

  it.live("the same words again change nothing, other words are refused", () =>
    inFolder((home) =>
      Effect.gen(function* () {
        const id = yield* restored(at(home), JUNK)
        const before = yield* textOf(join(home, "seed.json"))
        assert.strictEqual(yield* restored(at(home), JUNK), id)
        const error = yield* Effect.flip(restored(at(home), OTHER))
        assert.strictEqual(error._tag, "SeedExists")
        assert.strictEqual(yield* textOf(join(home, "seed.json")), before)
        assert.strictEqual(yield* wordsOf(at(home)), JUNK)
      })
    )
  )

  it.live("says what is wrong with the words by position, repeats none, and writes nothing", () =>
    inFolder((home) =>
      Effect.gen(function* () {
        const cases = [
          ["", "number is 0"],
          [`${JUNK} test`, "number is 13"],
          [JUNK.replace("junk", "zzzz"), "word 12"],
          [JUNK.replace("junk", "test"), "checksum"]
        ] as const
        for (const [words, said] of cases) {
          const error = yield* Effect.flip(restored(at(home), words))
          assert.strictEqual(error._tag, "WordsInvalid")
          assert.include(error.message, said)
          assert.notInclude(error.message, "zzzz")
        }
        assert.strictEqual((yield* Effect.flip(Effect.tryPromise(() => stat(home))))._tag, "UnknownError")
      })
    )
  )
})
