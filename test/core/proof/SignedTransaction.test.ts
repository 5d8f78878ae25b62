/** Transactions of every type, signed by two other libraries: what they call and who sent them. */
import { assert, describe, it } from "@effect/vitest"
import { Transaction, Wallet } from "ethers"
import { bytesToHex, type Hex, hexToBytes, toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { encodeRlp, type RlpItem, rlpInteger } from "../../../packages/core/src/proof/Rlp.ts"
import { readTransaction } from "../../../packages/core/src/proof/SignedTransaction.ts"
import { processorTime } from "../../layers/Timing.ts"
import { committer, committerKey, utf8 } from "../verification/Fixtures.ts"

const to = "0x0000000000000000000000000000000000007053"
const account = privateKeyToAccount(bytesToHex(committerKey))
const wallet = new Wallet(bytesToHex(committerKey))
const accessList = [{ address: to, storageKeys: [toHex(1, { size: 32 }), toHex(2, { size: 32 })] }] as const
const fees = { maxFeePerGas: 200_000_000_000n, maxPriorityFeePerGas: 1n }
const common = { nonce: 7, gas: 90_000n, to, data: toHex(utf8("{}".repeat(200))), value: 5n } as const
const blobs = [`0x01${"ab".repeat(31)}`] as const

const authorization = await account.signAuthorization({ address: to, chainId: 10507, nonce: 1 })
const signed: Record<string, string> = {
  "legacy, before EIP-155 (viem)": await account.signTransaction({ ...common, type: "legacy", gasPrice: 1n }),
  "legacy, EIP-155 (viem)": await account.signTransaction({ ...common, type: "legacy", gasPrice: 1n, chainId: 10507 }),
  "legacy, EIP-155, a large chain id": await account.signTransaction({
    ...common,
    type: "legacy",
    gasPrice: 1n,
    chainId: 2 ** 50
  }),
  "type 1 (viem)": await account.signTransaction({
    ...common,
    type: "eip2930",
    chainId: 10507,
    gasPrice: 1n,
    accessList
  }),
  "type 2 (viem)": await account.signTransaction({ ...common, ...fees, type: "eip1559", chainId: 10507, accessList }),
  "type 3 (viem)": await account.signTransaction({
    ...common,
    ...fees,
    type: "eip4844",
    chainId: 10507,
    maxFeePerBlobGas: 9n,
    blobVersionedHashes: [...blobs],
    sidecars: false
  }),
  "type 4 (viem)": await account.signTransaction({
    ...common,
    ...fees,
    type: "eip7702",
    chainId: 10507,
    authorizationList: [authorization]
  })
}
const { gas: gasLimit, ...rest } = common
for (const type of [0, 1, 2]) {
  const price = type === 2 ? fees : { gasPrice: 1n }
  signed[`type ${type} (ethers)`] = await wallet.signTransaction({ ...rest, gasLimit, type, chainId: 10508, ...price })
}
const before155 = Transaction.from({ ...rest, gasLimit, type: 0, chainId: 0, gasPrice: 1n })
before155.signature = wallet.signingKey.sign(before155.unsignedHash)
signed["legacy, before EIP-155 (ethers)"] = before155.serialized

describe("a signed transaction", () => {
  for (const [what, raw] of Object.entries(signed)) {
    it(`of ${what} has the sender that signed it, and what it calls`, () => {
      const reading = readTransaction(hexToBytes(raw as Hex))
      assert.isTrue(reading.ok)
      if (!reading.ok) return
      assert.deepStrictEqual([reading.transaction.to, reading.transaction.sender()], [to, committer])
    })
  }

  it("that makes a contract calls nothing", async () => {
    const { to: _, ...creation } = common
    const raw = await account.signTransaction({ ...creation, ...fees, type: "eip1559", chainId: 1 })
    const reading = readTransaction(hexToBytes(raw))
    assert.deepStrictEqual(reading.ok && [reading.transaction.to, reading.transaction.sender()], [undefined, committer])
  })

  it("that was changed anywhere has another sender, or none, or is no transaction", () => {
    for (const [what, raw] of Object.entries(signed)) {
      const bytes = hexToBytes(raw as Hex)
      for (let at = 0; at < bytes.length; at += 7) {
        const reading = readTransaction(bytes.with(at, bytes[at]! ^ (1 << (at % 8))))
        if (reading.ok) assert.notStrictEqual(reading.transaction.sender(), committer, `${what}, byte ${at}`)
      }
    }
  })

  it("of a type that nobody here knows is told apart from what is no transaction", () => {
    for (const type of [5, 0x7e, 0x7f, 0]) {
      const bytes = Uint8Array.of(type, ...encodeRlp([rlpInteger(1)]))
      assert.deepStrictEqual(readTransaction(bytes), { ok: false, problem: "unknown_type" })
    }
  })

  it("that is malformed, by length, shape, recovery id or range, is no transaction, and never an exception", () => {
    const word = new Uint8Array(32).fill(1)
    const none = new Uint8Array()
    const legacy = (...changed: ReadonlyArray<readonly [at: number, item: RlpItem]>): RlpItem => {
      const items: Array<RlpItem> = [none, none, none, hexToBytes(to), none, none, rlpInteger(27), word, word]
      for (const [at, item] of changed) items[at] = item
      return items
    }
    assert.isTrue(readTransaction(encodeRlp(legacy())).ok)
    for (const item of [
      [],
      legacy([3, word]),
      legacy([3, [hexToBytes(to)]]),
      legacy([6, none]),
      legacy([6, rlpInteger(1)]),
      legacy([6, rlpInteger(29)]),
      legacy([6, rlpInteger(34)]),
      legacy([6, word]),
      legacy([6, []]),
      legacy([7, Uint8Array.of(0, 1)]),
      legacy([7, new Uint8Array(33).fill(1)]),
      legacy([8, [word]]),
      [...(legacy() as ReadonlyArray<RlpItem>), none],
      (legacy() as ReadonlyArray<RlpItem>).slice(1)
    ] satisfies ReadonlyArray<RlpItem>) {
      assert.deepStrictEqual(readTransaction(encodeRlp(item)), { ok: false, problem: "malformed" })
    }
    for (const bytes of [none, Uint8Array.of(2), Uint8Array.of(0x80), Uint8Array.of(2, 0x80), Uint8Array.of(0xf8)]) {
      assert.deepStrictEqual(readTransaction(bytes), { ok: false, problem: "malformed" })
    }
    assert.deepStrictEqual(readTransaction(Uint8Array.of(2, ...encodeRlp(legacy()))), {
      ok: false,
      problem: "malformed"
    })
    const order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    const half = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1"
    for (const [at, hex] of [
      [7, order],
      [8, half],
      [8, order]
    ] as const) {
      const reading = readTransaction(encodeRlp(legacy([at, hexToBytes(`0x${hex}`)])))
      assert.isUndefined(reading.ok ? reading.transaction.sender() : "read", hex)
    }
    for (const at of [7, 8]) {
      const reading = readTransaction(encodeRlp(legacy([at, none])))
      assert.isUndefined(reading.ok ? reading.transaction.sender() : "read")
    }
  })

  it("with lists of any size is read by their lengths alone", () => {
    const many: ReadonlyArray<RlpItem> = Array.from({ length: 60_000 }, () => new Uint8Array(15).fill(0x80))
    const items: ReadonlyArray<RlpItem> = [1, 2, 3, 4, 5].map(rlpInteger)
    const payload = encodeRlp([
      ...items,
      hexToBytes(to),
      rlpInteger(0),
      rlpInteger(0),
      many,
      ...[0, 1, 1].map(rlpInteger)
    ])
    const started = processorTime()
    const reading = readTransaction(typed(2, payload))
    assert.isTrue(reading.ok)
    assert.isBelow(processorTime() - started, 500)
  })
})

const typed = (type: number, payload: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(payload.length + 1)
  bytes[0] = type
  bytes.set(payload, 1)
  return bytes
}
