/**
 * Ethereum addresses as text: `0x` and 40 hex digits, written with the mixed-case checksum of EIP-55
 * (https://eips.ethereum.org/EIPS/eip-55). Pure functions, shared with the offline verifier.
 */

import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { isSameBytes } from "./SameBytes.ts"

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** Whether `text` has the form of an address: `0x` and 40 hex digits in any letter case. The checksum is not looked at. */
export const isAddressText = (text: string): boolean => ADDRESS.test(text)

/**
 * The EIP-55 form of an address given in any letter case.
 *
 * @throws RangeError when `address` is not `0x` and 40 hex digits; callers check untrusted text with {@link isAddressText}.
 */
export const toEip55 = (address: string): string => {
  const met = known.get(address)
  if (met !== undefined) return met
  if (!isAddressText(address)) throw new RangeError("An address is 0x followed by 40 hexadecimal digits.")
  const text = checksummed(address.slice(2).toLowerCase())
  if (known.size === KNOWN_LIMIT) known.clear()
  known.set(address, text)
  return text
}

/** A few addresses occur again and again, and each costs a keccak-256. */
const known = new Map<string, string>()
const KNOWN_LIMIT = 1024

const checksummed = (digits: string): string => {
  const hash = bytesToHex(keccak_256(new TextEncoder().encode(digits)))
  let text = "0x"
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charAt(i)
    text += Number.parseInt(hash.charAt(i), 16) >= 8 ? digit.toUpperCase() : digit
  }
  return text
}

/** The EIP-55 address of an uncompressed secp256k1 public key (65 bytes, first byte 4): the last 20 bytes of its keccak-256. */
export const addressOfPublicKey = (publicKey: Uint8Array): string => {
  const place = placeOf(publicKey)
  const met = knownKeys.get(place)
  if (met !== undefined && isSameBytes(met.publicKey, publicKey)) return met.address
  const address = toEip55(`0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`)
  if (knownKeys.size === KNOWN_LIMIT) knownKeys.clear()
  knownKeys.set(place, { publicKey: publicKey.slice(), address })
  return address
}

const knownKeys = new Map<number, { readonly publicKey: Uint8Array; readonly address: string }>()

/** A few bytes of x tell keys apart; whether it is the same key is then looked at. */
const placeOf = (key: Uint8Array): number => (key[1]! << 24) ^ (key[2]! << 16) ^ (key[3]! << 8) ^ key[4]!
