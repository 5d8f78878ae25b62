/** A chain in a folder of its own, a funded account on it, and ready-made commits to send: what these tests share. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { type Address, createPublicClient, custom, encodeFunctionData, type Hex, numberToHex } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import {
  EmbeddedChain,
  type EmbeddedChainError,
  type EmbeddedChain as EmbeddedChainType
} from "../../../packages/daemon/src/devchain/EmbeddedChain.ts"
import { commitAbi } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { COMMIT_CONTRACT_ADDRESS } from "../../../packages/daemon/src/evm/LocalNetwork.ts"

export const CHAIN_ID = 7_053_001
export const GWEI = 1_000_000_000n
export const TOKEN = 10n ** 18n
export const ASSET_CID = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"

/** A new folder that goes with the scope; answers the path of a chain file in it. */
export const temporaryFile: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "treemark-chain-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
).pipe(Effect.map((folder) => join(folder, "chain.db")))

export const openChain = (
  path: string,
  chainId = CHAIN_ID
): Effect.Effect<EmbeddedChainType, EmbeddedChainError, Scope.Scope> => EmbeddedChain.open({ path, chainId })

export const rpc = <A = string>(
  chain: Pick<EmbeddedChainType, "request">,
  method: string,
  ...params: ReadonlyArray<unknown>
): Promise<A> => chain.request({ method, params }) as Promise<A>

/** What a caller from outside is answered, parsed. */
export const outside = async (
  chain: EmbeddedChainType,
  body: unknown,
  caller = "127.0.0.1",
  signal = new AbortController().signal
): Promise<unknown> => {
  const text = await chain.handleJsonRpc(body, { caller, signal })
  return text === undefined ? undefined : JSON.parse(text)
}

export interface Receipt {
  readonly transactionHash: Hex
  readonly blockHash: Hex
  readonly blockNumber: Hex
  readonly status: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly contractAddress: Hex | null
  readonly logs: ReadonlyArray<{ readonly address: Hex; readonly topics: ReadonlyArray<Hex>; readonly data: Hex }>
}

/** Waits until the transaction is in a block. */
export const receiptOf = async (chain: EmbeddedChainType, hash: string): Promise<Receipt> => {
  for (let attempt = 0; attempt < 500; attempt++) {
    const receipt = await rpc<Receipt | null>(chain, "eth_getTransactionReceipt", hash)
    if (receipt !== null) return receipt
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 20)
      const off = chain.onBlock(() => {
        clearTimeout(timer)
        off()
        resolve()
      })
    })
  }
  throw new Error(`no receipt of ${hash}`)
}

/** A new account that owns `wei` on the chain. */
export const fundedAccount = async (chain: EmbeddedChainType, wei = 100n * TOKEN): Promise<PrivateKeyAccount> => {
  const account = privateKeyToAccount(generatePrivateKey())
  await receiptOf(chain, await rpc(chain, "treemark_fund", account.address, numberToHex(wei)))
  return account
}

/** Call data of a commit of `size` bytes of data to `cid`. */
export const commitCall = (cid = ASSET_CID, size = 600): Hex =>
  encodeFunctionData({ abi: commitAbi, functionName: "commit", args: [cid, "x".repeat(size)] })

export interface Sending {
  readonly nonce: number
  readonly to?: Address | null
  readonly data?: Hex
  readonly value?: bigint
  readonly gas?: bigint
  readonly fee?: bigint
  readonly tip?: bigint
  readonly chainId?: number
}

/** A signed EIP-1559 transaction; a commit at 100 gwei unless said otherwise. */
export const sign = (account: PrivateKeyAccount, sending: Sending): Promise<Hex> => {
  const { chainId = CHAIN_ID, fee = 100n * GWEI, gas = 60_000n, nonce, tip = 0n, value = 0n } = sending
  const to = sending.to === undefined ? COMMIT_CONTRACT_ADDRESS : sending.to
  const data = sending.data ?? (sending.to === undefined ? commitCall() : "0x")
  const fees = { maxFeePerGas: fee, maxPriorityFeePerGas: tip }
  return account.signTransaction({ type: "eip1559", chainId, nonce, to, data, value, gas, ...fees })
}

/** Signs, sends, and waits for the receipt. */
export const send = async (chain: EmbeddedChainType, account: PrivateKeyAccount, sending: Sending): Promise<Receipt> =>
  receiptOf(chain, await rpc(chain, "eth_sendRawTransaction", await sign(account, sending)))

/** viem's reader over the chain's EIP-1193 provider. */
export const viemClient = (chain: EmbeddedChainType) =>
  createPublicClient({ transport: custom({ request: (call) => chain.request(call) }), pollingInterval: 20 })

/** Runs a test body on an open chain in a folder of its own. */
export const onChain = (body: (chain: EmbeddedChainType, path: string) => Promise<void>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const chain = yield* openChain(path)
      yield* Effect.promise(() => body(chain, path))
    })
  )

export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: Hex
}

/** The error a call is refused with; fails the test when it is answered. */
export const failureOf = (call: Promise<unknown>): Promise<RpcFailure> =>
  call.then(
    (answer) => {
      throw new Error(`expected a refusal, got ${JSON.stringify(answer)}`)
    },
    (error: RpcFailure) => error
  )
