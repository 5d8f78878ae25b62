/**
 * The files of the seed in the data folder. `seed.json` is a version 3 keystore whose payload is BIP-39 entropy, with one member
 * more that says so; `seed.key` holds 32 random bytes in hex and opens it, unless a password is given. Both have mode 0600,
 * are written whole or not at all, and are never overwritten. Kept apart, neither is worth anything without the other.
 */
import { chmod, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { writeOnce } from "../store/PrivateFile.ts"
import { decryptKeystore, encryptKeystore, Keystore, SCRYPT_COST } from "./Keystore.ts"
import { SeedExists, SeedLocked, SeedUnusable } from "./SeedErrors.ts"

/** Where the seed is and what opens it: `password`, or the key file when there is none. */
export interface SeedPlace {
  readonly home: string
  readonly password: Redacted.Redacted<string> | undefined
}

const SeedDocument = Schema.Struct({
  ...Keystore.fields,
  "x-treemark": Schema.Struct({
    payload: Schema.Literal("bip39-entropy"),
    wordlist: Schema.Literal("english"),
    unlock: Schema.Literals(["password", "key-file"])
  })
})
const SeedText = Schema.fromJsonString(SeedDocument)
const KeyText = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}\s*$/u, { message: "must be 64 hexadecimal digits" })
)

export const seedFile = (home: string): string => join(home, "seed.json")
const keyFile = (home: string): string => join(home, "seed.key")

/** The entropy in `seed.json`, or undefined when there is no such file. */
export const readSeed = Effect.fn("SeedFile.read")(function* ({ home, password }: SeedPlace) {
  const file = seedFile(home)
  const text = yield* readPrivate(file)
  if (text === undefined) return undefined
  const document = yield* Schema.decodeEffect(SeedText)(text).pipe(
    Effect.mapError((cause) => new SeedUnusable({ file, cause }))
  )
  const byKeyFile = document["x-treemark"].unlock === "key-file"
  const secret = byKeyFile ? yield* readKey(home) : password
  if (secret === undefined) {
    return yield* new SeedLocked({ file, reason: byKeyFile ? "key file missing" : "password needed" })
  }
  const reason = byKeyFile ? "wrong key file" : "wrong password"
  return yield* decryptKeystore(document, secret).pipe(Effect.mapError(() => new SeedLocked({ file, reason })))
})

/** Writes `entropy` to a new `seed.json`; the key file is written first when it is what opens it. */
export const writeSeed = Effect.fn("SeedFile.write")(function* (
  { home, password }: SeedPlace,
  entropy: Redacted.Redacted<Uint8Array>
) {
  const file = seedFile(home)
  const secret = password ?? (yield* readKey(home)) ?? (yield* makeKey(home))
  const cost = password === undefined ? SCRYPT_COST.randomKey : SCRYPT_COST.password
  const keystore = yield* encryptKeystore(entropy, secret, cost)
  const text = yield* Schema.encodeEffect(SeedText)({
    ...keystore,
    "x-treemark": {
      payload: "bip39-entropy",
      wordlist: "english",
      unlock: password === undefined ? "key-file" : "password"
    }
  }).pipe(Effect.orDie)
  yield* Effect.tryPromise({
    try: () => writeOnce(file, `${text}\n`),
    catch: (cause) => (codeOf(cause) === "EEXIST" ? new SeedExists({ file }) : new SeedUnusable({ file, cause }))
  })
})

const readKey = Effect.fnUntraced(function* (home: string) {
  const file = keyFile(home)
  const text = yield* readPrivate(file)
  if (text === undefined) return undefined
  const key = yield* Schema.decodeEffect(KeyText)(text).pipe(
    Effect.mapError((cause) => new SeedUnusable({ file, cause }))
  )
  return Redacted.make(key.trim(), { label: "seed.key" })
})

const makeKey = Effect.fnUntraced(function* (home: string) {
  const random = yield* SecureRandom.SecureRandom
  const key = Buffer.from(yield* random.randomBytes(32)).toString("hex")
  const file = keyFile(home)
  yield* Effect.tryPromise({
    try: () => writeOnce(file, `${key}\n`),
    catch: (cause) => new SeedUnusable({ file, cause })
  })
  return Redacted.make(key, { label: "seed.key" })
})

/** The text of a secret file, undefined when it is not there. A mode that lets others read it is set back to 0600. */
const readPrivate = (file: string): Effect.Effect<string | undefined, SeedUnusable> =>
  Effect.tryPromise({
    try: async () => {
      try {
        if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600)
        return await readFile(file, "utf8")
      } catch (error) {
        if (codeOf(error) === "ENOENT") return undefined
        throw error
      }
    },
    catch: (cause) => new SeedUnusable({ file, cause })
  })

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code
