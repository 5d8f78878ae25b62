/**
 * What a transaction offers per unit of gas (EIP-1559, wei). The base fee is read each time: maxFee = 2 × base + tip, so that a
 * transaction stays acceptable while the base fee doubles. An embedded chain's base fee is constant, so exactly it is offered.
 */
import { formatTokens, LedgerUnavailable } from "@treemark/core"
import { Duration, Effect, Option } from "effect"
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
export const gwei = (wei: bigint): string => `${formatTokens(wei * GWEI)} gwei`

/** Today's fees as a transaction would offer them, never above the configured cap. */
export interface FeesNow extends Fees {
  /** The base fee: what a transaction must offer at least. */
  readonly base: bigint
  /** What a unit of gas costs now: base fee and tip. */
  readonly price: bigint
}

/** Today's fees. Above the cap they are answered too, as the cap: whoever signs looks with {@link aboveCap} first. */
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
  const price = base + tip
  return {
    base,
    price,
    maxFeePerGas: least(network.embedded ? price : 2n * base + tip, fees.cap),
    maxPriorityFeePerGas: least(tip, fees.cap)
  } satisfies FeesNow
})

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Why nothing may be signed at these fees; undefined when it may. */
export const aboveCap = ({ fees, name }: LedgerNetwork, { price }: FeesNow): LedgerUnavailable | undefined =>
  price <= fees.cap
    ? undefined
    : new LedgerUnavailable({
        network: name,
        reason: `a unit of gas costs ${gwei(price)} now, more than the ${gwei(fees.cap)} the operator allows (max_fee_gwei).`
      })

/** How often the fees are looked at while they are above the cap. */
const LOOK = Duration.seconds(1)

type Looks = ReturnType<typeof feesNow>

const shared = new WeakMap<LedgerNetwork, Looks>()

/** Today's fees, asked for once however many commits wait for them. */
const sharedFees = Effect.fnUntraced(function* (network: LedgerNetwork) {
  const known = shared.get(network)
  if (known !== undefined) return known
  const looks = yield* Effect.cachedWithTTL(feesNow(network), Duration.divideUnsafe(LOOK, 2))
  shared.set(network, looks)
  return looks
})

/**
 * Waits until a unit of gas costs no more than the cap, or until `isWanted` says that nobody wants it any more. Terms below the cap
 * were made at fees below it, so nothing is asked for them.
 */
export const awaitFees = Effect.fnUntraced(function* (
  network: LedgerNetwork,
  terms: Terms,
  isWanted: Effect.Effect<boolean>
) {
  if (terms.maxFeePerGas < network.fees.cap) return
  const looks = yield* sharedFees(network)
  for (let warned = false; ; ) {
    const now = yield* Effect.option(looks)
    const above = Option.isNone(now) ? undefined : aboveCap(network, now.value)
    if (Option.isSome(now) && above === undefined) return
    if (above !== undefined && !warned) yield* Effect.logWarning(`Commits wait: ${above.message}`)
    warned ||= above !== undefined
    if (!(yield* isWanted)) return
    yield* Effect.sleep(LOOK)
  }
})

/** Why commits of these terms wait, when it is for the fees. */
export const waitingReason = (network: LedgerNetwork, terms: Terms): Effect.Effect<string | undefined> =>
  terms.maxFeePerGas < network.fees.cap
    ? Effect.succeed(undefined)
    : feesNow(network).pipe(
        Effect.map((now) => aboveCap(network, now)?.reason),
        Effect.timeout(LOOK),
        Effect.orElseSucceed(() => undefined)
      )

/** A pool refuses a replacement that does not raise both fees by 10 %; this is an eighth, and one wei at least. */
const raised = (fee: bigint): bigint => fee + (fee + 7n) / 8n + (fee === 0n ? 1n : 0n)

/** Fees of a transaction that takes the place of one at `old`: at least an eighth above, and today's if those are more; undefined above the cap. */
export const replacementFees = (old: Fees, now: Fees, cap: bigint): Fees | undefined => {
  const tip = most(raised(old.maxPriorityFeePerGas), now.maxPriorityFeePerGas)
  const fee = most(most(raised(old.maxFeePerGas), now.maxFeePerGas), tip)
  return fee > cap ? undefined : { maxFeePerGas: fee, maxPriorityFeePerGas: tip }
}

const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Terms for `gas` units (already with their margin) at `fees`. */
export const termsFor = (gas: bigint, { maxFeePerGas, maxPriorityFeePerGas }: Fees): Terms => ({
  maxFeePerGas,
  maxPriorityFeePerGas,
  gas,
  ceiling: gas * maxFeePerGas
})

/** `gas` and 20 % more, rounded up. */
export const withMargin = (gas: bigint): bigint => (gas * 12n + 9n) / 10n
