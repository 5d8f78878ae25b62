/**
 * A type-2 transaction (EIP-1559), signed: the bytes to send and their hash, which names it for ever. The signature is
 * deterministic (RFC 6979, low s), so the same fields give the same bytes. Amounts are wei, `raw` and `hash` are `0x` hex.
 */
import { bytesToHex, type Hex, hexToBytes, keccak256, serializeTransaction } from "viem"
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

/** Signs with the wallet at `index`; the key stays with the wallets. */
export const signTransaction = (
  wallets: Pick<HdWalletsShape, "signDigest">,
  index: number,
  { chainId, nonce, to, data, value, terms }: TransactionFields
): { readonly raw: Hex; readonly hash: Hex } => {
  const unsigned = {
    type: "eip1559",
    chainId,
    nonce,
    to: to as Hex,
    data,
    value,
    gas: terms.gas,
    maxFeePerGas: terms.maxFeePerGas,
    maxPriorityFeePerGas: terms.maxPriorityFeePerGas
  } as const
  const { r, s, yParity } = wallets.signDigest(index, hexToBytes(keccak256(serializeTransaction(unsigned))))
  const raw = serializeTransaction(unsigned, { r: bytesToHex(r), s: bytesToHex(s), yParity })
  return { raw, hash: keccak256(raw) }
}
