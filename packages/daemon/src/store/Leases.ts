/**
 * Who signs for a wallet on a chain: one daemon at a time, with an epoch (a fencing token) that grows with every change of hands.
 * Signing happens in a database transaction that holds the lease's row, so a daemon that stood still and woke up cannot sign. What it
 * may still send are bytes that were signed and stored under a valid epoch: its successor sends the very same ones.
 *
 * A daemon that is alone on its store signs for every wallet, and nothing here costs it anything.
 */
import { Context, Effect, Schema } from "effect"
import type { SqlError, Statement } from "effect/sql"

/** A wallet on a chain. */
export interface Lane {
  readonly chainId: number
  readonly address: string
}

/** The right to sign for a lane, as long as `epoch` is the newest. */
export interface Lease extends Lane {
  readonly epoch: number
}

/** Another daemon signs for the lane, and lives. */
export class LeaseElsewhere extends Schema.TaggedError<LeaseElsewhere>()("LeaseElsewhere", {
  chainId: Schema.Int,
  address: Schema.String
}) {
  override get message() {
    return `another daemon of this service signs for the wallet ${this.address} on chain ${this.chainId} at the moment.`
  }
}

/** Another daemon took the lane over, because this one gave no sign of life; what it had begun goes on there. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {
  chainId: Schema.Int,
  address: Schema.String
}) {
  override get message() {
    return `another daemon of this service has taken over the wallet ${this.address} on chain ${this.chainId}, and goes on with what was begun here.`
  }
}

export interface LeasesShape {
  /** Runs `work` with the lane's lease: the one this daemon has, or a new one. It is given back when the last user ends. */
  readonly use: <A, E, R>(
    lane: Lane,
    work: (lease: Lease) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | LeaseElsewhere | SqlError.SqlError, R>
  /** The lane's lease, if this daemon has it now; it may be gone the next moment, which {@link guard} tells. */
  readonly held: (lane: Lane) => Lease | undefined
  /** Inside a transaction: the lease is valid, and stays so until the transaction ends. */
  readonly guard: (lease: Lease) => Effect.Effect<void, LeaseLost | SqlError.SqlError>
  /** The same as a SELECT, for a statement that does nothing where it finds no row; where it is missing, {@link guard} is asked. */
  readonly locking?: (lease: Lease) => Statement.Fragment
  /** Before something is sent: the lease was valid a moment ago. Waits while the database cannot tell. */
  readonly confirm: (lease: Lease) => Effect.Effect<void, LeaseLost>
}

export const Leases = Context.Reference<LeasesShape>("@treemark/daemon/store/Leases", {
  defaultValue: () => ({
    use: (lane, work) => work({ ...lane, epoch: 0 }),
    held: (lane) => ({ ...lane, epoch: 0 }),
    guard: () => Effect.void,
    confirm: () => Effect.void
  })
})
