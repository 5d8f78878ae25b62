/**
 * Web3 Secret Storage, version 3 (https://ethereum.org/developers/docs/data-structures-and-encoding/web3-secret-storage):
 * bytes of any length under a password. derived = KDF(password, salt); ciphertext = AES-128-CTR(derived[0..16], iv, payload);
 * mac = keccak256(derived[16..32] ‖ ciphertext). Byte fields are hex without `0x`. Members it does not know are left out.
 */
import { createCipheriv, createDecipheriv, pbkdf2, scrypt, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"
import { scryptAsync } from "@noble/hashes/scrypt.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { concatBytes } from "@noble/hashes/utils.js"
import { Effect, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"

const Bytes = Schema.Uint8ArrayFromHex
const Bytes16 = Bytes.check(Schema.makeFilter((bytes: Uint8Array) => bytes.length === 16 || "must be 16 bytes"))
const Count = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

/** No file makes a start-up take more memory than this; go-ethereum's standard (n = 2^18, r = 8) fits. */
const MAX_SCRYPT_BYTES = 256 * 1024 * 1024

const ScryptParams = Schema.Struct({
  dklen: Count(1024).check(Schema.isGreaterThanOrEqualTo(32)),
  n: Count(2 ** 24),
  r: Count(1024),
  p: Count(64),
  salt: Bytes
}).check(
  Schema.makeFilter(({ n, r }: { readonly n: number; readonly r: number }) => {
    if (n < 2 || (n & (n - 1)) !== 0) return "n must be a power of 2, at least 2"
    return 128 * n * r <= MAX_SCRYPT_BYTES || "n and r ask for more than 256 MiB of memory"
  })
)

const Pbkdf2Params = Schema.Struct({
  dklen: Count(1024).check(Schema.isGreaterThanOrEqualTo(32)),
  c: Count(10_000_000),
  prf: Schema.Literal("hmac-sha256"),
  salt: Bytes
})

const sealed = {
  cipher: Schema.Literal("aes-128-ctr"),
  cipherparams: Schema.Struct({ iv: Bytes16 }),
  ciphertext: Bytes,
  mac: Bytes
}

/** The JSON document; decoded, its byte fields are `Uint8Array`s. */
export const Keystore = Schema.Struct({
  version: Schema.Literal(3),
  id: Schema.String,
  crypto: Schema.Union([
    Schema.Struct({ ...sealed, kdf: Schema.Literal("scrypt"), kdfparams: ScryptParams }),
    Schema.Struct({ ...sealed, kdf: Schema.Literal("pbkdf2"), kdfparams: Pbkdf2Params })
  ])
})
export type Keystore = typeof Keystore.Type

/** The mac does not fit: another password, or a damaged file; the two cannot be told apart. */
export class WrongPassword extends Schema.TaggedError<WrongPassword>()("WrongPassword", {}) {
  override get message() {
    return "The password does not open this key file, or the file is damaged. Give the password it was made with, or restore the file from a backup."
  }
}

/**
 * scrypt's n, always with r = 8 and p = 1. A person's password gets 2^17 (128 MiB, about 0.35 s, once per start), the OWASP
 * minimum. A random 256-bit key cannot be guessed at any speed, so stretching it only delays the start: 2^12 (4 MiB, 10 ms).
 */
export const SCRYPT_COST = { password: 2 ** 17, randomKey: 2 ** 12 } as const

/** Encrypts `payload`; salt, iv and id are random. `cost` is scrypt's n, one of {@link SCRYPT_COST}. */
export const encryptKeystore = Effect.fn("Keystore.encrypt")(function* (
  payload: Redacted.Redacted<Uint8Array>,
  password: Redacted.Redacted<string>,
  cost: number
) {
  const random = yield* SecureRandom.SecureRandom
  const salt = yield* random.randomBytes(32)
  const iv = yield* random.randomBytes(16)
  const kdfparams = { dklen: 32, n: cost, r: 8, p: 1, salt }
  const derived = yield* deriveKey({ kdf: "scrypt", kdfparams }, password)
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv)
  const ciphertext = concatBytes(cipher.update(Redacted.value(payload)), cipher.final())
  const keystore: Keystore = {
    version: 3,
    id: yield* random.uuidV4(),
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv },
      ciphertext,
      kdf: "scrypt",
      kdfparams,
      mac: macOf(derived, ciphertext)
    }
  }
  return keystore
})

/** The payload of `keystore`, or `WrongPassword`. Checks the mac before it decrypts. */
export const decryptKeystore = Effect.fn("Keystore.decrypt")(function* (
  keystore: Keystore,
  password: Redacted.Redacted<string>
) {
  const { crypto } = keystore
  const derived = yield* deriveKey(crypto, password)
  const mac = macOf(derived, crypto.ciphertext)
  if (mac.length !== crypto.mac.length || !timingSafeEqual(mac, crypto.mac)) return yield* new WrongPassword()
  const decipher = createDecipheriv("aes-128-ctr", derived.subarray(0, 16), crypto.cipherparams.iv)
  const payload = concatBytes(decipher.update(crypto.ciphertext), decipher.final())
  return Redacted.make(payload, { label: "keystore payload" })
})

const macOf = (derived: Uint8Array, ciphertext: Uint8Array): Uint8Array =>
  keccak_256(concatBytes(derived.subarray(16, 32), ciphertext))

const runPbkdf2 = promisify(pbkdf2)
const runScrypt = promisify<
  string,
  Uint8Array,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Uint8Array
>(scrypt)

type Kdf =
  | { readonly kdf: "scrypt"; readonly kdfparams: typeof ScryptParams.Type }
  | { readonly kdf: "pbkdf2"; readonly kdfparams: typeof Pbkdf2Params.Type }

/** Off the main thread, but for parameters outside RFC 7914 (n at least 2^16r), which OpenSSL refuses and old wallets wrote. */
const deriveKey = ({ kdf, kdfparams }: Kdf, password: Redacted.Redacted<string>): Effect.Effect<Uint8Array> =>
  Effect.promise(() => {
    // As ethers does: the same password typed on another keyboard may come in another Unicode form.
    const text = Redacted.value(password).normalize("NFKC")
    const { dklen, salt } = kdfparams
    if (kdf === "pbkdf2") return runPbkdf2(text, salt, kdfparams.c, dklen, "sha256")
    const { n: N, r, p } = kdfparams
    if (N >= 2 ** (16 * r)) return scryptAsync(text, salt, { N, r, p, dkLen: dklen, maxmem: 2 * MAX_SCRYPT_BYTES })
    return runScrypt(text, salt, dklen, { N, r, p, maxmem: 2 * MAX_SCRYPT_BYTES })
  })
