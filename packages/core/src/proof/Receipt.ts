/**
 * A consensus receipt as it stands in a block's receipts trie: RLP of [status or root, cumulative gas, bloom, logs], behind one byte
 * of type for typed transactions (EIP-2718, https://eips.ethereum.org/EIPS/eip-2718). Types after 4 may carry further items.
 */
import { decodeRlp, type RlpItem } from "./Rlp.ts"

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

/** The logs of the receipt in `raw`, in order; `undefined` when it is not a receipt. */
export const readLogs = (raw: Uint8Array): ReadonlyArray<Log> | undefined => {
  const first = raw[0]
  if (first === undefined || first === 0 || (first > LAST_TYPE && first < FIRST_LIST_BYTE)) return undefined
  const isTyped = first <= LAST_TYPE
  const items = decodeRlp(isTyped ? raw.subarray(1) : raw)
  if (items === undefined || items instanceof Uint8Array || items.length < ITEMS) return undefined
  if (items.length > ITEMS && (!isTyped || first <= LAST_PLAIN_TYPE)) return undefined
  const logs = items[3]
  if (logs === undefined || logs instanceof Uint8Array) return undefined
  const read = logs.map(logOf).filter((log) => log !== undefined)
  return read.length === logs.length ? read : undefined
}

const logOf = (item: RlpItem): Log | undefined => {
  if (item instanceof Uint8Array || item.length !== 3) return undefined
  const [address, topics, data] = item
  if (!(address instanceof Uint8Array) || address.length !== 20 || !(data instanceof Uint8Array)) return undefined
  if (topics === undefined || topics instanceof Uint8Array || topics.length > 4) return undefined
  const hashes = topics.filter((topic) => topic instanceof Uint8Array).filter(({ length }) => length === 32)
  return hashes.length === topics.length ? { address, topics: hashes, data } : undefined
}
