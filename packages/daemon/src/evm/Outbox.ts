/**
 * Transactions that happen exactly once. Nonce, signed bytes and hash are stored in one database transaction before anything is
 * sent; from then on the very same bytes are sent until the ledger has them, however often the daemon is restarted. A nonce is
 * given back only when no node can have the transaction, so no gap arises. A second transaction is never signed for the same job,
 * but for one that takes the first one's place under the same nonce.
 */
import { LedgerUnavailable, type StorageUnavailable } from "@treemark/core"
import { Context, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import type { Hex, TransactionReceipt } from "viem"
import { type Lease, type LeaseElsewhere, type LeaseLost, Leases } from "../store/Leases.ts"
import { HdWallets } from "../wallets/HdWallets.ts"
import { makeFollowing } from "./Following.ts"
import type { LedgerNetwork } from "./Networks.ts"
import { isSqlError, makeOutboxStore, storage } from "./OutboxStore.ts"
import type { Signed, ToSign, TransactionLost } from "./OutboxTransaction.ts"
import { ask, ledgerUnavailable } from "./RpcFailure.ts"
import { receiptOfAny } from "./Sending.ts"
import { makeWalletLanes, type WalletLane } from "./WalletLanes.ts"

/** Between tries to read what was stored. */
const STORE_PAUSE = Duration.seconds(1)

export interface OutboxOptions {
  /** How long a taken transaction may stay without a receipt before it is sent again; 30 s by default. */
  readonly resendAfter?: Duration.Duration
  /** How long a spent nonce is looked into before the transaction counts as displaced; 30 s by default. */
  readonly displacedAfter?: Duration.Duration
  /** After so many sends without a receipt a commit's transaction is replaced at a higher fee; 10 by default. */
  readonly replaceAfter?: number
}

/** A place among the transactions that a wallet has under way, for one that is to be signed now. */
export interface Seat {
  readonly lane: WalletLane
  readonly lease: Lease
  readonly leave: Effect.Effect<unknown>
}

type Unusable = LedgerUnavailable | StorageUnavailable
type Elsewhere = LeaseElsewhere | LeaseLost

export class Outbox extends Context.Service<
  Outbox,
  {
    /** Asks the chain for the nonces of a wallet, so that there are seats at it. */
    readonly start: (network: LedgerNetwork, lease: Lease) => Effect.Effect<void, Unusable>
    /** A seat, if there is one now: this daemon signs for the wallet, has started, and the wallet has room. It is left by who does not sign under it. */
    readonly seatNow: (network: LedgerNetwork, walletIndex: number) => Effect.Effect<Seat | undefined, Unusable>
    /** A seat as soon as there is one, for `work`, which need not leave it. */
    readonly withSeat: <A, E>(
      network: LedgerNetwork,
      walletIndex: number,
      work: (seat: Seat) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E | Unusable | LeaseElsewhere>
    /** The next nonce, and what is signed with it: part of the transaction that stores it. */
    readonly sign: (seat: Seat, wanted: ToSign) => Effect.Effect<Signed, LeaseLost | SqlError.SqlError>
    /** The seat that a transaction was signed under, which is its own until {@link follow} ends. */
    readonly sit: (seat: Seat, signed: Signed) => void
    /**
     * Sends what is stored until the ledger has it: answers its receipt, whatever its status. One that was signed under no seat here may have
     * been sent before.
     */
    readonly follow: (
      signed: Signed,
      seat?: Seat
    ) => Effect.Effect<TransactionReceipt, TransactionLost | StorageUnavailable | Elsewhere>
    /** Makes a change of a job's row that must not be lost, one transaction: tried until the store takes it. */
    readonly persist: <A>(change: Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A>
    /** Why this process signs nothing more for a wallet on a chain; undefined when it does. */
    readonly stopped: (chainId: number, address: string) => string | undefined
    /** The lanes that have sent something in this process, for whoever watches them. */
    readonly lanes: () => ReadonlyArray<WalletLane>
  }
>()("@treemark/daemon/evm/Outbox") {
  static readonly layer = (options: OutboxOptions = {}) => Layer.effect(Outbox, make(options))
}

const make = Effect.fnUntraced(function* (options: OutboxOptions) {
  const wallets = yield* HdWallets
  const leases = yield* Leases
  const store = yield* makeOutboxStore
  const following = yield* makeFollowing(store, {
    resendAfter: Duration.toMillis(options.resendAfter ?? Duration.seconds(30)),
    displacedAfter: Duration.toMillis(options.displacedAfter ?? Duration.seconds(30)),
    replaceAfter: options.replaceAfter ?? 10
  })
  const laneOf = makeWalletLanes()
  const seats = new Map<Hex, Seat>()

  /** Another daemon may have signed for the wallet since the last epoch, and stepped over what stopped this one. */
  const startLane = Effect.fnUntraced(function* (lane: WalletLane, network: LedgerNetwork, { epoch }: Lease) {
    if (lane.startedAt !== epoch) yield* lane.turn.withPermit(startUnder(lane, network, epoch))
    if (lane.stopped !== undefined) {
      return yield* new LedgerUnavailable({ network: network.name, reason: lane.stopped })
    }
  })

  const startUnder = Effect.fnUntraced(function* (lane: WalletLane, network: LedgerNetwork, epoch: number) {
    if (lane.startedAt === epoch) return
    const mined = yield* ask(network, () =>
      network.client.getTransactionCount({ address: lane.address as Hex, blockTag: "latest" })
    ).pipe(Effect.mapError(ledgerUnavailable))
    yield* store.startAt(lane, mined)
    lane.startedAt = epoch
    lane.stopped = undefined
  })

  const withLease = <A, E>(lane: WalletLane, work: (lease: Lease) => Effect.Effect<A, E>) =>
    leases
      .use(lane, work)
      .pipe(Effect.catchIf(isSqlError, (cause) => Effect.fail(storage("looking who signs for a wallet")(cause))))

  const laneAt = (network: LedgerNetwork, walletIndex: number) => laneOf(network.chainId, wallets.address(walletIndex))

  const seatNow = Effect.fn("Outbox.seatNow")(function* (network: LedgerNetwork, walletIndex: number) {
    const lane = laneAt(network, walletIndex)
    const lease = leases.held(lane)
    if (lease === undefined || lane.startedAt !== lease.epoch) return undefined
    yield* startLane(lane, network, lease)
    if (!(yield* lane.slots.takeIfAvailable(1))) return undefined
    return { lane, lease, leave: lane.slots.release(1) }
  })

  const withSeat = <A, E>(network: LedgerNetwork, walletIndex: number, work: (seat: Seat) => Effect.Effect<A, E>) => {
    const lane = laneAt(network, walletIndex)
    return withLease(lane, (lease) =>
      lane.slots.withPermit(Effect.andThen(startLane(lane, network, lease), work({ lane, lease, leave: Effect.void })))
    )
  }

  const first = Effect.fnUntraced(function* (seat: Seat, signed: Signed) {
    const { lane } = seat
    const run = Effect.fnUntraced(function* (lease: Lease) {
      const isResumed = lease.epoch !== seat.lease.epoch
      const followed = { signed, hashes: [signed.hash], lane, lease, isResumed }
      return yield* following.follow(followed, yield* following.sendUnder(lease, signed))
    })
    return yield* Effect.ensuring(withLease(lane, run), seat.leave)
  })

  /** Takes no slot: those that hold them may wait for just this nonce, as after a block that fell out of the chain. */
  const resume = Effect.fnUntraced(function* (signed: Signed) {
    const { network } = signed
    const lane = laneOf(network.chainId, signed.address)
    const run = Effect.fnUntraced(function* (lease: Lease) {
      const stored = yield* Effect.retry(store.variantsOf(signed.job.id), Schedule.spaced(STORE_PAUSE))
      const hashes = [signed.hash, ...stored.filter((hash) => hash !== signed.hash)]
      const known = Option.flatten(yield* Effect.option(receiptOfAny(network, hashes)))
      if (Option.isSome(known)) return known.value
      const followed = { signed, hashes, lane, lease, isResumed: true }
      return yield* following.follow(followed, yield* following.sendUnder(lease, signed))
    })
    return yield* withLease(lane, run)
  })

  const stopped = (chainId: number, address: string) => laneOf(chainId, address).stopped
  return Outbox.of({
    start: (network, lease) => startLane(laneOf(lease.chainId, lease.address), network, lease),
    seatNow,
    withSeat,
    sign: (seat, wanted) => store.sign(wanted, seat.lane, seat.lease),
    sit: (seat, signed) => void seats.set(signed.hash, seat),
    follow: Effect.fn("Outbox.follow")((signed: Signed, given?: Seat) => {
      const seat = given ?? seats.get(signed.hash)
      seats.delete(signed.hash)
      return seat === undefined ? resume(signed) : first(seat, signed)
    }),
    persist: store.untilStored,
    stopped,
    lanes: laneOf.all
  })
})
