/**
 * Port: commits as durable work. `begin` stores all of one in one step, before anything of it leaves; `conclude` stores how it ended in one
 * step, with its money and its answer. In between whoever finds it may carry it (commit/CarryCommit): the call, a later start, another
 * daemon.
 */
import { Context, type Effect, type Option } from "effect"
import type { Call, IdempotencyKeyInUse } from "../charging/Call.ts"
import type { InsufficientFunds } from "../charging/Charges.ts"
import type { ChargeTerms } from "../charging/Charging.ts"
import type { SpendingLimitReached } from "../charging/SpendingLimit.ts"
import type { Caller } from "../identity/Caller.ts"
import type { StorageUnavailable } from "../ledger/ContentStore.ts"
import type { CommitOutcome, CommitPending, CommitWork, LedgerUnavailable, NetworkRole } from "../ledger/Ledger.ts"
import type { InvalidFields } from "../rules/FieldProblem.ts"
import type { CommitReceipt } from "./CommitReceipt.ts"

/** All that a commit is begun with; nothing of it is stored yet. */
export interface CommitPlan {
  /** The call it is made for; its id is the commit's. */
  readonly call: Call
  readonly caller: Caller
  readonly network: NetworkRole
  readonly assetCid: string
  readonly tree: { readonly cid: string; readonly bytes: Uint8Array }
  /** The commit record, as it will stand on the ledger. */
  readonly commitData: string
  /** The signed act it records, in its canonical form: no other commit may have it. */
  readonly actSignature: string | undefined
  readonly terms: ChargeTerms
  readonly priceListVersion: string
}

/** A commit that was made: the answer to its call, and the receipt of its charge, as the header `Treemark-Receipt` carries it. */
export interface CommitMade {
  readonly answer: CommitReceipt
  readonly receipt: string | undefined
}

/** Why a commit that was begun did not end well, or not yet. */
export type WorkError = LedgerUnavailable | CommitPending | StorageUnavailable

export class Commits extends Context.Service<
  Commits,
  {
    /** What became of a commit that was begun under this id before, waited for; none when it may be begun: never before, or refused. */
    readonly again: (commitId: string) => Effect.Effect<Option.Option<CommitMade>, WorkError>
    /**
     * In one step: the call's key is claimed, the act is taken, the money set aside, the tree kept, the transaction signed and stored (or
     * queued, while it cannot be). Fails without having changed anything.
     */
    readonly begin: (
      plan: CommitPlan
    ) => Effect.Effect<
      CommitWork,
      | InsufficientFunds
      | SpendingLimitReached
      | InvalidFields
      | LedgerUnavailable
      | StorageUnavailable
      | IdempotencyKeyInUse
    >
    /** Waits for `carrying` as long as the service's patience goes; it goes on when nobody waits any more. */
    readonly attend: <R>(
      work: CommitWork,
      carrying: Effect.Effect<CommitMade, LedgerUnavailable | StorageUnavailable, R>
    ) => Effect.Effect<CommitMade, WorkError, R>
    /** In one step: the state, the charge or its return, the receipt, and the answer under the call's key. Done twice it changes nothing. */
    readonly conclude: (
      work: CommitWork,
      outcome: CommitOutcome
    ) => Effect.Effect<CommitMade, LedgerUnavailable | StorageUnavailable>
  }
>()("@treemark/core/commit/Commits") {}
