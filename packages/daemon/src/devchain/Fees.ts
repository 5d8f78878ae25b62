/**
 * eth_feeHistory (EIP-1559). The base fee never moves here, so only tips and fullness tell anything. A tip is what a
 * transaction paid per gas above the base fee; percentiles are weighted by gas used, as in geth.
 */
import { BASE_FEE_PER_GAS } from "./ChainConfig.ts"
import type { ChainStore } from "./ChainStore.ts"
import { quantity } from "./Hex.ts"
import type { ChainView } from "./Reads.ts"
import { invalidParams } from "./RpcError.ts"
import { headerOf } from "./RpcObjects.ts"
import { effectiveGasPrice, envelopeOf } from "./TxRules.ts"

const MAX_BLOCKS = 1024

/** Reads reward percentiles: numbers from 0 to 100 in rising order; `undefined` when absent. */
export const percentilesOf = (value: unknown): ReadonlyArray<number> | undefined => {
  if (value === undefined || value === null) return undefined
  const isValid =
    Array.isArray(value) &&
    value.length <= 100 &&
    value.every((p, i) => typeof p === "number" && p >= 0 && p <= 100 && (i === 0 || p >= value[i - 1]))
  if (!isValid) throw invalidParams("invalid reward percentile: want numbers from 0 to 100 in rising order")
  return value
}

const rewards = (store: ChainStore, block: number, percentiles: ReadonlyArray<number>): ReadonlyArray<string> => {
  const paid = store
    .transactionsOf(block)
    .map((tx) => ({ tip: effectiveGasPrice(envelopeOf(tx.raw)) - BASE_FEE_PER_GAS, gas: tx.gas_used }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
  const total = paid.reduce((sum, { gas }) => sum + gas, 0)
  return percentiles.map((percentile) => {
    let gas = 0
    const reached = paid.find((tx) => {
      gas += tx.gas
      return gas >= (total * percentile) / 100
    })
    return quantity(reached?.tip ?? 0n)
  })
}

/** Fees of `count` blocks up to `newest`. */
export const feeHistory = (
  { budget, ground: { common, store } }: ChainView,
  count: bigint,
  newest: number,
  percentiles: ReadonlyArray<number> | undefined
) => {
  const span = Math.min(Number(count), MAX_BLOCKS, newest + 1)
  const oldest = newest - span + 1
  const numbers = Array.from({ length: span }, (_, index) => oldest + index)
  return {
    oldestBlock: quantity(oldest),
    baseFeePerGas: Array.from({ length: span + 1 }, () => quantity(BASE_FEE_PER_GAS)),
    baseFeePerBlobGas: Array.from({ length: span + 1 }, () => "0x1"),
    blobGasUsedRatio: numbers.map(() => 0),
    gasUsedRatio: numbers.map((number) => {
      budget?.check()
      const header = headerOf(store.block(number)!, common)
      return Number(header.gasUsed) / Number(header.gasLimit)
    }),
    ...(percentiles === undefined
      ? {}
      : {
          reward: numbers.map((number) => {
            budget?.check()
            return rewards(store, number, percentiles)
          })
        })
  }
}
