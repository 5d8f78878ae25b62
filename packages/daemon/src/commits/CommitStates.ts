/** Where a commit stands, as its own caller is told. */
import type { AccountId, StorageUnavailable } from "@treemark/core"
import { Context, type Effect, type Option, Schema } from "effect"

/**
 * - `queued`: handed to the daemon that signs (several daemons on one database only).
 * - `signed`: nonce, bytes and hash are stored.
 * - `sent`: a node has it; left out where the receipt came at once.
 * - `replaced`: signed anew with the same nonce and a higher fee; every variant is kept.
 * - `in_block`: in a block, waiting for confirmations.
 * - `reorganised`: its block fell out of the chain; the same bytes are sent again.
 * - `mined`: recorded, with the confirmations asked for.
 * - `reverted`, `refused`, `displaced`: it was not recorded, and `detail` says why.
 */
export const CommitEventName = Schema.Literals([
  "queued",
  "signed",
  "sent",
  "replaced",
  "in_block",
  "reorganised",
  "mined",
  "reverted",
  "refused",
  "displaced"
])
export type CommitEventName = typeof CommitEventName.Type

/** A step of the commit's life; times are ISO 8601. */
const CommitHistoryEntry = Schema.Struct({
  at: Schema.String,
  what: CommitEventName.annotate({
    description:
      "queued, signed, sent, replaced (same nonce, higher fee), in_block (waiting for confirmations), reorganised (its block fell out of the chain; the same bytes are sent again), mined, reverted, refused, displaced"
  }),
  txHash: Schema.NullOr(Schema.String),
  blockNumber: Schema.NullOr(Schema.Int),
  blockHash: Schema.NullOr(Schema.String),
  detail: Schema.NullOr(Schema.String)
})

export const CommitState = Schema.Struct({
  id: Schema.String,
  state: Schema.Literals(["held", "queued", "signed", "sent", "mined", "failed"]).annotate({
    description:
      "held, queued, signed and sent: not known yet, and it goes on by itself. mined: on the ledger and charged. failed: it never will be, and nothing was charged"
  }),
  txHash: Schema.NullOr(Schema.String),
  assetCid: Schema.NullOr(Schema.String),
  assetTreeCid: Schema.NullOr(Schema.String),
  explorer: Schema.NullOr(Schema.String),
  blockNumber: Schema.NullOr(Schema.Int),
  confirmations: Schema.NullOr(Schema.Int).annotate({
    description:
      "While it waits for more confirmations: the blocks that hold it or stand on top of it so far, if its node answers"
  }),
  /** Exact decimal number of native tokens. */
  charged: Schema.NullOr(Schema.String),
  receipt: Schema.NullOr(Schema.String).annotate({ description: "As in the header Treemark-Receipt" }),
  error: Schema.NullOr(Schema.String),
  history: Schema.Array(CommitHistoryEntry).annotate({ description: "What happened to it, oldest first" })
}).annotate({ identifier: "CommitState" })
export type CommitState = typeof CommitState.Type

export class CommitStates extends Context.Service<
  CommitStates,
  {
    /** The commit with this id, if it is one of this account. */
    readonly find: (
      accountId: AccountId,
      commitId: string
    ) => Effect.Effect<Option.Option<CommitState>, StorageUnavailable>
  }
>()("@treemark/daemon/commits/CommitStates") {}
