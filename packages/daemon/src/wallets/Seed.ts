/**
 * The one seed behind every wallet of this daemon: created on the first start (24 BIP-39 words), decrypted once at start, held in
 * memory since. Losing it loses the wallets; `backup` answers the words that bring them back.
 */
import { bytesToHex } from "@noble/hashes/utils.js"
import { HDKey } from "@scure/bip32"
import { mnemonicToSeed } from "@scure/bip39"
import { Context, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { entropyOf, wordsOf } from "./Mnemonic.ts"
import { type SeedError, SeedExists, SeedMismatch } from "./SeedErrors.ts"
import { readSeed, type SeedPlace, seedFile, writeSeed } from "./SeedFile.ts"

const STORE_KEY = "seed_id"

export interface SeedOptions extends SeedPlace {
  /** The {@link Seed.id} the data store belongs to; undefined for a new store, and only then is a seed created. */
  readonly expectedId: string | undefined
}

export class Seed extends Context.Service<
  Seed,
  {
    /** Names the seed without telling it: 40 hex digits, the BIP-32 key identifier of the master key. */
    readonly id: string
    /** The 64-byte BIP-39 seed, without a passphrase. */
    readonly bytes: Redacted.Redacted<Uint8Array>
    /** The words, single spaces between them. */
    readonly backup: Effect.Effect<Redacted.Redacted<string>>
  }
>()("@treemark/daemon/wallets/Seed") {
  /** Opens the seed of the place, or creates one for a new data store. */
  static readonly layer = (options: SeedOptions): Layer.Layer<Seed, SeedError, SecureRandom.SecureRandom> =>
    Layer.effect(Seed, open(options))

  /** As `layer`, bound to the connected data store: its first start notes the seed's id, later ones accept no other seed. */
  static readonly layerOfStore = (
    place: SeedPlace
  ): Layer.Layer<Seed, SeedError | SqlError.SqlError, SecureRandom.SecureRandom | SqlClient.SqlClient> =>
    Layer.effect(
      Seed,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const expectedId = yield* Seed.idOfStore
        const seed = yield* open({ ...place, expectedId })
        if (expectedId === undefined) {
          yield* sql`INSERT INTO settings ${sql.insert({ key: STORE_KEY, value: seed.id })} ON CONFLICT (key) DO NOTHING`
          const noted = yield* Seed.idOfStore
          if (noted !== undefined && noted !== seed.id) {
            return yield* new SeedMismatch({ file: seedFile(place.home), expected: noted, found: seed.id })
          }
        }
        return seed
      })
    )

  /** The id of the seed that the connected data store belongs to; undefined before its first start. */
  static readonly idOfStore = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly value: string }>`SELECT value FROM settings WHERE key = ${STORE_KEY}`
    return rows[0]?.value
  })

  /**
   * Writes the seed of `words` to a place that has none. The same seed there is left as it is, another one is never replaced
   * (`SeedExists`), and words of another seed than the data store's are refused (`SeedMismatch`). Answers the seed's id.
   */
  static readonly restore = Effect.fn("Seed.restore")(function* (
    { expectedId, ...place }: SeedOptions,
    words: Redacted.Redacted<string>
  ) {
    const file = seedFile(place.home)
    const { entropy, seed } = yield* Effect.fromResult(entropyOf(words)).pipe(Effect.flatMap(derive))
    if (expectedId !== undefined && seed.id !== expectedId) {
      return yield* new SeedMismatch({ file, expected: expectedId, found: seed.id })
    }
    const present = yield* readSeed(place)
    if (present === undefined) yield* writeSeed(place, entropy)
    else if ((yield* derive(present)).seed.id !== seed.id) return yield* new SeedExists({ file })
    return seed.id
  })
}

const open = Effect.fnUntraced(function* ({ expectedId, ...place }: SeedOptions) {
  const file = seedFile(place.home)
  const present = yield* readSeed(place)
  if (present === undefined && expectedId !== undefined) {
    return yield* new SeedMismatch({ file, expected: expectedId, found: null })
  }
  const { seed } = yield* derive(present ?? (yield* create(place)))
  if (expectedId !== undefined && seed.id !== expectedId) {
    return yield* new SeedMismatch({ file, expected: expectedId, found: seed.id })
  }
  return seed
})

const create = Effect.fnUntraced(function* (place: SeedPlace) {
  const random = yield* SecureRandom.SecureRandom
  const entropy = Redacted.make(yield* random.randomBytes(32), { label: "seed entropy" })
  yield* writeSeed(place, entropy)
  return entropy
})

const derive = Effect.fnUntraced(function* (entropy: Redacted.Redacted<Uint8Array>) {
  const words = wordsOf(entropy)
  const bytes = yield* Effect.promise(() => mnemonicToSeed(Redacted.value(words)))
  const identifier = HDKey.fromMasterSeed(bytes).identifier ?? new Uint8Array()
  const seed = Seed.of({
    id: bytesToHex(identifier),
    bytes: Redacted.make(bytes, { label: "seed" }),
    backup: Effect.succeed(words)
  })
  return { entropy, seed }
})
