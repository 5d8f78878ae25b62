/** What independent clients read from an embedded chain: ethers over HTTP, viem over the provider. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Contract, keccak256 as ethersKeccak, JsonRpcProvider, toUtf8Bytes } from "ethers"
import { decodeFunctionResult, getAddress, type Hex, numberToHex } from "viem"
import type { EmbeddedChain } from "../../../packages/daemon/src/devchain/EmbeddedChain.ts"
import { commitAbi, commitBytecode } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { COMMIT_CONTRACT_ADDRESS } from "../../../packages/daemon/src/evm/LocalNetwork.ts"
import {
  ASSET_CID,
  CHAIN_ID,
  commitCall,
  failureOf,
  fundedAccount,
  GWEI,
  onChain,
  outside,
  rpc,
  send,
  sign,
  TOKEN,
  viemClient
} from "./ChainFixture.ts"

/** Serves the chain's JSON-RPC on a free port while `body` runs. */
const overHttp = async (chain: EmbeddedChain, body: (url: string) => Promise<void>): Promise<void> => {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", async () => {
      const answer = await outside(chain, JSON.parse(Buffer.concat(chunks).toString("utf8")))
      response.setHeader("content-type", "application/json")
      response.end(answer === undefined ? "" : JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    await body(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

describe("reading an embedded chain", () => {
  it.live("gives ethers over HTTP its blocks, its fees, and the commits of an asset by its CID", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const sent = await send(chain, account, { nonce: 0 })
      await send(chain, account, { nonce: 1, data: commitCall("bafkreiother") })
      await overHttp(chain, async (url) => {
        const provider = new JsonRpcProvider(url)
        try {
          assert.strictEqual((await provider.getNetwork()).chainId, BigInt(CHAIN_ID))
          assert.strictEqual((await provider.getFeeData()).gasPrice, 100n * GWEI)
          const contract = new Contract(COMMIT_CONTRACT_ADDRESS, JSON.stringify(commitAbi), provider)
          const found = await contract.queryFilter(contract.filters.Commit!(null, ASSET_CID))
          assert.lengthOf(found, 1)
          assert.strictEqual(found[0]?.transactionHash, sent.transactionHash)
          assert.strictEqual(found[0]?.topics[2], ethersKeccak(toUtf8Bytes(ASSET_CID)))
          const receipt = await provider.getTransactionReceipt(sent.transactionHash)
          assert.strictEqual(receipt?.fee, 40_261n * 100n * GWEI)
          const block = await provider.getBlock(receipt!.blockNumber, true)
          assert.strictEqual(block?.getPrefetchedTransaction(0).from, getAddress(account.address))
          assert.strictEqual(block?.getPrefetchedTransaction(0).data, commitCall())
        } finally {
          provider.destroy()
        }
      })
    })
  )

  it.live("gives viem its blocks, calls, estimates and events", () =>
    onChain(async (chain) => {
      const client = viemClient(chain)
      const account = await fundedAccount(chain)
      const fees = await client.estimateFeesPerGas()
      assert.isTrue(fees.maxFeePerGas >= 100n * GWEI)
      assert.strictEqual(fees.maxPriorityFeePerGas, 0n)
      const to = COMMIT_CONTRACT_ADDRESS
      const gas = await client.estimateGas({ account: account.address, to, data: commitCall() })
      assert.isTrue(gas >= 40_261n && gas < 41_000n)
      const hash = await client.sendRawTransaction({ serializedTransaction: await sign(account, { nonce: 0, gas }) })
      const receipt = await client.waitForTransactionReceipt({ hash })
      assert.strictEqual(receipt.status, "success")
      const args = { recorder: account.address, assetCid: ASSET_CID }
      const events = await client.getContractEvents({
        abi: commitAbi,
        address: to,
        eventName: "Commit",
        args,
        fromBlock: 0n
      })
      assert.lengthOf(events, 1)
      assert.strictEqual(events[0]?.args.commitData, "x".repeat(600))
      const { data } = await client.call({ account: account.address, to, data: commitCall() })
      const returned = decodeFunctionResult({ abi: commitAbi, functionName: "commit", data: data! })
      assert.strictEqual(returned, receipt.blockNumber + 1n)
      const history = await client.getFeeHistory({ blockCount: 2, rewardPercentiles: [50] })
      assert.deepStrictEqual(history.baseFeePerGas, [100n * GWEI, 100n * GWEI, 100n * GWEI])
      assert.deepStrictEqual(history.reward, [[0n], [0n]])
    })
  )

  it.live("filters logs by address, by each topic with alternatives, by block and by range", () =>
    onChain(async (chain) => {
      const [a, b] = [await fundedAccount(chain), await fundedAccount(chain)]
      const first = await send(chain, a, { nonce: 0 })
      await send(chain, b, { nonce: 0 })
      const last = await send(chain, b, { nonce: 1, data: commitCall("bafkreiother") })
      const count = async (filter: unknown) => (await rpc<ReadonlyArray<unknown>>(chain, "eth_getLogs", filter)).length
      const fromBlock = "0x0"
      const pad = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`
      const event = first.logs[0]!.topics[0]
      const cid = first.logs[0]!.topics[2]
      assert.strictEqual(await count({ fromBlock }), 3)
      assert.strictEqual(await count({}), 1)
      assert.strictEqual(await count({ fromBlock, address: COMMIT_CONTRACT_ADDRESS }), 3)
      assert.strictEqual(await count({ fromBlock, address: [a.address] }), 0)
      assert.strictEqual(await count({ fromBlock, topics: [event] }), 3)
      assert.strictEqual(await count({ fromBlock, topics: [null, pad(b.address)] }), 2)
      assert.strictEqual(await count({ fromBlock, topics: [event, null, cid] }), 2)
      assert.strictEqual(await count({ fromBlock, topics: [event, [pad(a.address), pad(b.address)], [cid]] }), 2)
      assert.strictEqual(
        await count({ fromBlock, address: COMMIT_CONTRACT_ADDRESS, topics: [null, pad(a.address), cid] }),
        1
      )
      assert.strictEqual(await count({ fromBlock, topics: [null, null, null, null] }), 0)
      assert.strictEqual(await count({ blockHash: first.blockHash }), 1)
      assert.strictEqual(await count({ fromBlock, toBlock: first.blockNumber }), 1)
      assert.strictEqual(await count({ fromBlock: last.blockNumber, toBlock: "0xffffff" }), 1)
      const codeOf = async (filter: unknown) => (await failureOf(rpc(chain, "eth_getLogs", filter))).code
      assert.strictEqual(await codeOf({ fromBlock: last.blockNumber, toBlock: "0x0" }), -32000)
      assert.strictEqual(await codeOf({ blockHash: `0x${"1".repeat(64)}` }), -32000)
      assert.strictEqual(await codeOf({ topics: [event, null, null, null, null] }), -32602)
      assert.strictEqual(await codeOf({ blockHash: first.blockHash, fromBlock }), -32602)
      assert.strictEqual(await codeOf({ address: "0x12" }), -32602)
    })
  )

  it.live("answers for past blocks as things were then", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const { blockNumber } = await send(chain, account, { nonce: 0 })
      await send(chain, account, { nonce: 1 })
      const at = (tag: unknown) => rpc(chain, "eth_getTransactionCount", account.address, tag)
      assert.strictEqual(await at("earliest"), "0x0")
      assert.strictEqual(await at(blockNumber), "0x1")
      assert.strictEqual(await at({ blockNumber }), "0x1")
      assert.strictEqual(await at("latest"), "0x2")
      assert.strictEqual(await rpc(chain, "eth_getBalance", account.address, "earliest"), "0x0")
      assert.strictEqual((await failureOf(at("0xffff"))).message, "header not found")
      assert.isNull(await rpc<unknown>(chain, "eth_getBlockByNumber", "0xffff", false))
    })
  )

  it.live("deploys contracts, reads their storage, and tells why a call reverts", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const deployed = await send(chain, account, { nonce: 0, to: null, data: commitBytecode, gas: 500_000n })
      const code = await rpc(chain, "eth_getCode", deployed.contractAddress)
      assert.strictEqual(code, await rpc(chain, "eth_getCode", COMMIT_CONTRACT_ADDRESS))
      // Initialisation code that stores 42 in slot 1 and leaves no code: PUSH1 42 PUSH1 1 SSTORE.
      const stored = await send(chain, account, { nonce: 1, to: null, data: "0x602a600155", gas: 100_000n })
      const slot = await rpc(chain, "eth_getStorageAt", stored.contractAddress, "0x1", "latest")
      assert.strictEqual(BigInt(slot), 42n)
      assert.strictEqual(BigInt(await rpc(chain, "eth_getStorageAt", stored.contractAddress, "0x0", "latest")), 0n)
      const call = { from: account.address, to: COMMIT_CONTRACT_ADDRESS, data: "0x12345678" }
      for (const method of ["eth_call", "eth_estimateGas"]) {
        const reverted = await failureOf(rpc(chain, method, call, "latest"))
        assert.strictEqual(reverted.code, 3)
        assert.strictEqual(reverted.message, "execution reverted")
        assert.strictEqual(reverted.data, "0x")
      }
      // Creation code that reverts with Error("no"), 100 bytes copied from offset 12.
      const reason = `08c379a0${"20".padStart(64, "0")}${"2".padStart(64, "0")}${"6e6f".padEnd(64, "0")}`
      const data = `0x6064600c60003960646000fd${reason}` as Hex
      const explained = await failureOf(rpc(chain, "eth_call", { from: account.address, data }, "latest"))
      assert.strictEqual(explained.message, "execution reverted: no")
      const rich = { from: account.address, to: COMMIT_CONTRACT_ADDRESS, value: numberToHex(1000n * TOKEN) }
      assert.include((await failureOf(rpc(chain, "eth_call", rich, "latest"))).message, "insufficient funds")
    })
  )

  it.live("says which argument is missing or wrong", () =>
    onChain(async (chain) => {
      const cases: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>, message: string]> = [
        ["eth_getBalance", [], "missing value for required argument 0"],
        ["eth_getBalance", ["0x12"], "invalid argument 0: want an address"],
        ["eth_getBalance", [COMMIT_CONTRACT_ADDRESS, "newest"], "invalid argument 1: want a block number"],
        ["eth_getBalance", [COMMIT_CONTRACT_ADDRESS, "toString"], "invalid argument 1: want a block number"],
        ["eth_getTransactionReceipt", ["0x00"], "invalid argument 0: want a hash"],
        ["eth_getBlockByNumber", ["latest", "yes"], "invalid argument 1: want true or false"],
        ["eth_call", ["0x"], "invalid argument 0: want an object"],
        ["eth_call", [{ to: "0x1" }], "to: want an address"],
        ["eth_feeHistory", ["0x1", "latest", [50, 20]], "invalid reward percentile"],
        ["treemark_fund", [COMMIT_CONTRACT_ADDRESS, 5], "invalid argument 1: want a quantity"]
      ]
      for (const [method, params, message] of cases) {
        const failure = await failureOf(chain.request({ method, params }))
        assert.strictEqual(failure.code, -32602, method)
        assert.include(failure.message, message)
      }
    })
  )
})
