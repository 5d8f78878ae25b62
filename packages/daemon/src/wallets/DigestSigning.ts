/**
 * ECDSA over secp256k1 with the deterministic nonce of RFC 6979 and low s: the same key and digest always give the same 64 bytes, whoever
 * computes them. So libsecp256k1 (the optional package secp256k1, ten times as fast) may stand in for noble wherever its binary loads and
 * signs a test digest as noble does.
 */
import { createRequire } from "node:module"
import { secp256k1 } from "@noble/curves/secp256k1.js"

/** r and s of 32 bytes each, low s. */
export interface DigestSignature {
  readonly r: Uint8Array
  readonly s: Uint8Array
  readonly yParity: 0 | 1
}

/** Signs the 32 bytes of `digest` as they are, with a 32-byte private key. */
export type SignDigest = (digest: Uint8Array, privateKey: Uint8Array) => DigestSignature

/** The pure implementation. */
export const nobleSign: SignDigest = (digest, privateKey) => {
  const signed = secp256k1.sign(digest, privateKey, { prehash: false, lowS: true, format: "recovered" })
  return { r: signed.slice(1, 33), s: signed.slice(33), yParity: signed[0] === 1 ? 1 : 0 }
}

interface Libsecp256k1 {
  readonly ecdsaSign: (digest: Uint8Array, privateKey: Uint8Array) => { signature: Uint8Array; recid: number }
}

/** libsecp256k1; `undefined` where the package or its binary is missing. Its entry `bindings` has no fallback in JavaScript. */
export const nativeSign = (): SignDigest | undefined => {
  try {
    const library: Libsecp256k1 = createRequire(import.meta.url)("secp256k1/bindings")
    return (digest, privateKey) => {
      const { recid, signature } = library.ecdsaSign(digest, privateKey)
      return { r: signature.subarray(0, 32), s: signature.subarray(32), yParity: recid === 1 ? 1 : 0 }
    }
  } catch {
    return undefined
  }
}

const SAMPLE = new Uint8Array(32).fill(7)

const agrees = (sign: SignDigest): boolean => {
  const [a, b] = [sign(SAMPLE, SAMPLE), nobleSign(SAMPLE, SAMPLE)]
  return a.yParity === b.yParity && Buffer.compare(a.r, b.r) === 0 && Buffer.compare(a.s, b.s) === 0
}

/** The faster of the two that this machine has. */
export const fastestSign = (): SignDigest => {
  const native = nativeSign()
  return native !== undefined && agrees(native) ? native : nobleSign
}
