/**
 * eth_getLogs: the marks say in which transactions to look, and their receipts have the logs. What leaves least is looked up first, so
 * finding the commits of one asset does not depend on how long the chain is. Answers are bounded; the error says how to ask for less.
 */
import type { CallBudget } from "./CallBudget.ts"
import type { ChainStore } from "./ChainStore.ts"
import type { TxRow } from "./ChainTables.ts"
import { bytes } from "./Hex.ts"
import { KINDS, markOf } from "./Marks.ts"
import { type ReceiptLog, receiptOf } from "./Receipts.ts"
import { invalidParams, limitExceeded } from "./RpcError.ts"
import type { Params } from "./RpcParams.ts"
import * as RpcParams from "./RpcParams.ts"

const MAX_RESULTS = 10_000
const MAX_CHOICES = 1000

/** Places that one statement looks through: between two of them a call can be broken off. */
const PLACES_AT_ONCE = 4_096

/** Which logs are asked for; an empty list of choices matches anything. */
export interface LogFilter {
  readonly fromBlock: number
  readonly toBlock: number
  readonly addresses: ReadonlyArray<Uint8Array>
  /** Per position the accepted topics. */
  readonly topics: ReadonlyArray<ReadonlyArray<Uint8Array>>
}

const listOf = <A>(value: unknown, read: (params: Params, index: number) => A): ReadonlyArray<A> => {
  if (value === undefined || value === null) return []
  const items = Array.isArray(value) ? value : [value]
  if (items.length > MAX_CHOICES)
    throw invalidParams(`too many values to match: ${items.length}, want at most ${MAX_CHOICES}`)
  return items.map((item) => read([item], 0))
}

/** Reads `address` and `topics` of a filter object. */
export const matchersOf = (filter: Readonly<Record<string, unknown>>): Pick<LogFilter, "addresses" | "topics"> => {
  const topics = filter.topics ?? []
  if (!Array.isArray(topics)) throw invalidParams("topics: want an array of topics, nulls and arrays of topics")
  if (topics.length > 4) throw invalidParams(`exceed max topics: ${topics.length}, want at most 4`)
  return {
    addresses: listOf(filter.address, RpcParams.address).map(bytes),
    topics: topics.map((topic) => listOf(topic, RpcParams.hash))
  }
}

/** A found log: the `index`-th of its transaction. */
export interface FoundLog {
  readonly log: ReceiptLog
  readonly tx: TxRow
  readonly index: number
}

const isAmong = (value: Uint8Array | undefined, choices: ReadonlyArray<Uint8Array>): boolean =>
  value !== undefined && (choices.length === 0 || choices.some((choice) => Buffer.compare(choice, value) === 0))

const matches = ({ address, topics }: ReceiptLog, filter: LogFilter): boolean =>
  isAmong(address, filter.addresses) && filter.topics.every((choices, position) => isAmong(topics[position], choices))

const conditionsOf = ({ addresses, topics }: LogFilter): ReadonlyArray<ReadonlyArray<number>> =>
  [
    addresses.map((address) => markOf(KINDS.address, address)),
    ...topics.map((choices, position) => choices.map((topic) => markOf(KINDS.topic + position, topic)))
  ].filter((marks) => marks.length > 0)

/** The logs that match, in chain order; throws -32005 when there are more than 10 000, or when the call takes too long. */
export const findLogs = (store: ChainStore, filter: LogFilter, budget?: CallBudget): ReadonlyArray<FoundLog> => {
  const [first, last] = store.placesOf(filter.fromBlock, filter.toBlock)
  const placesIn = store.marks.finder(conditionsOf(filter), first, last)
  const found: Array<FoundLog> = []
  for (let from = first; from <= last; from += PLACES_AT_ONCE) {
    budget?.check()
    for (const place of placesIn(from, Math.min(last, from + PLACES_AT_ONCE - 1))) {
      budget?.check()
      const tx = store.txAt(place)!
      for (const [index, log] of receiptOf(tx.receipt).logs.entries()) {
        if (matches(log, filter)) found.push({ log, tx, index })
      }
      if (found.length > MAX_RESULTS) {
        throw limitExceeded(`query returned more than ${MAX_RESULTS} results; ask for fewer blocks or name a topic`)
      }
    }
  }
  return found
}
