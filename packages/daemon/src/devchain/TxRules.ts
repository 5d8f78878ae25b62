/**
 * Reads a raw transaction and applies every rule that needs no account: type, chain id, size, gas and fees. Messages
 * follow geth's (core/txpool/validation.go, core/error.go), because clients and outboxes match on their wording.
 */
import type { Common } from "@ethereumjs/common"
import { RLP } from "@ethereumjs/rlp"
import { Capability, createTxFromRLP, type FeeMarket1559Tx, type LegacyTx, type TypedTransaction } from "@ethereumjs/tx"
import { bytesToBigInt } from "@ethereumjs/util"
import { BASE_FEE_PER_GAS, BLOCK_GAS_LIMIT, MAX_INITCODE_BYTES, MAX_TRANSACTION_BYTES } from "./ChainConfig.ts"
import { data } from "./Hex.ts"
import { fieldsOf, typeOf } from "./Receipts.ts"
import { refused } from "./RpcError.ts"

/** A transaction that may enter the pool; amounts in wei, fees in wei per gas. */
export interface Candidate {
  readonly tx: TypedTransaction
  /** The bytes that were sent; keccak-256 of them is the hash. */
  readonly raw: Uint8Array
  readonly hash: string
  readonly sender: string
  readonly nonce: bigint
  readonly feeCap: bigint
  readonly tipCap: bigint
  /** The most the sender can lose: gas limit × fee cap + value. */
  readonly cost: bigint
}

const FIRST_LEGACY_BYTE = 0xc0
const KNOWN_TYPES = [1, 2]

/** The chain id the sender signed for; `undefined` for a legacy signature without one (before EIP-155). */
const signedChainId = (raw: Uint8Array): bigint | undefined => {
  const isLegacy = (raw[0] ?? 0) >= FIRST_LEGACY_BYTE
  const fields = RLP.decode(isLegacy ? raw : raw.subarray(1))
  const field = Array.isArray(fields) ? fields[isLegacy ? 6 : 0] : undefined
  if (!(field instanceof Uint8Array)) throw refused("rlp: expected input list for a signed transaction")
  const value = bytesToBigInt(field)
  if (!isLegacy) return value
  return value >= 35n ? (value - 35n) / 2n : undefined
}

const decode = (common: Common, raw: Uint8Array): TypedTransaction => {
  const first = raw[0]
  if (first === undefined) throw refused("typed transaction too short")
  if (first < FIRST_LEGACY_BYTE && !KNOWN_TYPES.includes(first)) throw refused("transaction type not supported")
  let chainId: bigint | undefined
  try {
    chainId = signedChainId(raw)
  } catch (error) {
    throw refused(`rlp: ${error instanceof Error ? error.message.replace(/^rlp: /, "") : "cannot decode transaction"}`)
  }
  if (chainId === undefined) throw refused("only replay-protected (EIP-155) transactions allowed over RPC")
  if (chainId !== common.chainId()) {
    throw refused(`invalid sender: invalid chain id for signer: have ${chainId} want ${common.chainId()}`)
  }
  try {
    return createTxFromRLP(raw, { common })
  } catch (error) {
    throw refused(`invalid transaction: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const senderOf = (tx: TypedTransaction): string => {
  try {
    return tx.getSenderAddress().toString()
  } catch {
    throw refused("invalid sender: invalid transaction v, r, s values")
  }
}

/** Fee cap and tip cap, wei per gas; a legacy price is both. */
export const feesOf = (tx: TypedTransaction): Fees => {
  if (tx.supports(Capability.EIP1559FeeMarket)) {
    const { maxFeePerGas, maxPriorityFeePerGas } = tx as FeeMarket1559Tx
    return { feeCap: maxFeePerGas, tipCap: maxPriorityFeePerGas }
  }
  const { gasPrice } = tx as LegacyTx
  return { feeCap: gasPrice, tipCap: gasPrice }
}

interface Fees {
  readonly feeCap: bigint
  readonly tipCap: bigint
}

/** What one unit of gas costs the sender in a block, wei. */
export const effectiveGasPrice = ({ feeCap, tipCap }: Fees): bigint =>
  feeCap < BASE_FEE_PER_GAS + tipCap ? feeCap : BASE_FEE_PER_GAS + tipCap

/** Where the price (or tip and cap) and the recipient stand among the fields of each type of transaction. */
const PLACES = [
  { tipCap: 1, feeCap: 1, to: 3 },
  { tipCap: 2, feeCap: 2, to: 4 },
  { tipCap: 2, feeCap: 3, to: 5 }
] as const

/** Fees and recipient of a stored transaction, without the cost of decoding all of it; `to` is empty where a contract is made. */
export const envelopeOf = (raw: Uint8Array): Fees & { readonly to: Uint8Array } => {
  const places = PLACES[typeOf(raw)]!
  const fields = fieldsOf(raw) as ReadonlyArray<Uint8Array>
  return {
    tipCap: bytesToBigInt(fields[places.tipCap]!),
    feeCap: bytesToBigInt(fields[places.feeCap]!),
    to: fields[places.to]!
  }
}

/** Decodes `raw` and checks all that holds without an account; throws {@link refused} in geth's words. */
export const checkTransaction = (common: Common, raw: Uint8Array): Candidate => {
  if (raw.length > MAX_TRANSACTION_BYTES) {
    throw refused(`oversized data: transaction size ${raw.length}, limit ${MAX_TRANSACTION_BYTES}`)
  }
  const tx = decode(common, raw)
  const sender = senderOf(tx)
  const { feeCap, tipCap } = feesOf(tx)
  if (tx.to === undefined && tx.data.length > MAX_INITCODE_BYTES) {
    throw refused(`max initcode size exceeded: code size ${tx.data.length}, limit ${MAX_INITCODE_BYTES}`)
  }
  if (tx.gasLimit > BLOCK_GAS_LIMIT) throw refused("exceeds block gas limit")
  const needed = tx.getIntrinsicGas()
  if (tx.gasLimit < needed) throw refused(`intrinsic gas too low: gas ${tx.gasLimit}, minimum needed ${needed}`)
  if (feeCap < BASE_FEE_PER_GAS) {
    const fees = `maxFeePerGas: ${feeCap}, baseFee: ${BASE_FEE_PER_GAS}`
    throw refused(`max fee per gas less than block base fee: address ${sender}, ${fees}`)
  }
  return {
    tx,
    raw,
    hash: data(tx.hash()),
    sender,
    nonce: tx.nonce,
    feeCap,
    tipCap,
    cost: tx.gasLimit * feeCap + tx.value
  }
}
