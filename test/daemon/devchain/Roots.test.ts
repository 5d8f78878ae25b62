/**
 * Whoever reads an embedded chain can rebuild its hashes: the header from the block's fields, the receipts and
 * transactions roots from their leaves. Inclusion proofs rest on this.
 */

import { assert, describe, it } from "@effect/vitest"
import { MerklePatriciaTrie } from "@ethereumjs/mpt"
import { bytesToHex, type Hex, hexToBytes, keccak256, numberToHex, toRlp } from "viem"
import { COMMIT_CONTRACT_ADDRESS } from "../../../packages/daemon/src/evm/LocalNetwork.ts"
import {
  CHAIN_ID,
  commitCall,
  fundedAccount,
  GWEI,
  onChain,
  type Receipt,
  rpc,
  send,
  sign,
  TOKEN
} from "./ChainFixture.ts"

type Json = Readonly<Record<string, Hex>>

/** A quantity as RLP wants it: no leading zero bytes, nothing for zero. */
const integer = (value: Hex | undefined): Hex => {
  const digits = BigInt(value ?? "0x0").toString(16)
  return digits === "0" ? "0x" : `0x${digits.length % 2 === 0 ? "" : "0"}${digits}`
}

/** The header's RLP, from nothing but the fields of eth_getBlockByNumber. */
const headerRlp = (block: Json): Hex => {
  const fixed = (name: string) => block[name]!
  const number = (name: string) => integer(block[name])
  return toRlp([
    ...["parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot", "logsBloom"].map(fixed),
    ...["difficulty", "number", "gasLimit", "gasUsed", "timestamp"].map(number),
    ...["extraData", "mixHash", "nonce"].map(fixed),
    number("baseFeePerGas"),
    fixed("withdrawalsRoot"),
    ...["blobGasUsed", "excessBlobGas"].map(number),
    fixed("parentBeaconBlockRoot")
  ])
}

/** The consensus receipt, from nothing but eth_getTransactionReceipt. */
const receiptRlp = (receipt: Receipt & Json): Hex => {
  const body = toRlp([
    integer(receipt.status),
    integer(receipt.cumulativeGasUsed),
    receipt.logsBloom!,
    receipt.logs.map(({ address, data, topics }) => [address, [...topics], data])
  ])
  return receipt.type === "0x0" ? body : `0x0${Number(receipt.type)}${body.slice(2)}`
}

const rootOf = async (leaves: ReadonlyArray<Hex>): Promise<Hex> => {
  const trie = new MerklePatriciaTrie()
  for (const [index, leaf] of leaves.entries()) {
    await trie.put(hexToBytes(toRlp(integer(numberToHex(index)))), hexToBytes(leaf))
  }
  return bytesToHex(trie.root())
}

describe("the hashes of an embedded chain", () => {
  it.live("gives header fields that hash to the block's hash, and raw headers that do", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      for (let nonce = 0; nonce < 3; nonce++) await send(chain, account, { nonce, fee: 120n * GWEI, tip: GWEI })
      const height = Number(await rpc(chain, "eth_blockNumber"))
      for (let number = 0; number <= height; number++) {
        const block = await rpc<Json>(chain, "eth_getBlockByNumber", numberToHex(number), false)
        const raw = await rpc<Hex>(chain, "debug_getRawHeader", numberToHex(number))
        assert.strictEqual(headerRlp(block), raw)
        assert.strictEqual(keccak256(raw), block.hash)
        if (number === 0) continue
        const parent = await rpc<Json>(chain, "eth_getBlockByNumber", numberToHex(number - 1), false)
        assert.strictEqual(block.parentHash, parent.hash)
      }
    })
  )

  it.live("gives receipts and transactions from which the header's roots and bloom can be rebuilt", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain, 1000n * TOKEN)
      const legacy = { type: "legacy", chainId: CHAIN_ID, gas: 60_000n, gasPrice: 100n * GWEI } as const
      const raws = [
        ...(await Promise.all([1, 2, 3].map((nonce) => sign(account, { nonce, data: commitCall(`bafkrei${nonce}`) })))),
        await account.signTransaction({ ...legacy, nonce: 4, to: COMMIT_CONTRACT_ADDRESS, data: commitCall() }),
        await sign(account, { nonce: 5, gas: 36_000n })
      ]
      for (const raw of raws) await rpc(chain, "eth_sendRawTransaction", raw)
      await send(chain, account, { nonce: 0 })
      const head = await rpc<Json & { transactions: ReadonlyArray<Hex> }>(
        chain,
        "eth_getBlockByNumber",
        "latest",
        false
      )
      assert.lengthOf(head.transactions, 6)
      const receipts = await rpc<ReadonlyArray<Receipt & Json>>(chain, "eth_getBlockReceipts", "latest")
      const leaves = receipts.map(receiptRlp)
      assert.deepStrictEqual(leaves, [...(await rpc<ReadonlyArray<Hex>>(chain, "debug_getRawReceipts", "latest"))])
      assert.strictEqual(await rootOf(leaves), head.receiptsRoot)
      assert.strictEqual(await rootOf([await sign(account, { nonce: 0 }), ...raws]), head.transactionsRoot)
      const bloom = receipts.reduce((all, receipt) => all | BigInt(receipt.logsBloom!), 0n)
      assert.strictEqual(`0x${bloom.toString(16).padStart(512, "0")}`, head.logsBloom)
      assert.strictEqual(receipts.at(-1)?.cumulativeGasUsed, head.gasUsed)
      const indexes = receipts
        .flatMap((receipt) => receipt.logs as unknown as ReadonlyArray<Json>)
        .map((log) => log.logIndex)
      assert.deepStrictEqual(indexes, ["0x0", "0x1", "0x2", "0x3", "0x4"])
    })
  )
})
