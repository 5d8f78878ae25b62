/**
 * The JSON-RPC methods of an embedded chain, one line each where possible. `treemark_fund` and `treemark_backup` are private to the
 * daemon's own process: the HTTP endpoint refuses every `treemark_` method before it gets here.
 * https://ethereum.github.io/execution-apis/
 */
import type { BlockHeader } from "@ethereumjs/block"
import { createAddressFromString } from "@ethereumjs/util"
import { call, estimateGas, messageOf } from "./Calls.ts"
import type { Chain } from "./Chain.ts"
import { BASE_FEE_PER_GAS } from "./ChainConfig.ts"
import type { BlockRow } from "./ChainStore.ts"
import { feeHistory, percentilesOf } from "./Fees.ts"
import { data, quantity } from "./Hex.ts"
import { findLogs, type LogFilter, matchersOf } from "./Logs.ts"
import { invalidParams, methodNotFound, refused } from "./RpcError.ts"
import { blockObject, headerOf, logObject, minedTransaction, receiptObject, transactionObject } from "./RpcObjects.ts"
import type { BlockRef, Params } from "./RpcParams.ts"
import * as RpcParams from "./RpcParams.ts"
import { CallMachine, stateAt } from "./State.ts"

const CLIENT_VERSION = "treemark/v0.1.0/embedded"

type Method = (params: Params) => unknown

const findBlock = (chain: Chain, ref: BlockRef): BlockRow | undefined => {
  const { store } = chain.ground
  if (ref.kind === "hash") return store.blockByHash(ref.hash)
  if (ref.kind === "number") return ref.number > chain.head.number ? undefined : store.block(Number(ref.number))
  return store.head()
}

const headerAt = (chain: Chain, params: Params, index: number): BlockHeader => {
  const ref = RpcParams.blockRef(params[index], index)
  if (ref.kind === "latest" || ref.kind === "pending") return chain.head
  const row = findBlock(chain, ref)
  if (row === undefined) throw refused("header not found")
  return headerOf(row, chain.ground.common)
}

const stateOf = (chain: Chain, params: Params, index: number) =>
  stateAt(chain.ground, headerAt(chain, params, index).stateRoot)

const blockJson = (chain: Chain, row: BlockRow | undefined, isFull: boolean) => {
  if (row === undefined) return null
  const { common, store } = chain.ground
  const transactions = store.transactionsOf(row.number)
  return blockObject(
    row,
    headerOf(row, common),
    transactions.map((tx) => (isFull ? minedTransaction(tx, row.hash, common) : data(tx.hash)))
  )
}

const whereIs = (chain: Chain, row: BlockRow) => ({
  blockHash: row.hash,
  timestamp: headerOf(row, chain.ground.common).timestamp
})

const transactionJson = (chain: Chain, hash: Uint8Array) => {
  const { common, store } = chain.ground
  const row = store.tx(hash)
  if (row !== undefined) return minedTransaction(row, store.block(row.block)!.hash, common)
  const waiting = chain.mempool.get(data(hash))
  return waiting === undefined ? null : transactionObject(waiting.tx, waiting.sender)
}

const receiptJson = (chain: Chain, hash: Uint8Array) => {
  const row = chain.ground.store.tx(hash)
  return row === undefined ? null : receiptObject(row, whereIs(chain, chain.ground.store.block(row.block)!))
}

const receiptsOf = (chain: Chain, row: BlockRow | undefined) => {
  if (row === undefined) return null
  const where = whereIs(chain, row)
  return chain.ground.store.transactionsOf(row.number).map((tx) => receiptObject(tx, where))
}

const rangeOf = (chain: Chain, filter: Readonly<Record<string, unknown>>): Pick<LogFilter, "fromBlock" | "toBlock"> => {
  const { blockHash, fromBlock, toBlock } = filter
  const head = Number(chain.head.number)
  if (blockHash !== undefined && blockHash !== null) {
    if (fromBlock !== undefined || toBlock !== undefined) {
      throw invalidParams("cannot specify both blockHash and fromBlock/toBlock, choose one or the other")
    }
    const row = chain.ground.store.blockByHash(RpcParams.hash([blockHash], 0))
    if (row === undefined) throw refused("unknown block")
    return { fromBlock: row.number, toBlock: row.number }
  }
  const numberOf = (value: unknown): number => {
    const ref = RpcParams.blockRef(value, 0)
    if (ref.kind === "hash") throw invalidParams("fromBlock and toBlock: want block numbers or tags, not hashes")
    return ref.kind === "number" ? Number(ref.number) : head
  }
  const range = { fromBlock: numberOf(fromBlock), toBlock: numberOf(toBlock) }
  if (range.fromBlock > range.toBlock) throw refused("invalid block range params")
  return { fromBlock: range.fromBlock, toBlock: Math.min(range.toBlock, head) }
}

const logsJson = (chain: Chain, filter: Readonly<Record<string, unknown>>) => {
  const found = findLogs(chain.ground.store, { ...rangeOf(chain, filter), ...matchersOf(filter) })
  const places = new Map<number, ReturnType<typeof whereIs>>()
  return found.map((log) => {
    const where = places.get(log.block) ?? whereIs(chain, chain.ground.store.block(log.block)!)
    places.set(log.block, where)
    return logObject(log, log.transactionHash, where)
  })
}

const transactionCount = async (chain: Chain, params: Params): Promise<bigint> => {
  const address = RpcParams.address(params, 0)
  if (RpcParams.blockRef(params[1], 1).kind === "pending") return chain.pendingNonce(address)
  return (await stateOf(chain, params, 1).getAccount(createAddressFromString(address)))?.nonce ?? 0n
}

/** The methods of `chain` by name. */
export const methodsOf = (chain: Chain): Readonly<Record<string, Method>> => {
  const { common, store } = chain.ground
  const machine = new CallMachine(chain.ground)
  const accountOf = (params: Params) => createAddressFromString(RpcParams.address(params, 0))
  return {
    web3_clientVersion: () => CLIENT_VERSION,
    net_version: () => common.chainId().toString(),
    eth_chainId: () => quantity(common.chainId()),
    eth_blockNumber: () => quantity(chain.head.number),
    eth_syncing: () => false,
    eth_accounts: () => [],
    eth_gasPrice: () => quantity(BASE_FEE_PER_GAS),
    eth_maxPriorityFeePerGas: () => "0x0",
    eth_feeHistory: (p) => {
      const newest = Number(headerAt(chain, p, 1).number)
      return feeHistory(store, common, RpcParams.quantityOf(p, 0), newest, percentilesOf(p[2]))
    },
    eth_getBalance: async (p) => quantity((await stateOf(chain, p, 1).getAccount(accountOf(p)))?.balance ?? 0n),
    eth_getCode: async (p) => data(await stateOf(chain, p, 1).getCode(accountOf(p))),
    eth_getStorageAt: async (p) => {
      const value = await stateOf(chain, p, 2).getStorage(accountOf(p), RpcParams.slot(p, 1))
      return `0x${data(value).slice(2).padStart(64, "0")}`
    },
    eth_getTransactionCount: async (p) => quantity(await transactionCount(chain, p)),
    eth_call: (p) => call(machine, headerAt(chain, p, 1), messageOf(RpcParams.object(p, 0))),
    eth_estimateGas: async (p) =>
      quantity(await estimateGas(machine, headerAt(chain, p, 1), messageOf(RpcParams.object(p, 0)))),
    eth_sendRawTransaction: (p) => chain.submit(RpcParams.bytesOf(p, 0)),
    eth_getTransactionByHash: (p) => transactionJson(chain, RpcParams.hash(p, 0)),
    eth_getTransactionReceipt: (p) => receiptJson(chain, RpcParams.hash(p, 0)),
    eth_getBlockByNumber: (p) => blockJson(chain, findBlock(chain, RpcParams.blockRef(p[0], 0)), RpcParams.flag(p, 1)),
    eth_getBlockByHash: (p) => blockJson(chain, store.blockByHash(RpcParams.hash(p, 0)), RpcParams.flag(p, 1)),
    eth_getBlockReceipts: (p) => receiptsOf(chain, findBlock(chain, RpcParams.blockRef(p[0], 0))),
    eth_getLogs: (p) => logsJson(chain, RpcParams.object(p, 0)),
    debug_getRawHeader: (p) => data(headerAt(chain, p, 0).serialize()),
    debug_getRawReceipts: (p) =>
      store.transactionsOf(Number(headerAt(chain, p, 0).number)).map((tx) => data(tx.receipt)),
    treemark_fund: (p) => chain.fund(RpcParams.address(p, 0), RpcParams.quantityOf(p, 1)),
    treemark_backup: (p) => store.copyTo(String(p[0]))
  }
}

/** Answers one call, or throws an `RpcError`. */
export const answer = async (
  methods: Readonly<Record<string, Method>>,
  method: string,
  params: unknown
): Promise<unknown> => {
  const known = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (known === undefined) throw methodNotFound(method)
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw invalidParams("non-array args: want positional parameters in an array")
  }
  return known(params ?? [])
}
