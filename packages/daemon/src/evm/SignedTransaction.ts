/**
 * A type-2 transaction (EIP-1559), signed: the bytes to send and their hash, which names it for ever. The signature is
 * deterministic (RFC 6979, low s), so the same fields give the same bytes. Amounts are wei, `raw` and `hash` are `0x` hex.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, type Hex, hexToBytes, toRlp } from "viem"
import type { HdWalletsShape } from "../wallets/HdWallets.ts"
import type { Terms } from "./Fees.ts"

export interface TransactionFields {
  readonly chainId: number
  readonly nonce: number
  readonly to: string
  readonly data: Hex
  readonly value: bigint
  readonly terms: Terms
}

/** EIP-2718: what stands before the fields of a transaction of this type. */
const TYPE = Uint8Array.of(2)

/** A whole number as RLP has it: no leading zero bytes, and none at all for zero. */
const whole = (value: bigint | number): Uint8Array => {
  if (BigInt(value) === 0n) return new Uint8Array()
  const digits = value.toString(16)
  return hexToBytes(`0x${digits.padStart(digits.length + (digits.length % 2), "0")}`)
}

/** `r` or `s` without leading zero bytes. */
const trimmed = (bytes: Uint8Array): Uint8Array => bytes.subarray(bytes.findIndex((byte) => byte !== 0))

const encoded = (fields: ReadonlyArray<Uint8Array | ReadonlyArray<never>>): Uint8Array =>
  Buffer.concat([TYPE, toRlp(fields as ReadonlyArray<Uint8Array>, "bytes")])

/** Signs with the wallet at `index`; the key stays with the wallets. The fields become bytes once, for the digest and for what is sent. */
export const signTransaction = (
  wallets: Pick<HdWalletsShape, "signDigest">,
  index: number,
  { chainId, nonce, to, data, value, terms }: TransactionFields
): { readonly raw: Hex; readonly hash: Hex } => {
  const fields = [
    whole(chainId),
    whole(nonce),
    whole(terms.maxPriorityFeePerGas),
    whole(terms.maxFeePerGas),
    whole(terms.gas),
    hexToBytes(to as Hex),
    whole(value),
    hexToBytes(data),
    []
  ]
  const { r, s, yParity } = wallets.signDigest(index, keccak_256(encoded(fields)))
  const raw = encoded([...fields, whole(yParity), trimmed(r), trimmed(s)])
  return { raw: bytesToHex(raw), hash: bytesToHex(keccak_256(raw)) }
}
