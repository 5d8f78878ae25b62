/** Why a commit was refused or did not end; the daemon's table from error to HTTP status reads these. */
import { Schema } from "effect"
import type { IdempotencyKeyInUse } from "../charging/Call.ts"
import type { InsufficientFunds } from "../charging/Charges.ts"
import type { SpendingLimitReached } from "../charging/SpendingLimit.ts"
import type { StorageUnavailable } from "../ledger/ContentStore.ts"
import type { CommitPending, LedgerUnavailable } from "../ledger/Ledger.ts"
import type { InvalidFields } from "../rules/FieldProblem.ts"
import type { SignerUnavailable } from "../signing/Signer.ts"

export class AssetNotRegistered extends Schema.TaggedError<AssetNotRegistered>()("AssetNotRegistered", {
  assetCid: Schema.String
}) {
  override get message() {
    return `The asset ${this.assetCid} is not registered here, and only a registered asset can be committed. Register its file first (POST /assets, or treemarkd asset register FILE), then commit it. Nothing was charged.`
  }
}

export type CommitError =
  | InvalidFields
  | AssetNotRegistered
  | InsufficientFunds
  | SpendingLimitReached
  | IdempotencyKeyInUse
  | SignerUnavailable
  | LedgerUnavailable
  | CommitPending
  | StorageUnavailable
