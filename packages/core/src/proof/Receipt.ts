/**
 * A consensus receipt as it stands in a block's receipts trie: RLP of [status or root, cumulative gas, bloom, logs], behind one byte
 * of type for typed transactions (EIP-2718, https://eips.ethereum.org/EIPS/eip-2718). Types after 4 may carry further items.
 */
import { itemsOf, payloadOf, type RlpSpan, rlpAt, wholeRlp } from "./Rlp.ts"

export interface Log {
  /** 20 bytes: the contract that wrote it. */
  readonly address: Uint8Array
  /** At most 4, of 32 bytes each. */
  readonly topics: ReadonlyArray<Uint8Array>
  readonly data: Uint8Array
}

const FIRST_LIST_BYTE = 0xc0
const LAST_TYPE = 0x7f
const LAST_PLAIN_TYPE = 4
const ITEMS = 4
/** Items that later types of transactions may add to a receipt. */
const MOST_ITEMS = 16
const MOST_TOPICS = 4

/** How many logs the receipt in `raw` has, and the one at `position` where there is one; `undefined` when it is not a receipt. */
export const readLog = (
  raw: Uint8Array,
  position: number
): { readonly count: number; readonly log: Log | undefined } | undefined => {
  const logs = logsIn(raw)
  if (logs === undefined) return undefined
  let [count, found]: [number, Log | undefined] = [0, undefined]
  for (let at = logs.span.from; at < logs.span.end; count++) {
    const item = rlpAt(logs.body, at, logs.span.end)
    const log = item && logAt(logs.body, item)
    if (item === undefined || log === undefined) return undefined
    if (count === position) found = log
    at = item.end
  }
  return { count, log: found }
}

/** The list of logs, which nobody has looked into yet. */
const logsIn = (raw: Uint8Array): { readonly body: Uint8Array; readonly span: RlpSpan } | undefined => {
  const first = raw[0]
  if (first === undefined || first === 0 || (first > LAST_TYPE && first < FIRST_LIST_BYTE)) return undefined
  const isTyped = first <= LAST_TYPE
  const body = isTyped ? raw.subarray(1) : raw
  const items = itemsOf(body, wholeRlp(body), isTyped && first > LAST_PLAIN_TYPE ? MOST_ITEMS : ITEMS)
  const span = items?.[ITEMS - 1]
  return span?.isList === true ? { body, span } : undefined
}

const logAt = (body: Uint8Array, item: RlpSpan): Log | undefined => {
  const [address, topics, data] = itemsOf(body, item, 3) ?? []
  if (address === undefined || topics === undefined || data === undefined) return undefined
  if (address.isList || address.end - address.from !== 20 || data.isList) return undefined
  const hashes = itemsOf(body, topics, MOST_TOPICS)
  if (hashes?.every(({ isList, from, end }) => !isList && end - from === 32) !== true) return undefined
  return {
    address: payloadOf(body, address),
    topics: hashes.map((topic) => payloadOf(body, topic)),
    data: payloadOf(body, data)
  }
}
