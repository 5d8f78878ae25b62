/**
 * What the chain's readers are told, as JSON values: blocks, transactions, receipts, logs and proofs, read from the file alone.
 */
import type { BlockHeader } from "@ethereumjs/block"
import { getMerkleStateProof } from "@ethereumjs/statemanager"
import { createAddressFromString } from "@ethereumjs/util"
import type { CallBudget } from "./CallBudget.ts"
import type { BlockRow } from "./ChainTables.ts"
import { data, quantity } from "./Hex.ts"
import { findLogs, type LogFilter, matchersOf } from "./Logs.ts"
import { invalidParams, refused } from "./RpcError.ts"
import { blockObject, headerOf, logObject, minedTransaction, receiptObject } from "./RpcObjects.ts"
import type { BlockRef, Params } from "./RpcParams.ts"
import * as RpcParams from "./RpcParams.ts"
import { type Ground, stateAt } from "./State.ts"

/** A chain as its readers see it, in either thread. */
export interface ChainView {
  readonly ground: Ground
  /** Header of the last stored block. */
  readonly head: BlockHeader
  /** What the call that runs may take; without one, as much as it needs. */
  readonly budget?: CallBudget
}

const MAX_PROVEN_SLOTS = 100

/** The block that a call is about. */
export const findBlock = (view: ChainView, ref: BlockRef): BlockRow | undefined => {
  const { store } = view.ground
  if (ref.kind === "hash") return store.blockByHash(ref.hash)
  if (ref.kind === "number") return ref.number > view.head.number ? undefined : store.block(Number(ref.number))
  return store.head()
}

/** The header of the block at a place of the parameters; throws where there is none. */
export const headerAt = (view: ChainView, params: Params, index: number): BlockHeader => {
  const ref = RpcParams.blockRef(params[index], index)
  if (ref.kind === "latest" || ref.kind === "pending") return view.head
  const row = findBlock(view, ref)
  if (row === undefined) throw refused("header not found")
  return headerOf(row, view.ground.common)
}

/** The accounts as of that block. */
export const stateOf = (view: ChainView, params: Params, index: number) =>
  stateAt(view.ground, headerAt(view, params, index).stateRoot)

export const blockJson = (view: ChainView, row: BlockRow | undefined, isFull: boolean) => {
  if (row === undefined) return null
  const { common, store } = view.ground
  const transactions = store.transactionsOf(row.number)
  return blockObject(
    row,
    headerOf(row, common),
    transactions.map((tx) => (isFull ? minedTransaction(tx, row.hash, common) : data(tx.hash)))
  )
}

const whereIs = (view: ChainView, row: BlockRow) => ({
  blockHash: row.hash,
  timestamp: headerOf(row, view.ground.common).timestamp
})

/** A mined transaction; `undefined` when no block has it. */
export const minedJson = (view: ChainView, hash: Uint8Array) => {
  const { common, store } = view.ground
  const row = store.tx(hash)
  return row === undefined ? undefined : minedTransaction(row, store.block(row.block)!.hash, common)
}

/** The transaction at a place of a block; null when there is none. */
export const placedJson = (view: ChainView, row: BlockRow | undefined, place: bigint) => {
  if (row === undefined) return null
  const found = view.ground.store.transactionsOf(row.number)[Number(place)]
  return found === undefined ? null : minedTransaction(found, row.hash, view.ground.common)
}

export const receiptJson = (view: ChainView, hash: Uint8Array) => {
  const row = view.ground.store.tx(hash)
  return row === undefined ? null : receiptObject(row, whereIs(view, view.ground.store.block(row.block)!))
}

export const receiptsOf = (view: ChainView, row: BlockRow | undefined) => {
  if (row === undefined) return null
  const where = whereIs(view, row)
  return view.ground.store.transactionsOf(row.number).map((tx) => receiptObject(tx, where))
}

const rangeOf = (
  view: ChainView,
  filter: Readonly<Record<string, unknown>>
): Pick<LogFilter, "fromBlock" | "toBlock"> => {
  const { blockHash, fromBlock, toBlock } = filter
  const head = Number(view.head.number)
  if (blockHash !== undefined && blockHash !== null) {
    if (fromBlock !== undefined || toBlock !== undefined) {
      throw invalidParams("cannot specify both blockHash and fromBlock/toBlock, choose one or the other")
    }
    const row = view.ground.store.blockByHash(RpcParams.hash([blockHash], 0))
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

export const logsJson = (view: ChainView, filter: Readonly<Record<string, unknown>>) => {
  const found = findLogs(view.ground.store, { ...rangeOf(view, filter), ...matchersOf(filter) }, view.budget)
  const places = new Map<number, ReturnType<typeof whereIs>>()
  return found.map(({ index, log, tx }) => {
    view.budget?.check()
    const where = places.get(tx.block) ?? whereIs(view, view.ground.store.block(tx.block)!)
    places.set(tx.block, where)
    return logObject(log, tx, index, where)
  })
}

/** The proof of an account and of slots of it against a block's state root (EIP-1186). */
export const proofJson = async (view: ChainView, params: Params) => {
  const address = createAddressFromString(RpcParams.address(params, 0))
  const keys = params[1] ?? []
  if (!Array.isArray(keys) || keys.length > MAX_PROVEN_SLOTS) {
    throw invalidParams(`invalid argument 1: want an array of at most ${MAX_PROVEN_SLOTS} storage slots`)
  }
  const slots = keys.map((key: unknown) => RpcParams.slot([key], 0))
  const { storageProof, ...proof } = await getMerkleStateProof(stateOf(view, params, 2), address, slots)
  return {
    ...proof,
    storageProof: slots.map((slot, index) => {
      const proven = storageProof[index]
      return { key: data(slot), value: quantity(BigInt(proven?.value ?? "0x0")), proof: proven?.proof ?? [] }
    })
  }
}
