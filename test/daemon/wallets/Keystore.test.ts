/** Web3 Secret Storage v3: published vectors, round trips, wrong passwords, refused parameters. */

import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { decryptKeystoreJson } from "ethers"
import {
  decryptKeystore,
  encryptKeystore,
  Keystore,
  SCRYPT_COST,
  WrongPassword
} from "../../../packages/daemon/src/wallets/Keystore.ts"
import vectors from "../../vectors/keystore-v3.json" with { type: "json" }

const decode = Schema.decodeUnknownEffect(Keystore)
const encode = Schema.encodeEffect(Keystore)
const hex = (bytes: Redacted.Redacted<Uint8Array>) => Buffer.from(Redacted.value(bytes)).toString("hex")
const encrypt = (payload: Uint8Array, password: string, cost: number = SCRYPT_COST.randomKey) =>
  encryptKeystore(Redacted.make(payload), Redacted.make(password), cost).pipe(
    Effect.provide(NodeCrypto.layerSecureRandom)
  )

/** The first vector with some of its scrypt parameters replaced. */
const withScrypt = (change: Record<string, unknown>) => {
  const [{ input }] = vectors as unknown as [{ readonly input: { readonly keystore: typeof Keystore.Encoded } }]
  const { crypto } = input.keystore
  return { ...input.keystore, crypto: { ...crypto, kdfparams: { ...crypto.kdfparams, ...change } } }
}

describe("Web3 Secret Storage v3", () => {
  for (const { id, input, expected, source } of vectors) {
    it.live(`opens the published key file ${id} (${source})`, () =>
      Effect.gen(function* () {
        const keystore = yield* decode(input.keystore)
        assert.strictEqual(hex(yield* decryptKeystore(keystore, Redacted.make(input.password))), expected.privateKey)
        const error = yield* Effect.flip(decryptKeystore(keystore, Redacted.make(`${input.password} `)))
        assert.instanceOf(error, WrongPassword)
      })
    )
  }

  it.live("a changed ciphertext or mac is refused before anything is decrypted", () =>
    Effect.gen(function* () {
      const keystore = yield* encrypt(new Uint8Array(32), "secret")
      for (const member of ["ciphertext", "mac"] as const) {
        const changed = Uint8Array.from(keystore.crypto[member], (byte, at) => (at === 0 ? byte ^ 1 : byte))
        const forged = { ...keystore, crypto: { ...keystore.crypto, [member]: changed } }
        assert.instanceOf(yield* Effect.flip(decryptKeystore(forged, Redacted.make("secret"))), WrongPassword)
      }
      const short = { ...keystore, crypto: { ...keystore.crypto, mac: keystore.crypto.mac.slice(0, 31) } }
      assert.instanceOf(yield* Effect.flip(decryptKeystore(short, Redacted.make("secret"))), WrongPassword)
    })
  )

  it.live("what it writes at the cost for a person's password, ethers opens", () =>
    Effect.gen(function* () {
      const key = Uint8Array.from({ length: 32 }, (_, at) => at + 1)
      const json = JSON.stringify(yield* encode(yield* encrypt(key, "naïve pässword 🔑", SCRYPT_COST.password)))
      const opened = yield* Effect.promise(() => decryptKeystoreJson(json, "naïve pässword 🔑"))
      assert.strictEqual(opened.privateKey, `0x${Buffer.from(key).toString("hex")}`)
    })
  )

  it.live("a password opens in either Unicode form of its letters", () =>
    Effect.gen(function* () {
      const keystore = yield* encrypt(Uint8Array.of(1, 2, 3), "caf\u00e9")
      assert.strictEqual(hex(yield* decryptKeystore(keystore, Redacted.make("cafe\u0301"))), "010203")
    })
  )

  it.live("encrypting twice shares no salt, iv, id or ciphertext", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([encrypt(new Uint8Array(32), "x"), encrypt(new Uint8Array(32), "x")])
      assert.notStrictEqual(one.id, other.id)
      assert.notDeepEqual(one.crypto.kdfparams.salt, other.crypto.kdfparams.salt)
      assert.notDeepEqual(one.crypto.cipherparams.iv, other.crypto.cipherparams.iv)
      assert.notDeepEqual(one.crypto.ciphertext, other.crypto.ciphertext)
    })
  )

  it.live("refuses parameters that are no scrypt or would take the machine's memory", () =>
    Effect.gen(function* () {
      const refused = [
        { n: 1000 },
        { n: 1 },
        { n: 2 ** 24, r: 8 },
        { r: 0 },
        { p: 1000 },
        { dklen: 16 },
        { salt: "xyz" }
      ]
      for (const change of refused) {
        const error = yield* Effect.flip(decode(withScrypt(change)))
        assert.strictEqual(error._tag, "SchemaError", JSON.stringify(change))
      }
      yield* decode(withScrypt({}))
      const error = yield* Effect.flip(decode(withScrypt({ n: 2 ** 24, r: 8 })))
      assert.include(error.message, "more than 256 MiB")
    })
  )

  it.live.prop(
    "any bytes under any password come back, through JSON",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))), Schema.String],
    ([bytes, password]) =>
      Effect.gen(function* () {
        const payload = Uint8Array.from(bytes)
        const json: unknown = JSON.parse(JSON.stringify(yield* encode(yield* encrypt(payload, password))))
        const opened = yield* decryptKeystore(yield* decode(json), Redacted.make(password))
        assert.strictEqual(hex(opened), Buffer.from(payload).toString("hex"))
      }),
    { arbitrary: { runs: 30 } }
  )
})
