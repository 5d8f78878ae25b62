/** Consensus receipts (EIP-2718 envelopes), as the receipts trie holds them, and what of them every reader needs. */
import { RLP } from "@ethereumjs/rlp"

const FIRST_LEGACY_BYTE = 0xc0

export interface ReceiptLog {
  readonly address: Uint8Array
  readonly topics: ReadonlyArray<Uint8Array>
  readonly data: Uint8Array
}

export interface Receipt {
  readonly succeeded: boolean
  readonly cumulativeGas: Uint8Array
  readonly bloom: Uint8Array
  readonly logs: ReadonlyArray<ReceiptLog>
}

/** EIP-2718 type of an envelope; 0 for a legacy one. */
export const typeOf = (envelope: Uint8Array): number => {
  const first = envelope[0] ?? 0
  return first >= FIRST_LEGACY_BYTE ? 0 : first
}

/** What an envelope holds, decoded. */
export const fieldsOf = (envelope: Uint8Array): ReadonlyArray<unknown> =>
  RLP.decode(typeOf(envelope) === 0 ? envelope : envelope.subarray(1)) as ReadonlyArray<unknown>

export const receiptOf = (envelope: Uint8Array): Receipt => {
  const [status, cumulativeGas, bloom, logs] = fieldsOf(envelope) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Array<[address: Uint8Array, topics: Array<Uint8Array>, data: Uint8Array]>
  ]
  return {
    succeeded: status.length > 0,
    cumulativeGas,
    bloom,
    logs: logs.map(([address, topics, data]) => ({ address, topics, data }))
  }
}
