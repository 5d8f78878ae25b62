/**
 * Recovery on @noble/curves that gets three times as fast for signers it has met often: tables of multiples of their keys turn the recovery
 * into a comparison. u1·G + u2·P is the point R of the signature (x = r, the parity of y its recovery id) exactly when recovery
 * gives P, so the answers are the same, one by one; whatever does not match is recovered in the ordinary way. Public data only.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { addressOfPublicKey } from "../identity/Eip55.ts"
import { nobleRecoverKey } from "./Signature.ts"

const { Point } = secp256k1
type Point = InstanceType<typeof Point>

interface Met {
  times: number
  readonly publicKey: Uint8Array
  table: Point | undefined
}

/** A table costs as much as about 25 recoveries, and about a megabyte. */
const TIMES_BEFORE_TABLE = 24
const MOST_TABLES = 8
const MOST_MET = 4096
const WINDOW = 8

export class KnownSigners {
  private readonly met = new Map<string, Met>()
  private tables = 0

  /** As `RecoverKey`; `expected` is the EIP-55 address of who probably signed, which costs nothing when it is wrong or unknown. */
  recoverKey(
    digest: Uint8Array,
    compact: Uint8Array,
    recoveryId: 0 | 1,
    expected: string | undefined
  ): Uint8Array | undefined {
    const signer = expected === undefined ? undefined : this.met.get(expected)
    if (signer?.table !== undefined && isSignedBy(signer.table, digest, compact, recoveryId)) return signer.publicKey
    const publicKey = nobleRecoverKey(digest, compact, recoveryId)
    if (publicKey !== undefined) this.remember(publicKey)
    return publicKey
  }

  private remember(publicKey: Uint8Array): void {
    const address = addressOfPublicKey(publicKey)
    const signer = this.met.get(address)
    if (signer === undefined) {
      if (this.met.size < MOST_MET) this.met.set(address, { times: 1, publicKey, table: undefined })
      return
    }
    signer.times++
    if (signer.times >= TIMES_BEFORE_TABLE && signer.table === undefined && this.tables < MOST_TABLES) {
      if (this.tables === 0) Point.BASE.precompute(WINDOW, false)
      signer.table = Point.fromBytes(publicKey).precompute(WINDOW, false)
      this.tables++
    }
  }
}

const isSignedBy = (key: Point, digest: Uint8Array, compact: Uint8Array, recoveryId: 0 | 1): boolean => {
  const { Fn } = Point
  const r = numberOf(compact.subarray(0, 32))
  const inverse = Fn.inv(numberOf(compact.subarray(32)))
  const u1 = Fn.create(Fn.create(numberOf(digest)) * inverse)
  const u2 = Fn.create(r * inverse)
  const point = Point.BASE.multiplyUnsafe(u1).add(key.multiplyUnsafe(u2))
  if (point.is0()) return false
  const { x, y } = point.toAffine()
  return x === r && (y & 1n) === BigInt(recoveryId)
}

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${bytesToHex(bytes)}`)
