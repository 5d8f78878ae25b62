/** Opening, closing, reopening, locking and losing an embedded chain, and its JSON-RPC envelope. */
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import { ChainThread } from "../../../packages/daemon/src/devchain/ChainThread.ts"
import { commitDeployedBytecode } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { COMMIT_CONTRACT_ADDRESS } from "../../../packages/daemon/src/evm/LocalNetwork.ts"
import {
  ASSET_CID,
  CHAIN_ID,
  commitCall,
  failureOf,
  fundedAccount,
  onChain,
  openChain,
  outside,
  receiptOf,
  rpc,
  send,
  sign,
  TOKEN,
  temporaryFile
} from "./ChainFixture.ts"

interface Block {
  readonly hash: string
  readonly timestamp: string
  readonly transactions: ReadonlyArray<string>
}

const blocksOf = async (chain: Parameters<typeof rpc>[0]): Promise<ReadonlyArray<unknown>> => {
  const height = Number(await rpc(chain, "eth_blockNumber"))
  return Promise.all(
    Array.from({ length: height + 1 }, (_, number) =>
      rpc<unknown>(chain, "eth_getBlockByNumber", numberToHex(number), true)
    )
  )
}

describe("an embedded chain", () => {
  it.live("starts with the commit contract at its fixed address and a base fee of 100 gwei", () =>
    onChain(async (chain) => {
      assert.strictEqual(await rpc(chain, "eth_chainId"), numberToHex(CHAIN_ID))
      assert.strictEqual(await rpc(chain, "eth_getCode", COMMIT_CONTRACT_ADDRESS, "latest"), commitDeployedBytecode)
      const block = await rpc<{ baseFeePerGas: string }>(chain, "eth_getBlockByNumber", "0x0", false)
      assert.strictEqual(BigInt(block.baseFeePerGas), 100_000_000_000n)
    })
  )

  it.live("keeps its file from everybody but its owner", () =>
    onChain(async (_chain, path) => assert.strictEqual(statSync(path).mode & 0o777, 0o600))
  )

  it.live("funds an account to the very wei", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain, 123_456_789_012_345_678_901n)
      assert.strictEqual(
        BigInt(await rpc(chain, "eth_getBalance", account.address, "latest")),
        123_456_789_012_345_678_901n
      )
    })
  )

  it.live("charges a commit of 600 bytes about 40 000 gas at 100 gwei, to the wei", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const receipt = await send(chain, account, { nonce: 0, data: commitCall(ASSET_CID, 600) })
      assert.strictEqual(receipt.status, "0x1")
      assert.strictEqual(Number(receipt.gasUsed), 40_261)
      const left = BigInt(await rpc(chain, "eth_getBalance", account.address, "latest"))
      assert.strictEqual(left, 100n * TOKEN - 40_261n * 100_000_000_000n)
    })
  )

  it.live("has after reopening the same blocks, receipts, logs, balances and faucet", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* temporaryFile
        const before = yield* Effect.scoped(
          Effect.gen(function* () {
            const chain = yield* openChain(path)
            return yield* Effect.promise(async () => {
              const account = await fundedAccount(chain)
              const receipts = []
              for (let nonce = 0; nonce < 5; nonce++) receipts.push(await send(chain, account, { nonce }))
              const logs = await rpc<unknown>(chain, "eth_getLogs", {
                fromBlock: "0x0",
                address: COMMIT_CONTRACT_ADDRESS
              })
              const balance = await rpc(chain, "eth_getBalance", account.address)
              return { account, receipts, logs, balance, blocks: await blocksOf(chain) }
            })
          })
        )
        const chain = yield* openChain(path)
        yield* Effect.promise(async () => {
          assert.deepStrictEqual(await blocksOf(chain), before.blocks)
          for (const receipt of before.receipts) {
            assert.deepStrictEqual(await receiptOf(chain, receipt.transactionHash), receipt)
          }
          const logs = await rpc<unknown>(chain, "eth_getLogs", { fromBlock: "0x0", address: COMMIT_CONTRACT_ADDRESS })
          assert.deepStrictEqual(logs, before.logs)
          assert.strictEqual(await rpc(chain, "eth_getBalance", before.account.address), before.balance)
          assert.strictEqual((await send(chain, before.account, { nonce: 5 })).status, "0x1")
          await fundedAccount(chain)
        })
      })
    )
  )

  it.live("refuses a second opener of its file, and lets it in once the first has closed", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* temporaryFile
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* openChain(path)
            const error = yield* Effect.flip(Effect.scoped(openChain(path)))
            assert.strictEqual(error.reason, "locked")
            assert.include(error.message, "treemarkd stop")
          })
        )
        const chain = yield* openChain(path)
        assert.strictEqual(yield* Effect.promise(() => rpc(chain, "eth_blockNumber")), "0x0")
      })
    )
  )

  it.live("refuses the file of another chain, a file that is no database, and a missing folder", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* temporaryFile
        yield* Effect.scoped(openChain(path, 7_053_002))
        const other = yield* Effect.flip(Effect.scoped(openChain(path)))
        assert.strictEqual(other.reason, "foreign")
        assert.include(other.message, "7053002")

        const text = yield* temporaryFile
        writeFileSync(text, "this is a note, and no database at all\n".repeat(100))
        assert.strictEqual((yield* Effect.flip(Effect.scoped(openChain(text)))).reason, "unreadable")
        assert.include(readFileSync(text, "utf8"), "this is a note")

        const missing = yield* Effect.flip(Effect.scoped(openChain(`${path}-absent/chain.db`)))
        assert.strictEqual(missing.reason, "unreadable")
      })
    )
  )

  it.live("mines what it has accepted before it closes, and rejects what is asked afterwards", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* temporaryFile
        const { chain, hashes } = yield* Effect.scoped(
          Effect.gen(function* () {
            const opened = yield* openChain(path)
            return yield* Effect.promise(async () => {
              const account = await fundedAccount(opened, 1000n * TOKEN)
              // So much gas each that they need three blocks.
              const raws = await Promise.all([0, 1, 2, 3, 4].map((nonce) => sign(account, { nonce, gas: 29_950_000n })))
              return {
                chain: opened,
                hashes: await Promise.all(raws.map((raw) => rpc(opened, "eth_sendRawTransaction", raw)))
              }
            })
          })
        )
        const error = yield* Effect.promise(() => failureOf(rpc(chain, "eth_blockNumber")))
        assert.strictEqual(error.code, 4900)
        assert.include(error.message, "closed")
        const again = yield* openChain(path)
        for (const hash of hashes) {
          assert.isNotNull(yield* Effect.promise(() => rpc<unknown>(again, "eth_getTransactionReceipt", hash)))
        }
      })
    )
  )

  it.effect("takes block times from the clock it is given, and never goes back", () =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_999)
        const path = yield* temporaryFile
        const chain = yield* openChain(path)
        const timeOf = (tag: string) =>
          Effect.promise(async () => Number((await rpc<Block>(chain, "eth_getBlockByNumber", tag, false)).timestamp))
        assert.strictEqual(yield* timeOf("latest"), 1_700_000_000)
        yield* TestClock.setTime(1_700_000_060_000)
        yield* Effect.promise(() => fundedAccount(chain))
        assert.strictEqual(yield* timeOf("latest"), 1_700_000_060)
        yield* TestClock.setTime(1_600_000_000_000)
        yield* Effect.promise(() => fundedAccount(chain))
        assert.strictEqual(yield* timeOf("latest"), 1_700_000_060)
      })
    )
  )

  it.live("executes what arrives out of order in nonce order", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const raws = await Promise.all([3, 1, 0, 2].map((nonce) => sign(account, { nonce })))
      const hashes = await Promise.all(raws.map((raw) => rpc(chain, "eth_sendRawTransaction", raw)))
      const receipts = await Promise.all(hashes.map((hash) => receiptOf(chain, hash)))
      assert.isTrue(receipts.every((receipt) => receipt.status === "0x1"))
      assert.strictEqual(Number(await rpc(chain, "eth_getTransactionCount", account.address, "latest")), 4)
    })
  )
})

/** A thread that runs a program of this folder. */
const threadOf = (name: string, onFault: (message: string) => void, deadline = 60_000): ChainThread =>
  new ChainThread({
    url: new URL(`./${name}.ts`, import.meta.url),
    now: () => 0,
    deadline,
    onFault: (_, message) => onFault(message)
  })

describe("the link to the worker", () => {
  it.live("fails every open call when the worker dies, and later calls at once", () =>
    Effect.promise(async () => {
      const faults: Array<string> = []
      const link = await threadOf("DyingWorker", (fault) => faults.push(fault)).open({ chainId: CHAIN_ID, path: "" })
      const open = [failureOf(link.call("eth_wait", [])), failureOf(link.call("eth_die", []))]
      for (const error of await Promise.all(open)) {
        assert.strictEqual(error.code, 4900)
        assert.include(error.message, "struck by lightning")
      }
      assert.strictEqual((await failureOf(link.call("eth_wait", []))).code, 4900)
      assert.lengthOf(faults, 1)
      await link.close()
    })
  )

  it.live("fails a call that is not answered in time, as one of which nothing is known", () =>
    Effect.promise(async () => {
      const link = await threadOf("DyingWorker", () => undefined, 50).open({ chainId: CHAIN_ID, path: "" })
      const error = await failureOf(link.call("eth_wait", []))
      assert.strictEqual(error.code, 4900)
      assert.include(error.message, "did not answer within 0.05 s")
      await failureOf(link.call("eth_die", []))
    })
  )

  it.live("refuses parameters that cannot be sent", () =>
    onChain(async (chain) => {
      const error = await failureOf(chain.request({ method: "eth_chainId", params: [() => 1] }))
      assert.strictEqual(error.code, -32602)
    })
  )
})

describe("the JSON-RPC envelope", () => {
  it.live("answers a request, a batch in its order, and nothing to notifications", () =>
    onChain(async (chain) => {
      const ask = (id: number, method: string) => ({ jsonrpc: "2.0", id, method, params: [] })
      const single = await outside(chain, ask(7, "eth_blockNumber"))
      assert.deepStrictEqual(single, { jsonrpc: "2.0", id: 7, result: "0x0" })
      const batch = await outside(chain, [
        ask(2, "net_version"),
        { jsonrpc: "2.0", method: "eth_blockNumber" },
        ask(1, "eth_nothing"),
        5
      ])
      assert.deepStrictEqual(batch, [
        { jsonrpc: "2.0", id: 2, result: String(CHAIN_ID) },
        {
          jsonrpc: "2.0",
          id: 1,
          error: { code: -32601, message: "the method eth_nothing does not exist/is not available" }
        },
        {
          jsonrpc: "2.0",
          id: null,
          error: { code: -32600, message: "invalid request: want an object with jsonrpc, id, method and params" }
        }
      ])
      assert.isUndefined(await outside(chain, { jsonrpc: "2.0", method: "eth_blockNumber" }))
      assert.isUndefined(await outside(chain, [{ jsonrpc: "2.0", method: "eth_blockNumber" }]))
    })
  )

  it.live("refuses an empty batch, a batch of 101, and what is no request", () =>
    onChain(async (chain) => {
      const codeOf = async (body: unknown) => ((await outside(chain, body)) as { error: { code: number } }).error.code
      assert.strictEqual(await codeOf([]), -32600)
      assert.strictEqual(await codeOf(Array.from({ length: 101 }, () => 0)), -32600)
      assert.strictEqual(await codeOf({ jsonrpc: "1.0", id: 1, method: "eth_chainId" }), -32600)
      assert.strictEqual(await codeOf({ jsonrpc: "2.0", id: {}, method: "eth_chainId" }), -32600)
      assert.strictEqual(await codeOf("eth_chainId"), -32600)
      assert.strictEqual(await codeOf({ jsonrpc: "2.0", id: 1, method: "eth_getBalance", params: { a: 1 } }), -32602)
    })
  )

  it.live("keeps the faucet from everybody outside the process", () =>
    onChain(async (chain) => {
      const body = {
        jsonrpc: "2.0",
        id: 1,
        method: "treemark_fund",
        params: ["0x0000000000000000000000000000000000000001", "0x1"]
      }
      const refusal = (await outside(chain, body)) as { error: { code: number } }
      assert.strictEqual(refusal.error.code, -32601)
      assert.strictEqual(await rpc(chain, "eth_blockNumber"), "0x0")
      assert.isString(await chain.request(body))
    })
  )
})
