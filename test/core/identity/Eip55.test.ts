/** Addresses in any letter case become one value, with the checksum of EIP-55; viem is the oracle. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { bytesToHex, getAddress } from "viem"
import { privateKeyToAddress, publicKeyToAddress } from "viem/accounts"
import { addressOfPrivateKey } from "../../../packages/core/src/asset-tree/Signature.ts"
import { addressOfPublicKey, isAddressText, toEip55 } from "../../../packages/core/src/identity/Eip55.ts"
import { WalletAddress } from "../../../packages/core/src/identity/WalletAddress.ts"
import { addressText, privateKey } from "../Generators.ts"

interface Vector {
  readonly id: string
  readonly input: { readonly address?: string; readonly text?: string; readonly privateKey?: string }
  readonly expected: {
    readonly checksum?: string
    readonly address?: string
    readonly viem_isAddress_nonstrict?: boolean
  }
}

const vectors: ReadonlyArray<Vector> = JSON.parse(
  readFileSync(new URL("../../vectors/eip55.json", import.meta.url), "utf8")
)

describe("EIP-55", () => {
  it.each(vectors.filter(({ input }) => input.address !== undefined))(
    "gives the published checksum of $id",
    (vector) => {
      assert.strictEqual(toEip55(vector.input.address!), vector.expected.checksum)
      assert.strictEqual(toEip55(`0x${vector.input.address!.slice(2).toUpperCase()}`), vector.expected.checksum)
    }
  )

  it.each(vectors.filter(({ input }) => input.text !== undefined))(
    "says of $id whether it has an address's form",
    (vector) => {
      assert.strictEqual(isAddressText(vector.input.text!), vector.expected.viem_isAddress_nonstrict)
    }
  )

  it.each(vectors.filter(({ input }) => input.privateKey !== undefined))("finds the address of $id", (vector) => {
    const key = Buffer.from(vector.input.privateKey!.slice(2), "hex")
    assert.strictEqual(addressOfPrivateKey(key).toLowerCase(), vector.expected.address)
  })

  it("covers every kind of vector", () => {
    const kinds = vectors.map(({ input }) => Object.keys(input)[0])
    assert.deepStrictEqual([...new Set(kinds)].sort(), ["address", "privateKey", "text"])
  })

  it.prop("agrees with viem on every address, in every letter case", [addressText], ([text]) => {
    assert.strictEqual(toEip55(text), getAddress(text))
    const decoded = Schema.decodeSync(WalletAddress)(text)
    assert.strictEqual<string>(decoded, getAddress(text))
    assert.strictEqual(Schema.decodeSync(WalletAddress)(Schema.encodeSync(WalletAddress)(decoded)), decoded)
  })

  it.prop("agrees with viem on the address of every key", [privateKey], ([key]) => {
    assert.strictEqual(addressOfPrivateKey(key), privateKeyToAddress(`0x${Buffer.from(key).toString("hex")}`))
  })

  it("refuses what is not 0x and 40 hexadecimal digits", () => {
    const address = "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    for (const text of [
      address,
      `0X${address}`,
      `0x${address}0`,
      `0x${address.slice(1)}`,
      `0x${address}\n`,
      ` 0x${address}`,
      `0x${address.slice(1)}g`
    ]) {
      assert.isFalse(isAddressText(text), JSON.stringify(text))
      assert.throws(() => toEip55(text), RangeError)
      assert.isTrue(Exit.isFailure(Schema.decodeUnknownExit(WalletAddress)(text)))
    }
  })

  it("of a public key is its own, although other keys begin alike and were asked for before", () => {
    const keys = Array.from({ length: 4 }, (_, last) => new Uint8Array(65).fill(9).with(0, 4).with(64, last))
    for (const key of [...keys, ...keys]) {
      assert.strictEqual(addressOfPublicKey(key), publicKeyToAddress(bytesToHex(key)))
      key.fill(0, 40)
      assert.strictEqual(addressOfPublicKey(key), publicKeyToAddress(bytesToHex(key)))
    }
  })
})
