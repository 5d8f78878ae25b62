/** What eth_sendRawTransaction refuses, in geth's words with geth's codes, and what it queues and replaces. */
import { assert, describe, it } from "@effect/vitest"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { EmbeddedChain } from "../../../packages/daemon/src/devchain/EmbeddedChain.ts"
import { CHAIN_ID, failureOf, fundedAccount, GWEI, onChain, receiptOf, rpc, send, sign, TOKEN } from "./ChainFixture.ts"

const refusalOf = (chain: EmbeddedChain, raw: unknown) => failureOf(rpc(chain, "eth_sendRawTransaction", raw))

const assertRefused = async (chain: EmbeddedChain, raw: Hex, message: string): Promise<void> => {
  const refusal = await refusalOf(chain, raw)
  assert.strictEqual(refusal.code, -32000)
  assert.include(refusal.message, message)
}

const TO = "0x00000000000000000000000000000000000000aa"

describe("eth_sendRawTransaction", () => {
  it.live("refuses another chain's transactions, typed and legacy, and legacy ones without a chain id", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const legacy = { type: "legacy", nonce: 0, to: TO, value: 1n, gas: 21_000n, gasPrice: 100n * GWEI } as const
      await assertRefused(
        chain,
        await sign(account, { nonce: 0, chainId: 1 }),
        `invalid sender: invalid chain id for signer: have 1 want ${CHAIN_ID}`
      )
      const foreign = await account.signTransaction({ ...legacy, chainId: 10_507 })
      await assertRefused(chain, foreign, `invalid chain id for signer: have 10507 want ${CHAIN_ID}`)
      const unprotected = await account.signTransaction(legacy)
      await assertRefused(chain, unprotected, "only replay-protected (EIP-155) transactions allowed over RPC")
    })
  )

  it.live("refuses nonces that are used, known transactions, and more gaps than it keeps", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const first = await sign(account, { nonce: 0 })
      await receiptOf(chain, await rpc(chain, "eth_sendRawTransaction", first))
      await assertRefused(chain, first, "nonce too low: next nonce 1, tx nonce 0")
      await assertRefused(
        chain,
        await sign(account, { nonce: 0, value: 1n }),
        "nonce too low: next nonce 1, tx nonce 0"
      )
      const gapped = await sign(account, { nonce: 2, to: TO, gas: 21_000n })
      await rpc(chain, "eth_sendRawTransaction", gapped)
      await assertRefused(chain, gapped, "already known")
      for (let nonce = 3; nonce < 66; nonce++) {
        await rpc(chain, "eth_sendRawTransaction", await sign(account, { nonce, to: TO, gas: 21_000n }))
      }
      await assertRefused(chain, await sign(account, { nonce: 66, to: TO, gas: 21_000n }), "account limit exceeded")
      assert.strictEqual(Number(await rpc(chain, "eth_getTransactionCount", account.address, "pending")), 1)
    })
  )

  it.live("executes queued transactions once the gap is closed, and counts them as pending before", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const queued = await rpc(chain, "eth_sendRawTransaction", await sign(account, { nonce: 1 }))
      const waiting = await rpc<{ blockHash: null; from: string }>(chain, "eth_getTransactionByHash", queued)
      assert.isNull(waiting.blockHash)
      assert.strictEqual(waiting.from, account.address.toLowerCase())
      assert.isNull(await rpc<unknown>(chain, "eth_getTransactionReceipt", queued))
      await rpc(chain, "eth_sendRawTransaction", await sign(account, { nonce: 0 }))
      assert.strictEqual((await receiptOf(chain, queued)).status, "0x1")
    })
  )

  it.live("replaces a waiting transaction only for a tenth more, tip included", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const at = (fee: bigint, tip: bigint) => sign(account, { nonce: 1, to: TO, gas: 21_000n, fee, tip })
      const first = await rpc(chain, "eth_sendRawTransaction", await at(200n * GWEI, 10n * GWEI))
      const message = "replacement transaction underpriced"
      await assertRefused(chain, await at(219n * GWEI, 11n * GWEI), message)
      await assertRefused(chain, await at(220n * GWEI, 10n * GWEI), message)
      const second = await rpc(chain, "eth_sendRawTransaction", await at(220n * GWEI, 11n * GWEI))
      assert.isNull(await rpc<unknown>(chain, "eth_getTransactionByHash", first))
      await rpc(chain, "eth_sendRawTransaction", await sign(account, { nonce: 0, to: TO, gas: 21_000n }))
      const receipt = await receiptOf(chain, second)
      assert.strictEqual(BigInt(receipt.effectiveGasPrice), 111n * GWEI)
    })
  )

  it.live("refuses what the account cannot pay, alone or together with what waits", () =>
    onChain(async (chain) => {
      const poor = privateKeyToAccount(generatePrivateKey())
      await assertRefused(
        chain,
        await sign(poor, { nonce: 0 }),
        "insufficient funds for gas * price + value: balance 0, tx cost"
      )
      const account = await fundedAccount(chain, TOKEN)
      await rpc(
        chain,
        "eth_sendRawTransaction",
        await sign(account, { nonce: 1, to: TO, value: TOKEN / 2n, gas: 21_000n })
      )
      const second = await sign(account, { nonce: 2, to: TO, value: TOKEN / 2n, gas: 21_000n })
      await assertRefused(
        chain,
        second,
        "insufficient funds for gas * price + value: balance 1000000000000000000, queued cost"
      )
    })
  )

  it.live("refuses too little gas, too much gas, and a fee below the base fee", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      await assertRefused(
        chain,
        await sign(account, { nonce: 0, to: TO, gas: 20_999n }),
        "intrinsic gas too low: gas 20999, minimum needed 21000"
      )
      await assertRefused(chain, await sign(account, { nonce: 0, gas: 30_000_001n }), "exceeds block gas limit")
      await assertRefused(
        chain,
        await sign(account, { nonce: 0, fee: 99n * GWEI }),
        `max fee per gas less than block base fee: address ${account.address.toLowerCase()}, maxFeePerGas: 99000000000, baseFee: 100000000000`
      )
    })
  )

  it.live("refuses blob transactions, garbage, and what is not hex", () =>
    onChain(async (chain) => {
      await assertRefused(chain, "0x03c0", "transaction type not supported")
      await assertRefused(chain, "0x04c0", "transaction type not supported")
      await assertRefused(chain, "0x", "typed transaction too short")
      await assertRefused(chain, "0x02c0", "rlp")
      await assertRefused(chain, "0xc0", "rlp")
      await assertRefused(chain, "0xf9ffff", "rlp")
      await assertRefused(chain, `0x02${"ff".repeat(131_072)}`, "oversized data: transaction size 131073, limit 131072")
      for (const raw of ["abc", "0xabc", 5, undefined]) assert.strictEqual((await refusalOf(chain, raw)).code, -32602)
    })
  )

  it.live("takes legacy, access-list and fee-market transactions, and shows each as its type", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const common = { chainId: CHAIN_ID, to: TO, value: 1n, gas: 30_000n } as const
      const raws = [
        await account.signTransaction({ ...common, type: "legacy", nonce: 0, gasPrice: 120n * GWEI }),
        await account.signTransaction({
          ...common,
          type: "eip2930",
          nonce: 1,
          gasPrice: 120n * GWEI,
          accessList: [{ address: TO, storageKeys: [] }]
        }),
        await sign(account, { nonce: 2, to: TO, value: 1n, gas: 21_000n, fee: 150n * GWEI, tip: 20n * GWEI })
      ]
      for (const [type, raw] of raws.entries()) {
        const receipt = await receiptOf(chain, await rpc(chain, "eth_sendRawTransaction", raw))
        assert.strictEqual(receipt.status, "0x1")
        assert.strictEqual(BigInt(receipt.effectiveGasPrice), 120n * GWEI)
        const tx = await rpc<{ type: string; hash: string }>(chain, "eth_getTransactionByHash", receipt.transactionHash)
        assert.strictEqual(Number(tx.type), type)
      }
    })
  )

  it.live("mines a failing transaction with status 0, charges its gas, and goes on", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const failed = await send(chain, account, { nonce: 0, gas: 36_000n })
      assert.strictEqual(failed.status, "0x0")
      assert.strictEqual(Number(failed.gasUsed), 36_000)
      assert.lengthOf(failed.logs, 0)
      assert.strictEqual((await send(chain, account, { nonce: 1 })).status, "0x1")
    })
  )

  it.live("splits more than a block's gas over several blocks, in nonce order", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain, 1000n * TOKEN)
      const raws = await Promise.all([0, 1, 2, 3, 4].map((nonce) => sign(account, { nonce, gas: 29_950_000n })))
      const hashes = await Promise.all(raws.map((raw) => rpc(chain, "eth_sendRawTransaction", raw)))
      const blocks = (await Promise.all(hashes.map((hash) => receiptOf(chain, hash)))).map((r) => Number(r.blockNumber))
      assert.deepStrictEqual(
        blocks,
        [...blocks].sort((a, b) => a - b)
      )
      assert.isAtLeast(new Set(blocks).size, 2)
    })
  )
})
