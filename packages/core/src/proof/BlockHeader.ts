/**
 * An EVM block header from its raw RLP: a list of 15 items and whatever later forks added behind them. The hash covers them all,
 * so nothing behind the 15 needs to be understood (Avalanche's subnet-evm adds blockGasCost and more). The block's hash is
 * the keccak-256 of the RLP. Yellow Paper, section 4.4.
 */

import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { decodeRlp, integerOf } from "./Rlp.ts"

export interface BlockHeader {
  /** `0x` and 64 lower-case hex digits. */
  readonly hash: string
  readonly number: number
  /** Unix time in seconds. */
  readonly timestamp: number
  /** Root hashes, 32 bytes each. */
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
}

const LEAST_ITEMS = 15
/** Lengths of the items at fixed places: parentHash, ommersHash, beneficiary, three roots, bloom; then mixHash and nonce. */
const FIXED_LENGTHS: ReadonlyArray<readonly [index: number, length: number]> = [
  [0, 32],
  [1, 32],
  [2, 20],
  [3, 32],
  [4, 32],
  [5, 32],
  [6, 256],
  [13, 32],
  [14, 8]
]

/** The header in `raw`; `undefined` when it is not one. */
export const readHeader = (raw: Uint8Array): BlockHeader | undefined => {
  const items = decodeRlp(raw)
  if (items === undefined || items instanceof Uint8Array || items.length < LEAST_ITEMS) return undefined
  const fields = items.filter((item) => item instanceof Uint8Array)
  if (fields.length !== items.length) return undefined
  if (FIXED_LENGTHS.some(([index, length]) => fields[index]!.length !== length)) return undefined
  const number = integerOf(fields[8])
  const timestamp = integerOf(fields[11])
  if (number === undefined || timestamp === undefined) return undefined
  return {
    hash: `0x${bytesToHex(keccak_256(raw))}`,
    number,
    timestamp,
    transactionsRoot: fields[4]!,
    receiptsRoot: fields[5]!
  }
}
