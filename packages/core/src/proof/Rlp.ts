/**
 * Recursive Length Prefix, the encoding of Ethereum's headers, receipts and trie nodes (Yellow Paper, appendix B;
 * https://ethereum.org/developers/docs/data-structures-and-encoding/rlp/). Decoding is strict: one spelling for each value, no
 * bytes left over, lists nested at most 16 deep.
 */
import { concatBytes } from "@noble/hashes/utils.js"

/** A byte string, or a list of items. */
export type RlpItem = Uint8Array | ReadonlyArray<RlpItem>

const MAX_DEPTH = 16
/** Longest length a prefix may spell: 6 bytes keep it an exact number, and no input comes near. */
const MAX_LENGTH_BYTES = 6

/** The one item that `bytes` hold; `undefined` when they are not canonical RLP, hold more, or nest too deep. */
export const decodeRlp = (bytes: Uint8Array): RlpItem | undefined => {
  const read = itemAt(bytes, 0, bytes.length, 0)
  return read !== undefined && read.end === bytes.length ? read.item : undefined
}

/** The RLP of an item. */
export const encodeRlp = (item: RlpItem): Uint8Array => {
  if (item instanceof Uint8Array) {
    return item.length === 1 && item[0]! < 0x80 ? item : concatBytes(prefixOf(0x80, item.length), item)
  }
  const payload = concatBytes(...item.map(encodeRlp))
  return concatBytes(prefixOf(0xc0, payload.length), payload)
}

/** A whole number as RLP wants its bytes: big-endian, no leading zero, nothing for 0. */
export const rlpInteger = (value: bigint | number): Uint8Array => {
  const bytes: Array<number> = []
  for (let rest = BigInt(value); rest > 0n; rest >>= 8n) bytes.unshift(Number(rest & 0xffn))
  return Uint8Array.from(bytes)
}

/** The number in the bytes of an integer item; `undefined` with a leading zero or over 2^53 - 1. */
export const integerOf = (item: RlpItem | undefined): number | undefined => {
  if (!(item instanceof Uint8Array) || item.length > 7 || item[0] === 0) return undefined
  const value = item.reduce((sum, byte) => sum * 256 + byte, 0)
  return Number.isSafeInteger(value) ? value : undefined
}

interface Read {
  readonly item: RlpItem
  readonly end: number
}

interface Span {
  readonly start: number
  readonly end: number
}

const itemAt = (bytes: Uint8Array, at: number, limit: number, depth: number): Read | undefined => {
  const first = bytes[at]
  if (first === undefined || at >= limit) return undefined
  if (first < 0x80) return { item: bytes.subarray(at, at + 1), end: at + 1 }
  const span = spanAt(bytes, at, limit, first < 0xc0 ? 0x80 : 0xc0)
  if (span === undefined) return undefined
  if (first >= 0xc0) return depth === MAX_DEPTH ? undefined : listIn(bytes, span, depth + 1)
  const item = bytes.subarray(span.start, span.end)
  return item.length === 1 && item[0]! < 0x80 ? undefined : { item, end: span.end }
}

const listIn = (bytes: Uint8Array, { start, end }: Span, depth: number): Read | undefined => {
  const items: Array<RlpItem> = []
  for (let at = start; at < end; ) {
    const read = itemAt(bytes, at, end, depth)
    if (read === undefined) return undefined
    items.push(read.item)
    at = read.end
  }
  return { item: items, end }
}

/** Where the payload of the item at `at` lies; `base` is 0x80 for strings, 0xc0 for lists. */
const spanAt = (bytes: Uint8Array, at: number, limit: number, base: number): Span | undefined => {
  const short = bytes[at]! - base
  const lengthBytes = Math.max(0, short - 55)
  if (lengthBytes > MAX_LENGTH_BYTES) return undefined
  const start = at + 1 + lengthBytes
  if (start > limit) return undefined
  const length = lengthBytes === 0 ? short : bytes.subarray(at + 1, start).reduce((sum, byte) => sum * 256 + byte, 0)
  const isCanonical = lengthBytes === 0 || (bytes[at + 1] !== 0 && length > 55)
  return isCanonical && length <= limit - start ? { start, end: start + length } : undefined
}

const prefixOf = (base: number, length: number): Uint8Array => {
  if (length <= 55) return Uint8Array.of(base + length)
  const spelled = rlpInteger(length)
  return Uint8Array.of(base + 55 + spelled.length, ...spelled)
}
