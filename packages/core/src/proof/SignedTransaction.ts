/**
 * A signed transaction as it stands in a block's transactions trie (EIP-2718): what it calls and who sent it. Types: legacy, with and without the
 * chain id of EIP-155; 1 (EIP-2930); 2 (EIP-1559); 3 (EIP-4844, without its blobs); 4 (EIP-7702). What was signed is the same list
 * without the signature, so it is cut out of the bytes and not encoded again, however long its lists are.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js"
import { nobleRecoverKey, type RecoverKey } from "../asset-tree/Signature.ts"
import { addressOfPublicKey } from "../identity/Eip55.ts"
import { encodeRlp, integerOf, itemsOf, payloadOf, type RlpSpan, rlpInteger, wholeRlp } from "./Rlp.ts"

export interface SignedTransaction {
  /** `0x` and 40 lower-case hex digits; undefined for one that makes a contract. */
  readonly to: string | undefined
  /** The EIP-55 address whose key signed it; undefined when no key belongs to the signature. */
  readonly sender: (recoverKey?: RecoverKey) => string | undefined
}

export type TransactionReading =
  | { readonly ok: true; readonly transaction: SignedTransaction }
  /** `unknown_type`: none of the types above, which a newer fork or another kind of chain may have; else not a transaction. */
  | { readonly ok: false; readonly problem: "unknown_type" | "malformed" }

interface Shape {
  /** Items of the whole list; the last three are the signature's. */
  readonly count: number
  /** Place of the address that is called. */
  readonly to: number
}

const LEGACY: Shape = { count: 9, to: 3 }
const TYPES: Readonly<Record<number, Shape>> = {
  1: { count: 11, to: 4 },
  2: { count: 12, to: 5 },
  3: { count: 14, to: 5 },
  4: { count: 13, to: 5 }
}
const FIRST_LIST_BYTE = 0xc0
const LAST_TYPE = 0x7f
const ADDRESS_LENGTH = 20

export const readTransaction = (bytes: Uint8Array): TransactionReading => {
  const first = bytes[0] ?? 0
  const isLegacy = first >= FIRST_LIST_BYTE
  const shape = isLegacy ? LEGACY : TYPES[first]
  if (shape === undefined)
    return { ok: false, problem: first <= LAST_TYPE && bytes.length > 0 ? "unknown_type" : "malformed" }
  const payload = isLegacy ? bytes : bytes.subarray(1)
  const items = itemsOf(payload, wholeRlp(payload), shape.count)
  const to = items?.[shape.to]
  if (items?.length !== shape.count || to === undefined || !isAddressOrNothing(to)) return malformed
  const [v, r, s] = items.slice(-3).map((item) => scalarOf(payload, item))
  if (v === undefined || r === undefined || s === undefined) return malformed
  const signed = payload.subarray(items[0]!.start, items[shape.count - 4]!.end)
  const found = isLegacy ? legacyDigest(signed, v) : typedDigest(first, signed, v)
  if (found === undefined) return malformed
  const called = payloadOf(payload, to)
  return {
    ok: true,
    transaction: {
      to: called.length === 0 ? undefined : `0x${bytesToHex(called)}`,
      sender: (recoverKey = nobleRecoverKey) => senderOf(found, r, s, recoverKey)
    }
  }
}

const malformed: TransactionReading = { ok: false, problem: "malformed" }

const isAddressOrNothing = ({ end, from, isList }: RlpSpan): boolean =>
  !isList && (end === from || end - from === ADDRESS_LENGTH)

/** An integer of at most 32 bytes without a leading zero. */
const scalarOf = (payload: Uint8Array, item: RlpSpan): Uint8Array | undefined => {
  const bytes = payloadOf(payload, item)
  return item.isList || bytes.length > 32 || bytes[0] === 0 ? undefined : bytes
}

interface Signed {
  readonly digest: Uint8Array
  readonly recoveryId: 0 | 1
}

/** `signed`: the items that are signed, one behind the other; a list is these behind their length. */
const typedDigest = (type: number, signed: Uint8Array, v: Uint8Array): Signed | undefined => {
  const parity = integerOf(v)
  if (parity !== 0 && parity !== 1) return undefined
  return { digest: keccak_256(concatBytes(Uint8Array.of(type), listOf(signed))), recoveryId: parity }
}

/** v is 27 or 28, or by EIP-155 twice the chain id and 35 or 36; the chain id is signed, too, then. */
const legacyDigest = (signed: Uint8Array, v: Uint8Array): Signed | undefined => {
  const value = integerOf(v)
  if (value === 27 || value === 28) return { digest: keccak_256(listOf(signed)), recoveryId: value === 27 ? 0 : 1 }
  if (value === undefined || value < 35) return undefined
  const chainId = rlpInteger(Math.floor((value - 35) / 2))
  const withChain = concatBytes(signed, encodeRlp(chainId), Uint8Array.of(0x80, 0x80))
  return { digest: keccak_256(listOf(withChain)), recoveryId: value % 2 === 1 ? 0 : 1 }
}

const listOf = (items: Uint8Array): Uint8Array => concatBytes(listPrefix(items.length), items)

/** The prefix of a list whose items have so many bytes. */
const listPrefix = (length: number): Uint8Array => {
  if (length <= 55) return Uint8Array.of(FIRST_LIST_BYTE + length)
  const digits = rlpInteger(length)
  return concatBytes(Uint8Array.of(FIRST_LIST_BYTE + 55 + digits.length), digits)
}

const senderOf = (
  { digest, recoveryId }: Signed,
  r: Uint8Array,
  s: Uint8Array,
  recoverKey: RecoverKey
): string | undefined => {
  const compact = new Uint8Array(64)
  compact.set(r, 32 - r.length)
  compact.set(s, 64 - s.length)
  if (!isInRange(compact)) return undefined
  try {
    const publicKey = recoverKey(digest, compact, recoveryId)
    return publicKey === undefined ? undefined : addressOfPublicKey(publicKey)
  } catch {
    return undefined
  }
}

const ORDER = secp256k1.Point.CURVE().n

/** Nodes refuse a high s since EIP-2. */
const isInRange = (compact: Uint8Array): boolean => {
  const r = numberOf(compact.subarray(0, 32))
  const s = numberOf(compact.subarray(32))
  return r > 0n && r < ORDER && s > 0n && s <= ORDER >> 1n
}

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${bytesToHex(bytes)}`)
