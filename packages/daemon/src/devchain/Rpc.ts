/**
 * The JSON-RPC methods that read an embedded chain, one line each where possible; both threads answer them, each from its own connection.
 * https://ethereum.github.io/execution-apis/
 */
import { createAddressFromString } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"
import type { CallMachine } from "./CallMachine.ts"
import { call, estimateGas, messageOf } from "./Calls.ts"
import { BASE_FEE_PER_GAS } from "./ChainConfig.ts"
import { feeHistory, percentilesOf } from "./Fees.ts"
import { data, quantity } from "./Hex.ts"
import {
  blockJson,
  type ChainView,
  findBlock,
  headerAt,
  logsJson,
  minedJson,
  placedJson,
  proofJson,
  receiptJson,
  receiptsOf,
  stateOf
} from "./Reads.ts"
import { invalidParams, methodNotFound } from "./RpcError.ts"
import type { Params } from "./RpcParams.ts"
import * as RpcParams from "./RpcParams.ts"

const CLIENT_VERSION = "treemark/v0.1.0/embedded"

export type Method = (params: Params) => unknown

export type Methods = Readonly<Record<string, Method>>

/** The methods over `view` by name; calls run on `machine`. */
export const readMethods = (view: ChainView, machine: CallMachine): Methods => {
  const { common, store } = view.ground
  const accountOf = (params: Params) => createAddressFromString(RpcParams.address(params, 0))
  const byNumber = (params: Params) => findBlock(view, RpcParams.blockRef(params[0], 0))
  const byHash = (params: Params) => store.blockByHash(RpcParams.hash(params, 0))
  const countIn = (find: typeof byNumber) => (params: Params) => {
    const block = find(params)
    return block === undefined ? null : quantity(store.transactionsOf(block.number).length)
  }
  const unclesIn = (find: typeof byNumber) => (params: Params) => (find(params) === undefined ? null : "0x0")
  return {
    web3_clientVersion: () => CLIENT_VERSION,
    web3_sha3: (p) => data(keccak_256(RpcParams.bytesOf(p, 0))),
    net_version: () => common.chainId().toString(),
    net_listening: () => true,
    net_peerCount: () => "0x0",
    eth_chainId: () => quantity(common.chainId()),
    eth_blockNumber: () => quantity(view.head.number),
    eth_syncing: () => false,
    eth_accounts: () => [],
    eth_gasPrice: () => quantity(BASE_FEE_PER_GAS),
    eth_maxPriorityFeePerGas: () => "0x0",
    eth_feeHistory: (p) => {
      const newest = Number(headerAt(view, p, 1).number)
      return feeHistory(view, RpcParams.quantityOf(p, 0), newest, percentilesOf(p[2]))
    },
    eth_getBalance: async (p) => quantity((await stateOf(view, p, 1).getAccount(accountOf(p)))?.balance ?? 0n),
    eth_getCode: async (p) => data(await stateOf(view, p, 1).getCode(accountOf(p))),
    eth_getStorageAt: async (p) => {
      const value = await stateOf(view, p, 2).getStorage(accountOf(p), RpcParams.slot(p, 1))
      return `0x${data(value).slice(2).padStart(64, "0")}`
    },
    eth_getProof: (p) => proofJson(view, p),
    eth_getTransactionCount: async (p) => quantity((await stateOf(view, p, 1).getAccount(accountOf(p)))?.nonce ?? 0n),
    eth_call: (p) => call(machine, headerAt(view, p, 1), messageOf(p)),
    eth_estimateGas: async (p) => quantity(await estimateGas(machine, headerAt(view, p, 1), messageOf(p))),
    eth_getTransactionByHash: (p) => minedJson(view, RpcParams.hash(p, 0)) ?? null,
    eth_getTransactionByBlockHashAndIndex: (p) => placedJson(view, byHash(p), RpcParams.quantityOf(p, 1)),
    eth_getTransactionByBlockNumberAndIndex: (p) => placedJson(view, byNumber(p), RpcParams.quantityOf(p, 1)),
    eth_getTransactionReceipt: (p) => receiptJson(view, RpcParams.hash(p, 0)),
    eth_getBlockByNumber: (p) => blockJson(view, byNumber(p), RpcParams.flag(p, 1)),
    eth_getBlockByHash: (p) => blockJson(view, byHash(p), RpcParams.flag(p, 1)),
    eth_getBlockTransactionCountByNumber: countIn(byNumber),
    eth_getBlockTransactionCountByHash: countIn(byHash),
    eth_getUncleCountByBlockNumber: unclesIn(byNumber),
    eth_getUncleCountByBlockHash: unclesIn(byHash),
    eth_getUncleByBlockNumberAndIndex: () => null,
    eth_getUncleByBlockHashAndIndex: () => null,
    eth_getBlockReceipts: (p) => receiptsOf(view, byNumber(p)),
    eth_getLogs: (p) => logsJson(view, RpcParams.object(p, 0)),
    debug_getRawHeader: (p) => data(headerAt(view, p, 0).serialize()),
    debug_getRawReceipts: (p) => store.transactionsOf(Number(headerAt(view, p, 0).number)).map((tx) => data(tx.receipt))
  }
}

/** Answers one call, or throws an `RpcError`. */
export const answer = async (methods: Methods, method: string, params: unknown): Promise<unknown> => {
  const known = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (known === undefined) throw methodNotFound(method)
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw invalidParams("non-array args: want positional parameters in an array")
  }
  return known(params ?? [])
}
