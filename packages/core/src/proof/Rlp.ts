/**
 * Recursive Length Prefix, the encoding of Ethereum's headers, receipts and trie nodes (Yellow Paper, appendix B;
 * https://ethereum.org/developers/docs/data-structures-and-encoding/rlp/). Reading is strict: one spelling for each value, no
 * bytes left over, lists nested at most 16 deep.
 *
 * What strangers size is looked at where it lies ({@link rlpAt}, {@link itemsOf}): a length is read before anything is taken apart, and
 * nothing is copied. {@link decodeRlp} takes all apart at once, for what has few items.
 */

/** A byte string, or a list of items. */
export type RlpItem = Uint8Array | ReadonlyArray<RlpItem>

const MAX_DEPTH = 16
/** Longest length a prefix may spell: 6 bytes keep it an exact number, and no input comes near. */
const MAX_LENGTH_BYTES = 6
/** More items than a header has, or a transaction that nodes pass on (128 KiB, whose list of storage keys takes 33 bytes for each). */
const MOST_ITEMS = 16_384

/** Where an item lies in its bytes: `start` is its prefix, `from` its payload (of a single byte, the byte itself). */
export interface RlpSpan {
  readonly isList: boolean
  readonly start: number
  readonly from: number
  readonly end: number
}

/** The one item that `bytes` hold; `undefined` when they are not canonical RLP, hold more, nest too deep, or have over 16,384 items. */
export const decodeRlp = (bytes: Uint8Array): RlpItem | undefined => {
  const span = wholeRlp(bytes)
  return span && decoded(bytes, span, { depth: 0, left: { items: MOST_ITEMS } })
}

/** The item that all of `bytes` are; of a list, only its length has been read. */
export const wholeRlp = (bytes: Uint8Array): RlpSpan | undefined => {
  const span = rlpAt(bytes, 0, bytes.length)
  return span?.end === bytes.length ? span : undefined
}

/** The item whose prefix stands at `at` and which ends at `limit` or before. */
export const rlpAt = (bytes: Uint8Array, at: number, limit: number): RlpSpan | undefined => {
  const first = bytes[at]
  if (first === undefined || at >= limit) return undefined
  if (first < 0x80) return { isList: false, start: at, from: at, end: at + 1 }
  const isList = first >= 0xc0
  const short = first - (isList ? 0xc0 : 0x80)
  const lengthBytes = Math.max(0, short - 55)
  const from = at + 1 + lengthBytes
  if (lengthBytes > MAX_LENGTH_BYTES || from > limit) return undefined
  let length = short
  if (lengthBytes > 0) {
    length = 0
    for (let index = at + 1; index < from; index++) length = length * 256 + bytes[index]!
    if (bytes[at + 1] === 0 || length <= 55) return undefined
  }
  if (length > limit - from || (!isList && length === 1 && bytes[from]! < 0x80)) return undefined
  return { isList, start: at, from, end: from + length }
}

/** The items of a list, at most `most`; `undefined` for a byte string, for more, and where one is not RLP. Lists among them are not looked into. */
export const itemsOf = (
  bytes: Uint8Array,
  list: RlpSpan | undefined,
  most: number
): ReadonlyArray<RlpSpan> | undefined => {
  if (list?.isList !== true) return undefined
  const items: Array<RlpSpan> = []
  for (let at = list.from; at < list.end; ) {
    const item = rlpAt(bytes, at, list.end)
    if (item === undefined || items.length === most) return undefined
    items.push(item)
    at = item.end
  }
  return items
}

/** The bytes of a byte string. */
export const payloadOf = (bytes: Uint8Array, { from, end }: RlpSpan): Uint8Array => bytes.subarray(from, end)

/** The RLP of an item of our own making: it is as deep as it is given. */
export const encodeRlp = (item: RlpItem): Uint8Array => {
  if (item instanceof Uint8Array) {
    return item.length === 1 && item[0]! < 0x80 ? item : joined([prefixOf(0x80, item.length), item])
  }
  const payload = joined(item.map(encodeRlp))
  return joined([prefixOf(0xc0, payload.length), payload])
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

interface Bounds {
  readonly depth: number
  /** What is left for the whole of the bytes. */
  readonly left: { items: number }
}

/** At most {@link MAX_DEPTH} calls deep. */
const decoded = (bytes: Uint8Array, span: RlpSpan, { depth, left }: Bounds): RlpItem | undefined => {
  if (!span.isList) return payloadOf(bytes, span)
  if (depth === MAX_DEPTH) return undefined
  const spans = itemsOf(bytes, span, left.items)
  if (spans === undefined) return undefined
  left.items -= spans.length
  const items: Array<RlpItem> = []
  for (const inner of spans) {
    const item = decoded(bytes, inner, { depth: depth + 1, left })
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}

const prefixOf = (base: number, length: number): Uint8Array => {
  if (length <= 55) return Uint8Array.of(base + length)
  const spelled = rlpInteger(length)
  return Uint8Array.of(base + 55 + spelled.length, ...spelled)
}

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
