/**
 * The same raw transactions through an embedded chain and through a real anvil (cancun) cost the same gas, end with the
 * same status, leave the same logs and create the same addresses. anvil mines one at a time: pipelined, it can wedge.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createPublicClient, createTestClient, type Hex, http, numberToHex, publicActions } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import type { EmbeddedChain } from "../../../packages/daemon/src/devchain/EmbeddedChain.ts"
import { commitBytecode, commitDeployedBytecode } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { COMMIT_CONTRACT_ADDRESS } from "../../../packages/daemon/src/evm/LocalNetwork.ts"
import { type Anvil, isAnvilMissing, startAnvil } from "../../layers/Anvil.ts"
import {
  CHAIN_ID,
  commitCall,
  GWEI,
  openChain,
  type Receipt,
  receiptOf,
  rpc,
  sign,
  TOKEN,
  temporaryFile
} from "./ChainFixture.ts"

const ELSEWHERE = "0x00000000000000000000000000000000000000aa"
const PRECOMPILE_SHA256 = "0x0000000000000000000000000000000000000002"

/** Transactions of many kinds, nonces from 0 on: commits, deployments, transfers, failures, typed and legacy. */
const transactionsOf = async (account: PrivateKeyAccount): Promise<ReadonlyArray<Hex>> => {
  let nonce = 0
  const raws: Array<Hex> = []
  const add = async (sending: Omit<Parameters<typeof sign>[1], "nonce">): Promise<void> => {
    raws.push(await sign(account, { nonce: nonce++, fee: 200n * GWEI, tip: GWEI, ...sending }))
  }
  for (const size of [0, 1, 31, 32, 33, 600, 748, 5000])
    await add({ data: commitCall("bafkreia", size), gas: 300_000n })
  await add({ data: commitCall("", 600) })
  await add({ data: commitCall("bafkrei🌳".repeat(20), 10), gas: 100_000n })
  await add({ to: null, data: commitBytecode, gas: 500_000n })
  await add({ to: null, data: "0x602a600155", gas: 100_000n })
  await add({ to: null, data: "0x60006000fd", gas: 100_000n })
  await add({ to: null, data: "0xfe", gas: 100_000n })
  // Stores and clears slot 0 in one transaction: the refund of EIP-3529.
  await add({ to: null, data: "0x6001600055600060005560016000f3", gas: 200_000n })
  await add({ to: ELSEWHERE, value: 5n, gas: 21_000n })
  await add({ to: PRECOMPILE_SHA256, data: "0x1234", gas: 30_000n })
  await add({ gas: 36_000n })
  await add({ data: "0x12345678", gas: 40_000n })
  await add({ value: 1n, gas: 100_000n })
  const legacy = {
    chainId: CHAIN_ID,
    to: COMMIT_CONTRACT_ADDRESS,
    data: commitCall(),
    gas: 100_000n,
    gasPrice: 150n * GWEI
  } as const
  raws.push(await account.signTransaction({ ...legacy, type: "legacy", nonce: nonce++ }))
  const accessList = [{ address: ELSEWHERE, storageKeys: [`0x${"0".repeat(64)}`] }] as const
  raws.push(await account.signTransaction({ ...legacy, type: "eip2930", nonce: nonce++, accessList }))
  return raws
}

/** anvil's JSON-RPC in the shape of the embedded chain's. */
const providerOf = ({ url }: Anvil): Pick<EmbeddedChain, "request"> => {
  const { request } = createPublicClient({ transport: http(url) })
  return { request: (call) => request(call as Parameters<typeof request>[0]) }
}

/** What has to be equal; addresses in lower case, logs without their place in the chain. */
const comparable = (receipt: Receipt) => ({
  transactionHash: receipt.transactionHash,
  status: receipt.status,
  gasUsed: Number(receipt.gasUsed),
  contractAddress: receipt.contractAddress?.toLowerCase() ?? null,
  logs: receipt.logs.map(({ address, data, topics }) => ({ address: address.toLowerCase(), topics: [...topics], data }))
})

describe("an embedded chain beside anvil", () => {
  it.live.skipIf(isAnvilMissing)("gives for the same raw transactions the same gas, status, logs and addresses", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const anvil = yield* startAnvil({ chainId: CHAIN_ID, extraArgs: ["--no-mining", "--gas-price", "0"] })
        const chain = yield* temporaryFile.pipe(Effect.flatMap((path) => openChain(path)))
        yield* Effect.promise(async () => {
          const account = privateKeyToAccount(generatePrivateKey())
          const reference = createTestClient({ mode: "anvil", transport: http(anvil.url) }).extend(publicActions)
          const balance = 1000n * TOKEN
          await reference.setBalance({ address: account.address, value: balance })
          await reference.setCode({ address: COMMIT_CONTRACT_ADDRESS, bytecode: commitDeployedBytecode })
          await receiptOf(chain, await rpc(chain, "treemark_fund", account.address, numberToHex(balance)))
          for (const [index, raw] of (await transactionsOf(account)).entries()) {
            const hash = await reference.sendRawTransaction({ serializedTransaction: raw })
            await reference.mine({ blocks: 1 })
            const theirs = await rpc<Receipt>(providerOf(anvil), "eth_getTransactionReceipt", hash)
            const ours = await receiptOf(chain, await rpc(chain, "eth_sendRawTransaction", raw))
            assert.deepStrictEqual(comparable(ours), comparable(theirs), `transaction ${index}`)
          }
        })
      })
    )
  )

  it.live.skipIf(isAnvilMissing)("estimates the gas of a commit within 2 % of anvil's estimate", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const anvil = yield* startAnvil({ chainId: CHAIN_ID })
        const chain = yield* temporaryFile.pipe(Effect.flatMap((path) => openChain(path)))
        yield* Effect.promise(async () => {
          const reference = createTestClient({ mode: "anvil", transport: http(anvil.url) }).extend(publicActions)
          await reference.setCode({ address: COMMIT_CONTRACT_ADDRESS, bytecode: commitDeployedBytecode })
          const call = { from: ELSEWHERE, to: COMMIT_CONTRACT_ADDRESS, data: commitCall() } as const
          const theirs = Number(await rpc(providerOf(anvil), "eth_estimateGas", call))
          const ours = Number(await rpc(chain, "eth_estimateGas", call))
          assert.isAtLeast(ours, 40_261)
          assert.isAtMost(Math.abs(ours - theirs) / theirs, 0.02)
        })
      })
    )
  )
})
