/**
 * Port: charging as hold → work → capture, or release when the work failed. Every movement is a double-entry posting in exact
 * units; credits are used first, and when they do not cover the call, the native tokens of the caller's wallet.
 */
import { Context, type Effect, Schema } from "effect"
import type { Caller } from "../identity/Caller.ts"
import type { StorageUnavailable } from "../ledger/ContentStore.ts"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import { Amount, formatTokens } from "../money/Amount.ts"
import type { Operation } from "../money/PriceList.ts"
import type { Call, IdempotencyKeyInUse } from "./Call.ts"
import type { SpendingLimitReached } from "./SpendingLimit.ts"

export class InsufficientFunds extends Schema.TaggedError<InsufficientFunds>()("InsufficientFunds", {
  needed: Amount,
  credits: Amount,
  tokens: Amount
}) {
  override get message() {
    return (
      `This call needs up to ${formatTokens(this.needed)} native tokens. The account has ${formatTokens(this.credits)} in credits ` +
      `and ${formatTokens(this.tokens)} in its wallet, and one of the two must cover the call. Nothing was charged: add credits or send tokens to the wallet, then call again.`
    )
  }
}

/** Money set aside for one call. `reference` names what it is for: a commit's id, or a request's. */
export interface Hold {
  readonly id: string
  readonly caller: Caller
  readonly operation: Operation
  readonly reference: string
  readonly amount: Amount
  /** The operation's price when the money was set aside, and what is charged for it, whatever the price is by then. */
  readonly price: Amount
}

export class Charges extends Context.Service<
  Charges,
  {
    /** Sets `amount` aside in one atomic step, claiming the call's key, or fails without changing anything. */
    readonly hold: (request: {
      readonly caller: Caller
      readonly operation: Operation
      readonly reference: string
      readonly amount: Amount
      /** The call that it is for, where that may have a key. */
      readonly call?: Call
    }) => Effect.Effect<
      Hold,
      InsufficientFunds | SpendingLimitReached | IdempotencyKeyInUse | StorageUnavailable | LedgerUnavailable
    >
    /**
     * Charges `amount` (at most what is held), gives the rest back, and keeps `answer` for the call's key, in one step. Done twice with the
     * same amount it changes nothing.
     */
    readonly capture: (hold: Hold, amount: Amount, answer?: unknown) => Effect.Effect<void, StorageUnavailable>
    /** Gives everything back. Done twice it changes nothing. */
    readonly release: (hold: Hold) => Effect.Effect<void, StorageUnavailable>
  }
>()("@treemark/core/charging/Charges") {}
