/**
 * Reads the positional parameters of a JSON-RPC call. Every reader throws -32602 with the argument's position, what was
 * wrong and what would be right.
 */
import { bytes, type Hex } from "./Hex.ts"
import { invalidParams } from "./RpcError.ts"

export type Params = ReadonlyArray<unknown>

const wrong = (index: number, wanted: string) => invalidParams(`invalid argument ${index}: want ${wanted}`)

const isMissing = (value: unknown): value is undefined | null => value === undefined || value === null

const required = (params: Params, index: number): unknown => {
  const value = params[index]
  if (isMissing(value)) throw invalidParams(`missing value for required argument ${index}`)
  return value
}

const hexOf = (value: unknown, pattern: RegExp, index: number, wanted: string): Hex => {
  if (typeof value !== "string" || !pattern.test(value)) throw wrong(index, wanted)
  return value.toLowerCase() as Hex
}

const ADDRESS = /^0x[0-9a-f]{40}$/i
const HASH = /^0x[0-9a-f]{64}$/i
const DATA = /^0x(?:[0-9a-f]{2})*$/i
const QUANTITY = /^0x[0-9a-f]{1,64}$/i
const SLOT = /^0x[0-9a-f]{1,64}$/i

/** An address in lower case. */
export const address = (params: Params, index: number): Hex =>
  hexOf(required(params, index), ADDRESS, index, "an address: 0x and 40 hex digits")

/** A 32-byte hash. */
export const hash = (params: Params, index: number): Uint8Array =>
  bytes(hexOf(required(params, index), HASH, index, "a hash: 0x and 64 hex digits"))

/** Bytes of any length. */
export const bytesOf = (params: Params, index: number): Uint8Array =>
  bytes(hexOf(required(params, index), DATA, index, "data: 0x and two hex digits per byte"))

/** A number. */
export const quantityOf = (params: Params, index: number): bigint =>
  BigInt(hexOf(required(params, index), QUANTITY, index, "a quantity: 0x and 1 to 64 hex digits"))

/** A storage slot, 32 bytes. */
export const slot = (params: Params, index: number): Uint8Array =>
  bytes(
    hexOf(required(params, index), SLOT, index, "a storage slot: 0x and up to 64 hex digits").slice(2).padStart(64, "0")
  )

/** A boolean, false when absent. */
export const flag = (params: Params, index: number): boolean => {
  const value = params[index] ?? false
  if (typeof value !== "boolean") throw wrong(index, "true or false")
  return value
}

/** Which block a call is about: a number, a hash, or the newest (`latest`; `pending` asks for what waits, too). */
export type BlockRef =
  | { readonly kind: "number"; readonly number: bigint }
  | { readonly kind: "hash"; readonly hash: Uint8Array }
  | { readonly kind: "latest" }
  | { readonly kind: "pending" }

const TAGS: Readonly<Record<string, BlockRef>> = {
  latest: { kind: "latest" },
  safe: { kind: "latest" },
  finalized: { kind: "latest" },
  pending: { kind: "pending" },
  earliest: { kind: "number", number: 0n }
}

/** A block tag, number, or EIP-1898 object; the newest block when absent. */
export const blockRef = (value: unknown, index: number): BlockRef => {
  if (isMissing(value)) return { kind: "latest" }
  const wanted = "a block number in hex, or latest, pending, safe, finalized, earliest"
  if (typeof value === "object") {
    const { blockHash, blockNumber } = value as { readonly blockHash?: unknown; readonly blockNumber?: unknown }
    if (!isMissing(blockHash))
      return { kind: "hash", hash: bytes(hexOf(blockHash, HASH, index, "a 32-byte blockHash")) }
    if (!isMissing(blockNumber)) return blockRef(blockNumber, index)
    throw wrong(index, wanted)
  }
  const tag = typeof value === "string" && Object.hasOwn(TAGS, value) ? TAGS[value] : undefined
  return tag ?? { kind: "number", number: BigInt(hexOf(value, QUANTITY, index, wanted)) }
}

/** The members of a call or filter object. */
export const object = (params: Params, index: number): Readonly<Record<string, unknown>> => {
  const value = required(params, index)
  if (typeof value !== "object" || Array.isArray(value)) throw wrong(index, "an object")
  return value as Readonly<Record<string, unknown>>
}

/** A member of an object, read as one parameter; `undefined` when absent or null. */
export const member = <A>(
  members: Readonly<Record<string, unknown>>,
  name: string,
  read: (params: Params, index: number) => A
): A | undefined => {
  const value = members[name]
  if (isMissing(value)) return undefined
  try {
    return read([value], 0)
  } catch (error) {
    throw invalidParams(`${name}: ${error instanceof Error ? error.message.replace(/^invalid argument 0: /, "") : ""}`)
  }
}
