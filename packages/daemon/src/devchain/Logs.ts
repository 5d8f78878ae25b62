/**
 * eth_getLogs over the log table. A filter on a topic goes through that topic's index, so finding the commits of one
 * asset does not depend on how long the chain is. Answers are bounded; the error says how to ask for less.
 */
import type { ChainStore, LogRow } from "./ChainStore.ts"
import { bytes } from "./Hex.ts"
import { invalidParams, limitExceeded } from "./RpcError.ts"
import type { Params } from "./RpcParams.ts"
import * as RpcParams from "./RpcParams.ts"

const MAX_RESULTS = 10_000
const MAX_CHOICES = 1000

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

/** A found log with the hash of its transaction. */
export type FoundLog = LogRow & { readonly transactionHash: Uint8Array }

type RawRow = Omit<FoundLog, "topics"> & Readonly<Record<"topic0" | "topic1" | "topic2" | "topic3", Uint8Array | null>>

const placeholders = (values: ReadonlyArray<unknown>): string => values.map(() => "?").join(", ")

/** The logs that match, in chain order; throws -32005 when there are more than 10 000. */
export const findLogs = (store: ChainStore, filter: LogFilter): ReadonlyArray<FoundLog> => {
  const hasIndexedTopic = filter.topics.some((choices, position) => position > 0 && choices.length > 0)
  const conditions = ["log.block BETWEEN ? AND ?"]
  const values: Array<Uint8Array | number> = [filter.fromBlock, filter.toBlock]
  if (filter.addresses.length > 0) {
    // The unary plus keeps SQLite off the address index: one contract may have written every log of the chain.
    conditions.push(`${hasIndexedTopic ? "+" : ""}log.address IN (${placeholders(filter.addresses)})`)
    values.push(...filter.addresses)
  }
  for (const [position, choices] of filter.topics.entries()) {
    if (choices.length === 0) conditions.push(`log.topic${position} IS NOT NULL`)
    else conditions.push(`log.topic${position} IN (${placeholders(choices)})`)
    values.push(...choices)
  }
  const rows = store.db
    .prepare(
      `SELECT log.*, tx.hash AS transactionHash FROM log JOIN tx ON tx.block = log.block AND tx.idx = log.tx
       WHERE ${conditions.join(" AND ")} ORDER BY log.block, log.idx LIMIT ${MAX_RESULTS + 1}`
    )
    .all(...values) as unknown as ReadonlyArray<RawRow>
  if (rows.length > MAX_RESULTS) {
    throw limitExceeded(`query returned more than ${MAX_RESULTS} results; ask for fewer blocks or name a topic`)
  }
  return rows.map(({ topic0, topic1, topic2, topic3, ...row }) => ({
    ...row,
    topics: [topic0, topic1, topic2, topic3].filter((topic) => topic !== null)
  }))
}
