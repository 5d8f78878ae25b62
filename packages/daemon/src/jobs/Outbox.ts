/**
 * Transactions that happen exactly once. Nonce, signed bytes and hash are stored in one database transaction before anything is
 * sent; from then on the very same bytes are sent until the ledger has them, however often the daemon is restarted. A nonce is
 * given back only when no node can have the transaction, so no gap arises and nothing is ever signed twice.
 */
import { LedgerUnavailable, StorageUnavailable } from "@treemark/core"
import { Clock, Context, Duration, Effect, Fiber, Layer, Option, Semaphore } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { Hex, TransactionReceipt } from "viem"
import type { LedgerNetwork } from "../ledger/Networks.ts"
import { ask, ledgerUnavailable } from "../ledger/RpcFailure.ts"
import { type Lease, type LeaseElsewhere, type LeaseLost, Leases } from "../replicas/Leases.ts"
import { HdWallets } from "../wallets/HdWallets.ts"
import * as Nonces from "./Nonces.ts"
import { type Signed, TransactionLost, type Wanted } from "./OutboxTransaction.ts"
import { awaitReceipt, receiptOf, sendOnce, type Verdict } from "./Sending.ts"
import { signTransaction } from "./SignedTransaction.ts"

export interface OutboxOptions {
  /** How long a taken transaction may stay without a receipt before it is sent again; 30 s by default. */
  readonly resendAfter?: Duration.Duration
  /** How long a spent nonce is looked into before the transaction counts as displaced; 30 s by default. */
  readonly displacedAfter?: Duration.Duration
}

/** Transactions of one wallet on one chain that may be under way at a time: what a node's pool guarantees room for. */
const IN_FLIGHT = 16

/** A receipt that comes this soon spares writing the state `sent`, which changes nothing about how a job goes on. */
const PROMPT_MS = 250

interface WalletLane extends Nonces.Lane {
  readonly slots: Semaphore.Semaphore
  /** Held while a nonce is taken and its first send begins, so that sends begin in nonce order. */
  readonly turn: Semaphore.Semaphore
  /** The epoch of the lease under which the chain was asked. */
  startedAt: number | undefined
  /** Why no more may be signed in this process. */
  stopped: string | undefined
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
    /** Makes a change of a job's row that must not be lost: tried until the store takes it. */
    readonly persist: (change: Effect.Effect<unknown, SqlError.SqlError>) => Effect.Effect<void>
  }
>()("@treemark/daemon/jobs/Outbox") {
  static readonly layer = (options: OutboxOptions = {}) => Layer.effect(Outbox, make(options))
}

const make = Effect.fnUntraced(function* (options: OutboxOptions) {
  const sql = yield* SqlClient.SqlClient
  const wallets = yield* HdWallets
  const leases = yield* Leases
  const resendAfter = Duration.toMillis(options.resendAfter ?? Duration.seconds(30))
  const displacedAfter = Duration.toMillis(options.displacedAfter ?? Duration.seconds(30))
  const inStore = Effect.provideService(SqlClient.SqlClient, sql)

  const lanes = new Map<string, WalletLane>()
  const laneOf = (chainId: number, address: string): WalletLane => {
    const key = `${chainId}:${address}`
    const known = lanes.get(key)
    if (known !== undefined) return known
    const [slots, turn] = [Semaphore.makeUnsafe(IN_FLIGHT), Semaphore.makeUnsafe(1)]
    const lane = { chainId, address, slots, turn, startedAt: undefined, stopped: undefined }
    lanes.set(key, lane)
    return lane
  }

  const untilStored = Effect.fnUntraced(function* <E>(change: Effect.Effect<unknown, E | SqlError.SqlError>) {
    for (let failures = 0; ; failures++) {
      const error = yield* change.pipe(
        Effect.as(undefined),
        Effect.catchIf(isSqlError, (failed) => Effect.succeed(failed))
      )
      if (error === undefined) return
      yield* Effect.logError("The store refused a change of a job that is under way; trying again", error)
      yield* Effect.sleep(pauseAfter(failures))
    }
  })
  const persist = Effect.fn("Outbox.persist")((change: Effect.Effect<unknown, SqlError.SqlError>) =>
    untilStored(change)
  )

  const update = ({ table, id }: Signed, columns: Record<string, string | number | null>) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (at) => sql`UPDATE ${sql(table)} SET ${sql.update({ ...columns, updated_at: at })} WHERE id = ${id}`
    )

  /** Says so only of a transaction that has not ended meanwhile: another daemon may have taken it over and been told of its receipt. */
  const markSent = ({ id, table }: Signed) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (at) => sql`UPDATE ${sql(table)} SET state = 'sent', updated_at = ${at} WHERE id = ${id} AND state = 'signed'`
    )

  const sendUnder = (lease: Lease, { network, raw }: Signed) =>
    Effect.andThen(leases.confirm(lease), sendOnce(network, raw))

  /** Another daemon may have signed for the wallet since the last epoch, and stepped over what stopped this one. */
  const startLane = Effect.fnUntraced(function* (lane: WalletLane, network: LedgerNetwork, { epoch }: Lease) {
    if (lane.startedAt === epoch) return
    const mined = yield* ask(network, () =>
      network.client.getTransactionCount({ address: lane.address as Hex, blockTag: "latest" })
    ).pipe(Effect.mapError(ledgerUnavailable))
    yield* Effect.mapError(inStore(Nonces.startAt(lane, mined)), storage("reading the nonces of a wallet"))
    lane.startedAt = epoch
    lane.stopped = undefined
  })

  const sign = Effect.fnUntraced(function* (wanted: Wanted, lane: WalletLane, lease: Lease) {
    const { network, table, id } = wanted
    const at = yield* Clock.currentTimeMillis
    return yield* sql
      .withTransaction(
        Effect.gen(function* () {
          yield* leases.guard(lease)
          const nonce = yield* inStore(Nonces.take(lane))
          const made = signTransaction(wallets, wanted.walletIndex, { ...wanted, chainId: lane.chainId, nonce })
          const signed: Signed = { table, id, network, address: lane.address, nonce, ...made }
          yield* wanted.insert(signed, at)
          return signed
        })
      )
      .pipe(Effect.catchTag("SqlError", (cause) => Effect.fail(storage("storing a signed transaction")(cause))))
  })

  /** True when the nonce was the last one taken: then the row says `refused` and the transaction can never be mined. */
  const giveUp = (signed: Signed, lane: WalletLane, lease: Lease, reason: string) =>
    lane.turn.withPermit(
      sql
        .withTransaction(
          Effect.gen(function* () {
            yield* leases.guard(lease)
            if (!(yield* inStore(Nonces.giveBack(lane, signed.nonce)))) return false
            yield* update(signed, { state: "refused", nonce: null, raw_tx: null, tx_hash: null, error: reason })
            return true
          })
        )
        .pipe(
          Effect.catchTag("SqlError", (error) =>
            Effect.as(Effect.logError("A refused transaction stays queued", error), false)
          )
        )
    )

  /** A daemon that has lost the wallet must not say that a transaction is lost: its successor may have sent it. */
  const displace = (signed: Signed, lease: Lease, reason: string) =>
    sql.withTransaction(Effect.andThen(leases.guard(lease), update(signed, { state: "displaced", error: reason })))

  const follow = Effect.fn("Outbox.follow")(function* (
    signed: Signed,
    lane: WalletLane,
    lease: Lease,
    first: Verdict,
    isResumed: boolean
  ) {
    const { hash, network, nonce } = signed
    let mayBeOut = isResumed
    let spentSince: number | undefined
    let verdict = first
    for (let failures = 0; ; verdict = yield* sendUnder(lease, signed)) {
      if (verdict.kind === "taken") {
        mayBeOut = true
        spentSince = undefined
        failures = 0
        const prompt = yield* awaitReceipt(network, hash, PROMPT_MS)
        if (Option.isSome(prompt)) return prompt.value
        yield* persist(markSent(signed))
        const receipt = yield* awaitReceipt(network, hash, resendAfter)
        if (Option.isSome(receipt)) return receipt.value
        yield* Effect.logWarning(`Transaction ${hash} has no receipt on ${network.name} yet; it is sent again`)
        continue
      }
      if (verdict.kind === "not-taken" && !mayBeOut && (yield* giveUp(signed, lane, lease, verdict.reason))) {
        return yield* new TransactionLost({ network: network.name, state: "refused", reason: verdict.reason })
      }
      if (verdict.kind !== "not-taken" && verdict.kind !== "spent") mayBeOut = true
      const found = yield* Effect.option(receiptOf(network, hash))
      const receipt = Option.flatten(found)
      if (Option.isSome(receipt)) return receipt.value
      if (verdict.kind === "spent") {
        const now = yield* Clock.currentTimeMillis
        spentSince ??= now
        if (Option.isSome(found) && (!mayBeOut || now - spentSince >= displacedAfter)) {
          const reason = displacedReason(signed)
          if (!isResumed) lane.stopped = `${reason} ${stopAdvice(signed)}`
          yield* Effect.logError(lane.stopped ?? reason)
          yield* untilStored(displace(signed, lease, reason))
          return yield* new TransactionLost({ network: network.name, state: "displaced", reason })
        }
      }
      yield* Effect.logWarning(`Transaction ${hash} (nonce ${nonce}) is not on ${network.name} yet: ${verdict.reason}`)
      yield* Effect.sleep(pauseAfter(failures++))
    }
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
      const signed = yield* sign(wanted, lane, lease)
      wanted.onSigned(signed.hash)
      const sending = yield* Effect.forkChild(sendUnder(lease, signed), { startImmediately: true })
      return { signed, sending }
    }, lane.turn.withPermit)
    const run = Effect.fnUntraced(function* (lease: Lease) {
      const { sending, signed } = yield* begin(lease)
      return yield* follow(signed, lane, lease, yield* Fiber.join(sending), false)
    }, lane.slots.withPermit)
    return yield* withLease(lane, run)
  })

  const resume = Effect.fn("Outbox.resume")(function* (signed: Signed) {
    const lane = laneOf(signed.network.chainId, signed.address)
    const run = Effect.fnUntraced(function* (lease: Lease) {
      const known = Option.flatten(yield* Effect.option(receiptOf(signed.network, signed.hash)))
      if (Option.isSome(known)) return known.value
      return yield* follow(signed, lane, lease, yield* sendUnder(lease, signed), true)
    }, lane.slots.withPermit)
    return yield* withLease(lane, run)
  })

  return Outbox.of({ send, resume, persist })
})

const isSqlError = (error: unknown): error is SqlError.SqlError => SqlError.isSqlError(error)

const storage = (doing: string) => (cause: unknown) => new StorageUnavailable({ doing, cause })

/** 100 ms, doubling up to 10 s. */
const pauseAfter = (failures: number): Duration.Duration => Duration.millis(Math.min(100 * 2 ** failures, 10_000))

const displacedReason = ({ address, hash, nonce }: Signed): string =>
  `another program used the key of wallet ${address}: its transaction was mined with nonce ${nonce}, so ours (${hash}) never will be.`

/** The next start steps over what the other program has used. */
const stopAdvice = ({ network }: Signed): string =>
  `Nothing more is signed for that wallet on ${network.name}: find and stop the other program, then restart the daemon.`
