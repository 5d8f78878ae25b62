/**
 * Port: an ERC-7053 commit contract on an EVM ledger (https://eips.ethereum.org/EIPS/eip-7053). `mainnet` and `testnet` are
 * roles; a profile says which chains fill them. Gas amounts are in 10^-18 of the native token.
 */
import { Context, type Effect, Schema } from "effect"
import { NetworkRole } from "../identity/NetworkRole.ts"
import { WalletAddress } from "../identity/WalletAddress.ts"
import { Amount } from "../money/Amount.ts"
import type { StorageUnavailable } from "./ContentStore.ts"

export { NetworkRole }

/** The ledger did not answer; of a commit: did not take it. What that means for a charge is told by whoever held it (`nothingCharged`). */
export class LedgerUnavailable extends Schema.TaggedError<LedgerUnavailable>()("LedgerUnavailable", {
  network: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The ledger of ${this.network} did not answer as needed: ${this.reason} Call again later.`
  }
}

/** The transaction was sent and its outcome is not known yet. The hold stays until it is. */
export class CommitPending extends Schema.TaggedError<CommitPending>()("CommitPending", {
  commitId: Schema.String,
  txHash: Schema.String
}) {
  override get message() {
    return `Commit ${this.commitId} was sent as transaction ${this.txHash}, and whether the ledger took it is not known yet. Call again with the same Idempotency-Key to get the final answer; it is never sent or charged twice.`
  }
}

/** Where a commit stands on the ledger. */
export class LedgerEntry extends Schema.Class<LedgerEntry>("@treemark/core/ledger/LedgerEntry")({
  network: Schema.NonEmptyString,
  chainId: Schema.Int,
  contract: WalletAddress,
  txHash: Schema.NonEmptyString,
  blockNumber: Schema.Int,
  blockHash: Schema.NonEmptyString,
  logIndex: Schema.Int,
  recorder: WalletAddress,
  /** What the transaction really cost: gas used × effective gas price. */
  gasPaid: Amount
}) {}

/** A block of the ledger. */
export interface Place {
  readonly blockNumber: number
  readonly blockHash: string
}

/** A commit that was begun. */
export interface CommitWork {
  readonly commitId: string
  readonly network: NetworkRole
  readonly assetCid: string
  readonly assetTreeCid: string
  readonly commitData: string
  /** The transaction as it is stored; undefined while it waits to be signed. */
  readonly transaction:
    | { readonly from: WalletAddress; readonly nonce: number; readonly raw: string; readonly hash: string }
    | undefined
}

/** What the ledger did with a commit's transaction, for good. */
export interface CommitOutcome {
  readonly txHash: string
  readonly place: Place
  /** Where its event is in the block; undefined when the contract recorded nothing, and then `reason` says why. */
  readonly logIndex: number | undefined
  readonly reason: string | null
  readonly gasUsed: bigint
  readonly gasPaid: Amount
  /** Whether its block may yet fall out of the chain. */
  readonly watched: boolean
}

/** One Commit event of an asset, with its record as it stands on the ledger. */
export interface LedgerCommit {
  readonly txHash: string
  readonly blockNumber: number
  readonly blockHash: string
  readonly logIndex: number
  readonly recorder: WalletAddress
  readonly commitData: string
}

/** The place of an event on its ledger; later events have a higher block, or in one block a higher index. */
export interface LedgerPlace {
  readonly blockNumber: number
  readonly logIndex: number
}

/** A part of a history: what lies strictly between two places, and of that at most `limit`, from its oldest or its newest end. */
export interface HistoryRange {
  readonly after?: LedgerPlace | undefined
  readonly before?: LedgerPlace | undefined
  readonly limit?: number | undefined
  /** Which end `limit` counts from; the oldest by default. */
  readonly from?: "oldest" | "newest" | undefined
}

export class Ledger extends Context.Service<
  Ledger,
  {
    /** The service's wallet that sends the commits of this asset: all of them, so that they stand in the order they were made. */
    readonly committerOf: (assetCid: string) => WalletAddress
    /** Where the commits of a role go: its chain and contract are what a signed act names (proof/Act). */
    readonly networkOf: (network: NetworkRole) => {
      readonly name: string
      readonly chainId: number
      readonly contract: WalletAddress
    }
    /** The most that committing `commitData` may cost in gas: the estimate and a margin, at today's fee. */
    readonly quote: (
      network: NetworkRole,
      commit: { readonly assetCid: string; readonly commitData: string }
    ) => Effect.Effect<Amount, LedgerUnavailable>
    /**
     * Sends what was begun, and answers what the ledger did with it, for good. Carried again it never sends a second transaction. Fails with
     * `LedgerUnavailable` when it will never be recorded, and then that is stored.
     */
    readonly carry: (work: CommitWork) => Effect.Effect<CommitOutcome, LedgerUnavailable | StorageUnavailable>
    /** The commits of an asset, by any recorder, oldest first: every one, or those of a range. */
    readonly history: (
      network: NetworkRole,
      assetCid: string,
      range?: HistoryRange
    ) => Effect.Effect<ReadonlyArray<LedgerCommit>, LedgerUnavailable>
    /** A URL that opens on the transaction in the network's explorer. */
    readonly explorerUrl: (network: NetworkRole, txHash: string) => string
  }
>()("@treemark/core/ledger/Ledger") {}
