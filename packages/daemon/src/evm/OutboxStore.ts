/**
 * What the outbox writes, beside what the job it is for says of it: a nonce taken and bytes signed, a nonce given back, a transaction
 * replaced by one with the same nonce, a transaction lost. A change that must not be lost is tried until the store takes it.
 */
import { StorageUnavailable } from "@treemark/core"
import { Clock, Data, Duration, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { type Lease, Leases } from "../store/Leases.ts"
import { HdWallets } from "../wallets/HdWallets.ts"
import * as Nonces from "./Nonces.ts"
import type { Signed, ToSign } from "./OutboxTransaction.ts"
import { signTransaction } from "./SignedTransaction.ts"
import { storeVariants, variantsOf } from "./Variants.ts"

export const isSqlError = (error: unknown): error is SqlError.SqlError => SqlError.isSqlError(error)

export const storage = (doing: string) => (cause: unknown) => new StorageUnavailable({ doing, cause })

/** 100 ms, doubling up to 1 s: a store that is back is used soon. */
export const storePause = (failures: number): Duration.Duration =>
  Duration.millis(Math.min(100 * 2 ** Math.min(failures, 10), 1_000))

export const makeOutboxStore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const wallets = yield* HdWallets
  const leases = yield* Leases
  const inStore = Effect.provideService(SqlClient.SqlClient, sql)

  /** Tries a change until the store takes it; fails only with what is no failure of the store. */
  const untilStored = Effect.fnUntraced(function* <A, E>(change: Effect.Effect<A, E | SqlError.SqlError>) {
    for (let failures = 0; ; failures++) {
      const ended = yield* change.pipe(
        Effect.map((value) => ({ value })),
        Effect.catchIf(isSqlError, (error) => Effect.succeed({ error }))
      )
      if ("value" in ended) return ended.value
      yield* Effect.logError("The store refused a change of a job that is under way; trying again", ended.error)
      yield* Effect.sleep(storePause(failures))
    }
  })

  const startAt = (lane: Nonces.Lane, mined: number) =>
    Effect.mapError(inStore(Nonces.startAt(lane, mined)), storage("reading the nonces of a wallet"))

  /** Part of the transaction that stores what is signed: nothing is sent before its COMMIT. */
  const sign = Effect.fnUntraced(function* (wanted: ToSign, lane: Nonces.Lane, lease: Lease) {
    const right = leases.locking?.(lease)
    if (right === undefined) yield* leases.guard(lease)
    const nonce = yield* inStore(Nonces.take(lane, right))
    if (nonce === undefined) {
      yield* leases.guard(lease)
      return yield* Effect.die(new Error(`The nonces of ${lane.address} on chain ${lane.chainId} were not started.`))
    }
    const { job, network, walletIndex } = wanted
    const made = signTransaction(wallets, walletIndex, { ...wanted, chainId: lane.chainId, nonce })
    return { job, network, address: lane.address, nonce, walletIndex, ...made } satisfies Signed
  })

  const markSent = ({ hash, job }: Signed) => sql.withTransaction(job.sent(hash))

  /**
   * True when the nonce was the last one taken: then the job is refused, and the transaction can never be mined. The nonce is locked last,
   * as by those that sign; should one have been taken meanwhile, nothing of this happened.
   */
  const giveUp = Effect.fnUntraced(function* (signed: Signed, lane: Nonces.Lane, lease: Lease, reason: string) {
    yield* leases.guard(lease)
    if ((yield* inStore(Nonces.nextOf(lane))) !== signed.nonce + 1) return false
    if (!(yield* signed.job.lost("refused", signed.hash, reason))) return false
    return (yield* inStore(Nonces.giveBack(lane, signed.nonce))) || (yield* new NonceTaken())
  }, sql.withTransaction)

  /** A daemon that has lost the wallet must not say that a transaction is lost: its successor may have sent it. */
  const displace = Effect.fnUntraced(function* ({ hash, job }: Signed, lease: Lease, reason: string) {
    yield* leases.guard(lease)
    yield* job.lost("displaced", hash, reason)
  }, sql.withTransaction)

  /** From now on `next` is what is sent; it, and what it replaces, are kept. Nothing of it was sent before this. */
  const replace = Effect.fnUntraced(function* (old: Signed, next: Signed, lease: Lease) {
    yield* leases.guard(lease)
    const [from = 0n, to = 0n] = yield* inStore(storeVariants([old, next], yield* Clock.currentTimeMillis))
    if (next.job.replaced !== undefined) yield* next.job.replaced(next, from, to)
  }, sql.withTransaction)

  return {
    untilStored,
    startAt,
    sign,
    markSent,
    giveUp: (signed: Signed, lane: Nonces.Lane, lease: Lease, reason: string) =>
      Effect.catchIf(giveUp(signed, lane, lease, reason), isTaken, () => Effect.succeed(false)),
    displace,
    replace,
    variantsOf: (id: string) => inStore(variantsOf(id))
  }
})

export type OutboxStore = Effect.Success<typeof makeOutboxStore>

/** Undoes the transaction around it. */
class NonceTaken extends Data.TaggedError("NonceTaken") {}

const isTaken = (error: unknown): error is NonceTaken => error instanceof NonceTaken
