/**
 * What a transaction offers per unit of gas (EIP-1559, wei). The base fee is read each time: maxFee = 2 × base + tip, so that a
 * transaction stays acceptable while the base fee doubles. An embedded chain's base fee is constant, so exactly it is offered.
 */
import { formatTokens, LedgerUnavailable } from "@treemark/core"
import { Effect } from "effect"
import type { LedgerNetwork } from "./Networks.ts"
import { ask } from "./RpcFailure.ts"

/** Wei per unit of gas. */
export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** A gas limit and the fees; `ceiling` is the most it can cost, gas × maxFee, in wei. */
export interface Terms extends Fees {
  readonly gas: bigint
  readonly ceiling: bigint
}

const GWEI = 1_000_000_000n
const gwei = (wei: bigint): string => `${formatTokens(wei * GWEI)} gwei`

/** Today's fees; fails while the network asks for more than the configured cap. */
export const feesNow = Effect.fn("Fees.feesNow")(function* (network: LedgerNetwork) {
  const { client, fees } = network
  const [block, tip] = yield* Effect.all(
    [
      ask(network, () => client.getBlock({ blockTag: "latest" })),
      fees.tip === undefined ? ask(network, () => client.estimateMaxPriorityFeePerGas()) : Effect.succeed(fees.tip)
    ],
    { concurrency: "unbounded" }
  )
  const base = block.baseFeePerGas
  if (base === null) {
    return yield* new LedgerUnavailable({
      network: network.name,
      reason: "its blocks have no base fee, and only chains with EIP-1559 fees can be used."
    })
  }
  if (base + tip > fees.cap) {
    return yield* new LedgerUnavailable({
      network: network.name,
      reason: `a unit of gas costs ${gwei(base + tip)} now, more than the ${gwei(fees.cap)} the operator allows (max_fee_gwei).`
    })
  }
  const wanted = network.embedded ? base + tip : 2n * base + tip
  return { maxFeePerGas: wanted > fees.cap ? fees.cap : wanted, maxPriorityFeePerGas: tip } satisfies Fees
})

/** Terms for `gas` units (already with their margin) at `fees`. */
export const termsFor = (gas: bigint, fees: Fees): Terms => ({ ...fees, gas, ceiling: gas * fees.maxFeePerGas })

/** `gas` and 20 % more, rounded up. */
export const withMargin = (gas: bigint): bigint => (gas * 12n + 9n) / 10n
