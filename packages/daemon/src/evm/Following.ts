/**
 * A stored transaction on its way to a receipt: the very same bytes are sent until the ledger has them. One that stays without a receipt
 * because it offers too little, or for too long, is replaced by one with the same nonce and the same content at a higher fee; then the
 * receipt of any of them is the receipt.
 */
import { Duration, Effect, Option } from "effect"
import type { Hex } from "viem"
import { type Lease, Leases } from "../store/Leases.ts"
import { HdWallets } from "../wallets/HdWallets.ts"
import { elapsedMillis } from "./Elapsed.ts"
import { feesNow, gwei, replacementFees } from "./Fees.ts"
import { isSqlError, type OutboxStore } from "./OutboxStore.ts"
import { type Signed, TransactionLost } from "./OutboxTransaction.ts"
import { ask } from "./RpcFailure.ts"
import { awaitReceipt, knowsAny, receiptOfAny, sendOnce, type Verdict } from "./Sending.ts"
import { atFees, feesOf } from "./Variants.ts"
import type { WalletLane } from "./WalletLanes.ts"

/** A receipt that comes this soon spares writing the state `sent`, which changes nothing about how a job goes on. */
const PROMPT_MS = 250

/** How patient the outbox is; milliseconds, and a number of sends. */
export interface Patience {
  readonly resendAfter: number
  readonly displacedAfter: number
  readonly replaceAfter: number
}

/** What to follow: `hashes` are those of all its variants, newest first. */
export interface Followed {
  readonly signed: Signed
  readonly hashes: ReadonlyArray<Hex>
  readonly lane: WalletLane
  readonly lease: Lease
  /** Whether it may have been sent before. */
  readonly isResumed: boolean
}

export const makeFollowing = Effect.fnUntraced(function* (store: OutboxStore, patience: Patience) {
  const { displacedAfter, replaceAfter, resendAfter } = patience
  const wallets = yield* HdWallets
  const leases = yield* Leases

  const sendUnder = (lease: Lease, { network, raw }: Signed) =>
    Effect.andThen(leases.confirm(lease), sendOnce(network, raw))

  /** Whether the chain waits for just this nonce: one behind it is stuck for another reason. */
  const isNext = ({ address, network, nonce }: Signed) =>
    ask(network, () => network.client.getTransactionCount({ address: address as Hex, blockTag: "latest" })).pipe(
      Effect.map((mined) => mined === nonce),
      Effect.orElseSucceed(() => false)
    )

  /** A replacement, stored and not yet sent; undefined where none is needed or allowed. */
  const replacement = Effect.fnUntraced(function* (signed: Signed, lease: Lease, sends: number) {
    const { network, walletIndex } = signed
    if (walletIndex === undefined || signed.job.replaced === undefined || network.embedded) return undefined
    const now = Option.getOrUndefined(yield* Effect.option(feesNow(network)))
    if (now === undefined) return undefined
    const old = feesOf(signed.raw)
    const isTooCheap = now.base > old.maxFeePerGas
    if (!isTooCheap && !(sends % replaceAfter === 0 && (yield* isNext(signed)))) return undefined
    const fees = replacementFees(old, now, network.fees.cap)
    if (fees === undefined) {
      yield* Effect.logWarning(
        `Transaction ${signed.hash} offers at most ${gwei(old.maxFeePerGas)} per unit of gas on ${network.name}, and a replacement would offer more than the ${gwei(network.fees.cap)} the operator allows (max_fee_gwei): it waits.`
      )
      return undefined
    }
    const next = atFees(wallets, walletIndex, signed, fees)
    const error = yield* store.replace(signed, next, lease).pipe(
      Effect.as(undefined),
      Effect.catchIf(isSqlError, (failed) => Effect.succeed(failed))
    )
    if (error !== undefined) {
      yield* Effect.logError("The store refused the replacement of a transaction, which therefore was not sent", error)
      return undefined
    }
    yield* Effect.logWarning(
      `Transaction ${signed.hash} (nonce ${signed.nonce}) is replaced on ${network.name} by ${next.hash}, which offers up to ${gwei(fees.maxFeePerGas)} per unit of gas`
    )
    return next
  })

  const giveUp = (signed: Signed, lane: WalletLane, lease: Lease, reason: string) =>
    lane.turn.withPermit(
      store
        .giveUp(signed, lane, lease, reason)
        .pipe(
          Effect.catchTag("SqlError", (error) =>
            Effect.as(Effect.logError("A refused transaction stays queued", error), false)
          )
        )
    )

  const follow = Effect.fnUntraced(function* (followed: Followed, first: Verdict) {
    const { isResumed, lane, lease } = followed
    let { hashes, signed } = followed
    const { network, nonce } = signed
    let mayBeOut = isResumed
    let spentSince: number | undefined
    let sends = 1
    let lookedAt = yield* elapsedMillis

    const replaceIfStuck = Effect.fnUntraced(function* () {
      const now = yield* elapsedMillis
      if (now - lookedAt < resendAfter) return
      lookedAt = now
      const next = yield* replacement(signed, lease, sends++)
      if (next === undefined) return
      signed = next
      hashes = [next.hash, ...hashes]
      mayBeOut = true
    })

    let verdict = first
    for (let failures = 0; ; verdict = yield* sendUnder(lease, signed)) {
      if (verdict.kind === "taken") {
        mayBeOut = true
        spentSince = undefined
        failures = 0
        const prompt = yield* awaitReceipt(network, hashes, PROMPT_MS)
        if (Option.isSome(prompt)) return prompt.value
        yield* store.untilStored(store.markSent(signed))
        const receipt = yield* awaitReceipt(network, hashes, resendAfter)
        if (Option.isSome(receipt)) return receipt.value
        yield* Effect.logWarning(`Transaction ${signed.hash} has no receipt on ${network.name} yet; it is sent again`)
        yield* replaceIfStuck()
        continue
      }
      if (verdict.kind === "not-taken" && !mayBeOut && (yield* giveUp(signed, lane, lease, verdict.reason))) {
        return yield* new TransactionLost({ network: network.name, state: "refused", reason: verdict.reason })
      }
      if (verdict.kind !== "not-taken" && verdict.kind !== "spent") mayBeOut = true
      const found = yield* Effect.option(receiptOfAny(network, hashes))
      const receipt = Option.flatten(found)
      if (Option.isSome(receipt)) return receipt.value
      if (verdict.kind === "spent") {
        const now = yield* elapsedMillis
        spentSince ??= now
        const patient = mayBeOut ? displacedAfter : Math.min(displacedAfter, LAG_MS)
        const isLate = Option.isSome(found) && now - spentSince >= patient
        // A wallet stops for this and the money goes back: nothing less than a node that knows none of ours is enough.
        if (isLate && !(yield* Effect.orElseSucceed(knowsAny(network, hashes), () => true))) {
          const reason = displacedReason(signed)
          if (!isResumed) lane.stopped = `${reason} ${stopAdvice(signed)}`
          yield* Effect.logError(lane.stopped ?? `${reason} ${RUNBOOK}`)
          yield* store.untilStored(store.displace(signed, lease, reason))
          return yield* new TransactionLost({ network: network.name, state: "displaced", reason })
        }
      }
      yield* Effect.logWarning(
        `Transaction ${signed.hash} (nonce ${nonce}) is not on ${network.name} yet: ${verdict.reason}`
      )
      yield* Effect.sleep(pauseAfter(failures++))
      if (verdict.kind !== "spent") yield* replaceIfStuck()
    }
  })

  return { follow, sendUnder }
})

/** What a node tells may be so far behind what it took. */
const LAG_MS = 2_000

/** 100 ms, doubling up to 10 s. */
const pauseAfter = (failures: number): Duration.Duration => Duration.millis(Math.min(100 * 2 ** failures, 10_000))

const displacedReason = ({ address, hash, nonce }: Signed): string =>
  `another program used the key of wallet ${address}: its transaction was mined with nonce ${nonce}, so ours (${hash}) never will be.`

const RUNBOOK = `What to do stands in docs/operations.md under "A foreign transaction took a nonce".`

/** The next start steps over what the other program has used. */
const stopAdvice = ({ network }: Signed): string =>
  `Nothing more is signed for that wallet on ${network.name}: find and stop the other program, then restart the daemon. ${RUNBOOK}`
