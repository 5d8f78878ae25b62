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
import type { Signed, TransactionLost, Wanted } from "./OutboxTransaction.ts"
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

export class Outbox extends Context.Service<
  Outbox,
  {
    /** Signs, stores and sends a transaction and answers its receipt, whatever its status. */
    readonly send: (
      wanted: Wanted
    ) => Effect.Effect<
      TransactionReceipt,
      TransactionLost | LedgerUnavailable | StorageUnavailable | LeaseElsewhere | LeaseLost
    >
    /** Goes on with a stored transaction after a restart: it may or may not have been sent. */
    readonly resume: (
      signed: Signed
    ) => Effect.Effect<TransactionReceipt, TransactionLost | StorageUnavailable | LeaseElsewhere | LeaseLost>
    /** Makes a change of a job's row that must not be lost, one transaction: tried until the store takes it. */
    readonly persist: (change: Effect.Effect<unknown, SqlError.SqlError>) => Effect.Effect<void>
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
  const { follow, sendUnder } = yield* makeFollowing(store, {
    resendAfter: Duration.toMillis(options.resendAfter ?? Duration.seconds(30)),
    displacedAfter: Duration.toMillis(options.displacedAfter ?? Duration.seconds(30)),
    replaceAfter: options.replaceAfter ?? 10
  })
  const laneOf = makeWalletLanes()

  /** Another daemon may have signed for the wallet since the last epoch, and stepped over what stopped this one. */
  const startLane = Effect.fnUntraced(function* (lane: WalletLane, network: LedgerNetwork, { epoch }: Lease) {
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

  const send = Effect.fn("Outbox.send")(function* (wanted: Wanted) {
    const { network } = wanted
    const lane = laneOf(network.chainId, wallets.address(wanted.walletIndex))
    const begin = Effect.fnUntraced(function* (lease: Lease) {
      yield* startLane(lane, network, lease)
      if (lane.stopped !== undefined) {
        return yield* new LedgerUnavailable({ network: network.name, reason: lane.stopped })
      }
      if (!wanted.begin()) {
        return yield* new LedgerUnavailable({ network: network.name, reason: "there was no room to send it in time." })
      }
      return yield* store.sign(wanted, lane, lease)
    }, lane.turn.withPermit)
    const run = Effect.fnUntraced(function* (lease: Lease) {
      const signed = yield* begin(lease)
      wanted.onSigned(signed.hash)
      const followed = { signed, hashes: [signed.hash], lane, lease, isResumed: false }
      return yield* follow(followed, yield* sendUnder(lease, signed))
    }, lane.slots.withPermit)
    return yield* withLease(lane, run)
  })

  /** Takes no slot: those that hold them may wait for just this nonce, as after a block that fell out of the chain. */
  const resume = Effect.fn("Outbox.resume")(function* (signed: Signed) {
    const { network } = signed
    const lane = laneOf(network.chainId, signed.address)
    const run = Effect.fnUntraced(function* (lease: Lease) {
      const stored = yield* Effect.retry(store.variantsOf(signed.id), Schedule.spaced(STORE_PAUSE))
      const hashes = [signed.hash, ...stored.filter((hash) => hash !== signed.hash)]
      const known = Option.flatten(yield* Effect.option(receiptOfAny(network, hashes)))
      if (Option.isSome(known)) return known.value
      return yield* follow({ signed, hashes, lane, lease, isResumed: true }, yield* sendUnder(lease, signed))
    })
    return yield* withLease(lane, run)
  })

  const stopped = (chainId: number, address: string) => laneOf(chainId, address).stopped
  return Outbox.of({ send, resume, persist: store.untilStored, stopped, lanes: laneOf.all })
})
