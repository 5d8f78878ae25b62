/** What our wallets send is, byte for byte, what viem makes of the same fields and key. */
import { randomBytes, randomInt } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { bytesToHex, keccak256 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { signTransaction } from "../../../packages/daemon/src/evm/SignedTransaction.ts"
import { walletsOf } from "../../../packages/daemon/src/wallets/HdWallets.ts"

const wallets = walletsOf(Redacted.make(new Uint8Array(64)))
const key = Redacted.value(wallets.privateKey(0))
const viem = privateKeyToAccount(bytesToHex(key))

/** Bytes that lead with zeros often, and are none at all now and then. */
const some = (most: number): Buffer => {
  const bytes = randomBytes(randomInt(most + 1))
  if (bytes.length > 0 && randomInt(3) === 0) bytes[0] = 0
  return bytes
}
const whole = (most: number): bigint => BigInt(`0x0${some(most).toString("hex")}`)

const anyFields = () => {
  const maxPriorityFeePerGas = whole(5)
  return {
    chainId: randomInt(1, 2 ** 40),
    nonce: randomInt(3) === 0 ? 0 : randomInt(2 ** 40),
    to: bytesToHex(randomBytes(20)),
    data: bytesToHex(some(300)),
    value: whole(12),
    terms: { gas: whole(4), maxFeePerGas: maxPriorityFeePerGas + whole(6), maxPriorityFeePerGas, ceiling: 0n }
  }
}

describe("a signed transaction", () => {
  it("has the bytes and the hash that viem gives it, whatever its fields", async () => {
    for (let n = 0; n < 500; n++) {
      const one = anyFields()
      const { data, to, terms, ...rest } = one
      const { ceiling: _, ...fees } = terms
      const theirs = await viem.signTransaction({ ...rest, ...fees, to, data, type: "eip1559" })
      assert.deepStrictEqual(signTransaction(wallets, 0, one), { raw: theirs, hash: keccak256(theirs) })
    }
  })
})
