/** Transactions as the outbox takes them, keeps them, and loses them. */
import { LedgerUnavailable } from "@treemark/core"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Hex } from "viem"
import { LeaseElsewhere, LeaseLost } from "../store/Leases.ts"
import type { LedgerNetwork } from "./Networks.ts"
import type { TransactionFields } from "./SignedTransaction.ts"

type Change<A> = Effect.Effect<A, SqlError.SqlError>

/** The job a transaction belongs to: its row says what the outbox knows. Each change is part of the transaction at hand. */
export interface Job {
  readonly id: string
  /** A node has it; nothing new to a job that has ended. */
  readonly sent: (hash: Hex) => Change<unknown>
  /** It will never be mined; false when the job had ended. `refused`: it was never sent, and has no nonce any more. */
  readonly lost: (state: "refused" | "displaced", hash: Hex, reason: string) => Change<boolean>
  /** `next` is what is sent from now on. A job without this is never replaced. */
  readonly replaced?: (next: Signed, from: bigint, to: bigint) => Change<unknown>
}

/** What is to be signed for a job, by the wallet at `walletIndex`. */
export interface ToSign extends Omit<TransactionFields, "chainId" | "nonce"> {
  readonly job: Job
  readonly network: LedgerNetwork
  readonly walletIndex: number
}

/** A signed transaction that is stored. */
export interface Signed {
  readonly job: Job
  readonly network: LedgerNetwork
  readonly address: string
  readonly nonce: number
  readonly raw: Hex
  readonly hash: Hex
  /** Who can sign it again, with a higher fee, should it get stuck; undefined: nobody here. */
  readonly walletIndex: number | undefined
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
