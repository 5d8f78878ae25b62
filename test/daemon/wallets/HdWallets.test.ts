/** Wallets of a seed: published addresses and keys, agreement with ethers, signatures that recover. */
import { assert, describe, it } from "@effect/vitest"
import { mnemonicToSeedSync } from "@scure/bip39"
import { Redacted, Schema } from "effect"
import { HDNodeWallet, hexlify, recoverAddress, Signature, verifyMessage } from "ethers"
import { committerIndex, SERVICE_WALLET, walletsOf } from "../../../packages/daemon/src/wallets/HdWallets.ts"
import vectors from "../../vectors/bip39-44.json" with { type: "json" }

const walletsOfWords = (words: string) => walletsOf(Redacted.make(mnemonicToSeedSync(words)))
const JUNK = "test test test test test test test test test test test junk"
const wallets = walletsOfWords(JUNK)

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 }))
const Digest = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))).check(
  Schema.isBetweenLength(32, 32)
)

describe("wallets of one seed", () => {
  for (const { id, input, expected, source } of vectors) {
    it(`derives the published key and address of ${id} (${source})`, () => {
      const index = Number(input.path.split("/").at(-1))
      const derived = walletsOfWords(input.mnemonic)
      assert.strictEqual(derived.address(index), expected.address)
      assert.strictEqual(hexlify(Redacted.value(derived.privateKey(index))), expected.privateKey)
    })
  }

  it("the service's own wallet is the first of the seed", () => {
    assert.strictEqual(wallets.address(SERVICE_WALLET), HDNodeWallet.fromPhrase(JUNK).address)
  })

  it("refuses an index that BIP-32 has no normal child for", () => {
    for (const index of [0.5, 2 ** 31, -(2 ** 31), Number.NaN]) assert.throws(() => wallets.address(index), RangeError)
  })

  it("further committers are on a chain of their own, where no account's wallet is", () => {
    for (const n of [1, 2, 63]) {
      const theirs = HDNodeWallet.fromPhrase(JUNK, undefined, `m/44'/60'/0'/1/${n}`)
      assert.strictEqual(wallets.address(committerIndex(n)), theirs.address)
      assert.notStrictEqual(wallets.address(committerIndex(n)), wallets.address(n))
    }
    assert.strictEqual(committerIndex(0), SERVICE_WALLET)
  })

  it("a private key does not show itself when it is logged", () => {
    assert.notInclude(`${wallets.privateKey(0)} ${JSON.stringify(wallets.privateKey(0))}`, "172")
  })

  it.prop(
    "any index has the address that ethers derives",
    [Index],
    ([index]) => {
      const theirs = HDNodeWallet.fromPhrase(JUNK, undefined, `m/44'/60'/0'/0/${index}`)
      assert.strictEqual(wallets.address(index), theirs.address)
    },
    { arbitrary: { runs: 25 } }
  )

  it.prop(
    "a signed text recovers its wallet in ethers",
    [Index, Schema.String],
    ([index, text]) => {
      const wellFormed = text.toWellFormed()
      const signature = wallets.signText(index, wellFormed)
      assert.strictEqual(verifyMessage(wellFormed, signature), wallets.address(index))
      assert.match(signature, /^0x[0-9a-f]{128}1[bc]$/)
    },
    { arbitrary: { runs: 25 } }
  )

  it.prop(
    "a signed digest recovers its wallet in ethers",
    [Index, Digest],
    ([index, digest]) => {
      const bytes = Uint8Array.from(digest)
      const { r, s, yParity } = wallets.signDigest(index, bytes)
      const signature = Signature.from({ r: hexlify(r), s: hexlify(s), yParity })
      assert.strictEqual(recoverAddress(hexlify(bytes), signature), wallets.address(index))
    },
    { arbitrary: { runs: 25 } }
  )
})
