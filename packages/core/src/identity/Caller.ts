/**
 * Who calls: the account an access token belongs to. `serviceName` is tied to the caller's API key and becomes the front
 * half of `assetSourceType` in the asset tree (interface.md, commit request, rule 4).
 */
import { Schema } from "effect"
import { WalletAddress } from "./WalletAddress.ts"

export const AccountId = Schema.String.check(
  Schema.isPattern(/^acc_[0-9a-z]{16,40}$/u, { message: "must be an account id such as acc_0f8c…" })
).pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export class Caller extends Schema.Class<Caller>("@treemark/core/identity/Caller")({
  accountId: AccountId,
  name: Schema.NonEmptyString,
  serviceName: Schema.NonEmptyString,
  wallet: WalletAddress,
  /** What the token that was shown may do; left out: everything. */
  scopes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The token that was shown, and what it may spend in a day, in 10^-18 (null: as much as the account); left out: no token was. */
  token: Schema.optionalKey(Schema.Struct({ id: Schema.NonEmptyString, dailyLimit: Schema.NullOr(Schema.BigInt) }))
}) {}
