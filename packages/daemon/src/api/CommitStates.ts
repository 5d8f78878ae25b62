/** Where a commit stands, as its own caller is told. */
import type { AccountId, StorageUnavailable } from "@treemark/core"
import { Context, type Effect, type Option, Schema } from "effect"

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
  /** Exact decimal number of native tokens. */
  charged: Schema.NullOr(Schema.String),
  receipt: Schema.NullOr(Schema.String).annotate({ description: "As in the header Treemark-Receipt" }),
  error: Schema.NullOr(Schema.String)
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
>()("@treemark/daemon/api/CommitStates") {}
