/**
 * The protobuf in the Data field of a dag-pb node (https://specs.ipfs.tech/unixfs/, message Data): field 1 type, 2 the node's own
 * bytes, 3 size of the file, 4 (repeated) size of the file under each link. Sizes are varints up to 2^53−1 here.
 *
 * Written here because ipfs-unixfs 13.1.1 (over protons-runtime 7.1.2) takes sizes from 2^31 to 2^32−1 for negative: it writes too
 * few of their bytes and leaves uninitialised memory behind, so that the root of any file of 2 to 4 GiB is another each time.
 */

const RAW = 0
const FILE = 2
const SHARD = 5

/** What a node says of its part of a file. */
export interface UnixfsNode {
  /** Bytes that stand in the node itself; they come before those of its links. */
  readonly data: Uint8Array
  /** Bytes of the file under each link, in the order of the links. */
  readonly blockSizes: ReadonlyArray<number>
}

/** The Data field of a file node that has links only. */
export const encodeUnixfs = (blockSizes: ReadonlyArray<number>): Uint8Array => {
  const total = blockSizes.reduce((sum, size) => sum + size, 0)
  return Uint8Array.from([
    ...[0x08, FILE],
    ...[0x18, ...varint(total)],
    ...blockSizes.flatMap((size) => [0x20, ...varint(size)])
  ])
}

/** Seven bits a byte, low ones first. Divided, not shifted: shifts know 32 bits only. */
const varint = (value: number): ReadonlyArray<number> => {
  const bytes: Array<number> = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80)
  bytes.push(rest)
  return bytes
}

/** Reads a Data field; `undefined` when it is not one, or not that of a file. */
export const decodeUnixfs = (bytes: Uint8Array): UnixfsNode | undefined => {
  const { blockSizes, data, type } = readData(bytes) ?? { blockSizes: [], data: bytes, type: undefined }
  const isFile = (type === FILE || type === RAW) && blockSizes.every(Number.isSafeInteger)
  return isFile ? { data, blockSizes } : undefined
}

/** Whether a Data field is that of a part of a folder in shards (HAMT). */
export const isShard = (bytes: Uint8Array): boolean => readData(bytes)?.type === SHARD

/** The fields, whatever their node is; `undefined` when these are none. */
const readData = (bytes: Uint8Array): (UnixfsNode & { readonly type: number | undefined }) | undefined => {
  let position = 0
  let type: number | undefined
  let data = new Uint8Array()
  const blockSizes: Array<number> = []

  const next = (): number => {
    let value = 0
    for (let weight = 1; position < bytes.length && weight <= Number.MAX_SAFE_INTEGER; weight *= 0x80) {
      const byte = bytes[position++]!
      value += (byte % 0x80) * weight
      if (byte < 0x80) return Number.isSafeInteger(value) ? value : Number.NaN
    }
    return Number.NaN
  }

  while (position < bytes.length) {
    const tag = next()
    const field = Math.floor(tag / 8)
    const value = next()
    if (Number.isNaN(tag) || Number.isNaN(value)) return undefined
    if (tag % 8 === 0) {
      if (field === 1) type = value
      if (field === 4) blockSizes.push(value)
    } else if (tag % 8 === 2) {
      const end = position + value
      if (end > bytes.length) return undefined
      if (field === 2) data = bytes.slice(position, end)
      if (field === 4) while (position < end) blockSizes.push(next())
      position = end
    } else return undefined
  }
  return { data, blockSizes, type }
}
