/** The commit response (interface.md, "Commit response"). */
import { Schema } from "effect"

export class CommitReceipt extends Schema.Class<CommitReceipt>("@treemark/core/commit/CommitReceipt")({
  txHash: Schema.String,
  assetCid: Schema.String,
  assetTreeCid: Schema.String,
  explorer: Schema.String
}) {}
