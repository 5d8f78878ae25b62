/**
 * The signature of an asset tree: EIP-191 personal_sign (https://eips.ethereum.org/EIPS/eip-191, version 0x45) over the 64
 * characters of the checksum as text, no `0x`. Written as 65 bytes r ‖ s ‖ v with v 27/28 and low s.
 * Read: v 0/1/27/28 and the 64-byte form of EIP-2098. High s is refused as malleable, whatever library recovers. Signatures of contract
 * wallets are known by their length and told apart from broken ones; checking them takes their chain.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { addressOfPublicKey } from "../identity/Eip55.ts"

/** Why a signature was refused before any address was compared. */
export type SignatureRefusal =
  | "signature_malformed"
  | "contract_wallet_signature"
  | "signature_recovery_id"
  | "signature_out_of_range"
  | "signature_high_s"
  | "signature_unrecoverable"

/** Whose key signed, or why no key can be found. */
export type Recovery =
  | { readonly ok: true; readonly signer: string }
  | { readonly ok: false; readonly code: SignatureRefusal; readonly message: string }

/**
 * The one thing a recovery backend does: the uncompressed public key (65 bytes, first byte 4) of r ‖ s (64 bytes) and recovery
 * id over a 32-byte digest; `undefined` or an exception when there is none. The policy (forms, ranges, low s) stays here, so that
 * every backend gives the same answers and the same refusals.
 */
export type RecoverKey = (digest: Uint8Array, compact: Uint8Array, recoveryId: 0 | 1) => Uint8Array | undefined

/** The default backend: @noble/curves. */
export const nobleRecoverKey: RecoverKey = (digest, compact, recoveryId) =>
  secp256k1.Signature.fromBytes(compact, "compact").addRecoveryBit(recoveryId).recoverPublicKey(digest).toBytes(false)

const hexOf = (number: bigint): string => number.toString(16).padStart(64, "0")
const ORDER = hexOf(secp256k1.Point.CURVE().n)
const HALF_ORDER = hexOf(secp256k1.Point.CURVE().n >> 1n)
const ZERO = hexOf(0n)

const refuse = (code: SignatureRefusal, message: string): Recovery => ({ ok: false, code, message })

const prefixOf = (length: number): Uint8Array => utf8ToBytes(`\x19Ethereum Signed Message:\n${length}`)
const PREFIX_64 = prefixOf(64)

/** keccak-256 of the EIP-191 message: 0x19 ‖ "Ethereum Signed Message:\n" ‖ decimal length in bytes ‖ text. */
export const personalMessageHash = (text: string): Uint8Array => {
  const message = utf8ToBytes(text)
  const prefix = message.length === 64 ? PREFIX_64 : prefixOf(message.length)
  return keccak_256(concatBytes(prefix, message))
}

/**
 * The EIP-55 address whose key signed `text` (for a tree: its checksum, 64 lower-case hex digits).
 * `signature` is hex with `0x`, 65 bytes (r ‖ s ‖ v, v in 0, 1, 27, 28) or 64 bytes (EIP-2098).
 * `recoverKey` is the backend that does the curve arithmetic.
 * A recovery never says "wrong signer": compare the address with the one expected.
 */
export const recoverSigner = (text: string, signature: string, recoverKey: RecoverKey = nobleRecoverKey): Recovery => {
  const parts = partsOf(signature)
  if (parts === undefined && isOfContractWallet(signature)) {
    return refuse(
      "contract_wallet_signature",
      "The signature has more than 65 bytes, as those of contract wallets do (ERC-1271, ERC-6492): no key can be found from it, only the wallet's contract can check it."
    )
  }
  if (parts === undefined) {
    return refuse(
      "signature_malformed",
      "A signature is 0x followed by 130 hexadecimal digits (65 bytes), or 128 (64 bytes, EIP-2098)."
    )
  }
  const recoveryId = parts.v >= 27 ? parts.v - 27 : parts.v
  if (recoveryId !== 0 && recoveryId !== 1) {
    return refuse(
      "signature_recovery_id",
      `The last byte of a signature (v) is 27 or 28 (or 0 or 1); here it is ${parts.v}.`
    )
  }
  // Hex of one length and one letter case compares as the numbers do.
  const hex = parts.hex
  const r = hex.slice(0, 64)
  const s = hex.slice(64)
  if (r === ZERO || r >= ORDER || s === ZERO || s >= ORDER) {
    return refuse(
      "signature_out_of_range",
      "r and s of a signature are at least 1 and less than the order of secp256k1."
    )
  }
  if (s > HALF_ORDER) {
    return refuse(
      "signature_high_s",
      "s of the signature is in the upper half of the range: such a signature is malleable (EIP-2). Sign again with low s."
    )
  }
  const publicKey = attempt(() => recoverKey(personalMessageHash(text), parts.compact, recoveryId))
  return publicKey === undefined
    ? refuse(
        "signature_unrecoverable",
        "No public key belongs to this signature: its r is not the x of a point on secp256k1."
      )
    : { ok: true, signer: addressOfPublicKey(publicKey) }
}

const attempt = (recover: () => Uint8Array | undefined): Uint8Array | undefined => {
  try {
    return recover()
  } catch {
    return undefined
  }
}

interface Parts {
  /** r ‖ s, 64 bytes, and the same as lower-case hex. */
  readonly compact: Uint8Array
  readonly hex: string
  readonly v: number
}

/**
 * The parts of `0x` and 64 or 65 bytes of hex, `undefined` for any other text; in the short form (EIP-2098) the highest bit of s carries the
 * recovery id.
 */
const partsOf = (signature: string): Parts | undefined => {
  if ((signature.length !== 130 && signature.length !== 132) || !signature.startsWith("0x")) return undefined
  const bytes = new Uint8Array((signature.length - 2) / 2)
  for (let at = 0; at < bytes.length; at++) {
    const high = HEX_VALUES[signature.charCodeAt(2 + 2 * at)] ?? NONE
    const low = HEX_VALUES[signature.charCodeAt(3 + 2 * at)] ?? NONE
    if (high === NONE || low === NONE) return undefined
    bytes[at] = (high << 4) | low
  }
  if (bytes.length === 65) {
    return { compact: bytes.subarray(0, 64), hex: signature.slice(2, 130).toLowerCase(), v: bytes[64]! }
  }
  const v = bytes[32]! >> 7
  bytes[32]! &= 0x7f
  return { compact: bytes, hex: bytesToHex(bytes), v }
}

/**
 * What a contract takes for a signature (ERC-1271) is its own affair: signatures of several owners, or words of its ABI, perhaps wrapped
 * in what creates it (ERC-6492). All of them have three words of 32 bytes at least, so a signature with a few bytes too many stays
 * malformed; the largest, with a passkey's data or a wallet's creation, have a few thousand.
 */
const CONTRACT_LEAST_BYTES = 96
const CONTRACT_MOST_BYTES = 16 * 1024

const isOfContractWallet = (signature: string): boolean => {
  const bytes = (signature.length - 2) / 2
  if (!Number.isInteger(bytes) || bytes < CONTRACT_LEAST_BYTES || bytes > CONTRACT_MOST_BYTES) return false
  return /^0x[0-9a-fA-F]+$/.test(signature)
}

const NONE = 0xff
const HEX_VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase())
  return value === -1 ? NONE : value
})

/** The form in which records carry a signature that {@link recoverSigner} accepts: `0x` and 65 bytes in lower case, v 27/28. */
export const canonicalSignature = (signature: string): string => {
  const parts = partsOf(signature)
  if (parts === undefined) throw new TypeError("A signature is 0x and 130 or 128 hexadecimal digits.")
  return `0x${parts.hex}${(parts.v >= 27 ? parts.v : parts.v + 27).toString(16)}`
}

/** Signs `text` with a 32-byte private key: EIP-191, deterministic nonce (RFC 6979), low s, `0x` and 65 bytes, v 27/28. */
export const signPersonalMessage = (text: string, privateKey: Uint8Array): string => {
  const signed = secp256k1.sign(personalMessageHash(text), privateKey, {
    prehash: false,
    lowS: true,
    format: "recovered"
  })
  return `0x${bytesToHex(signed.subarray(1))}${(27 + signed[0]!).toString(16)}`
}

/** The EIP-55 address of a 32-byte private key. */
export const addressOfPrivateKey = (privateKey: Uint8Array): string =>
  addressOfPublicKey(secp256k1.getPublicKey(privateKey, false))
