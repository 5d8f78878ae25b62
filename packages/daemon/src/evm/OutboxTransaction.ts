/** Transactions as the outbox takes them, keeps them, and loses them. */
import { LedgerUnavailable } from "@treemark/core"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Hex } from "viem"
import { LeaseElsewhere, LeaseLost } from "../store/Leases.ts"
import type { Terms } from "./Fees.ts"
import type { LedgerNetwork } from "./Networks.ts"

/** Tables with the columns `id, state, nonce, raw_tx, tx_hash, error, updated_at`. */
export type JobTable = "commit_job" | "transfer_job"

/** A stored, signed transaction. */
export interface Signed {
  readonly table: JobTable
  readonly id: string
  readonly network: LedgerNetwork
  readonly address: string
  readonly nonce: number
  readonly raw: Hex
  readonly hash: Hex
  /** Who can sign it again, with a higher fee, should it get stuck; undefined: it is never replaced. */
  readonly walletIndex?: number | undefined
}

/** A transaction that is wanted. */
export interface Wanted {
  readonly table: JobTable
  readonly id: string
  readonly network: LedgerNetwork
  readonly walletIndex: number
  readonly to: string
  readonly data: Hex
  readonly value: bigint
  readonly terms: Terms
  /** Asked just before signing; false when nobody wants it any more. */
  readonly begin: () => boolean
  /** Writes the row, in the transaction that takes the nonce, or fails and thereby undoes it; `at` is milliseconds since 1970. */
  readonly insert: (signed: Signed, at: number) => Effect.Effect<unknown, SqlError.SqlError | LedgerUnavailable>
  /** Told once the row is stored. */
  readonly onSigned: (hash: Hex) => void
}

/**
 * The transaction is certain never to be mined. `refused`: no node took it, its nonce was given back. `displaced`: another
 * transaction of the same wallet was mined with its nonce.
 */
export class TransactionLost extends Schema.TaggedError<TransactionLost>()("TransactionLost", {
  network: Schema.String,
  state: Schema.Literals(["refused", "displaced"]),
  reason: Schema.String
}) {
  override get message() {
    return `${this.network}: ${this.reason}`
  }
}

/** For callers to whom a wallet in another daemon's hands is a ledger that cannot be used now. */
export const unlessElsewhere =
  (network: string) =>
  <A, E, R>(
    self: Effect.Effect<A, E, R>
  ): Effect.Effect<A, Exclude<E, LeaseElsewhere | LeaseLost> | LedgerUnavailable, R> =>
    Effect.mapError(self, (error) =>
      error instanceof LeaseElsewhere || error instanceof LeaseLost
        ? new LedgerUnavailable({ network, reason: error.message })
        : (error as Exclude<E, LeaseElsewhere | LeaseLost>)
    )
