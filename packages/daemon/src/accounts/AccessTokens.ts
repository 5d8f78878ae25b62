/** Access tokens: 256 random bits, shown once, stored only as a hash; they can expire, be listed and be revoked. */
import type { AccountId, Amount, Caller, StorageUnavailable } from "@treemark/core"
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { AccountClosed, AccountNotFound } from "./Accounts.ts"
import type { Scope } from "./Scopes.ts"

/** Unknown, malformed, expired and revoked tokens look the same from outside. */
export class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", {}) {
  override get message() {
    return "The access token is not one of this service, or it has expired or was revoked. Use a token of a registered account (treemarkd account create, or treemarkd account token create)."
  }
}

export class AccountDisabled extends Schema.TaggedError<AccountDisabled>()("AccountDisabled", {
  name: Schema.String
}) {
  override get message() {
    return `The account "${this.name}" is disabled, so its tokens are not served. Nothing was charged. The operator can enable it again: treemarkd account enable "${this.name}".`
  }
}

export class TokenNotFound extends Schema.TaggedError<TokenNotFound>()("TokenNotFound", { id: Schema.String }) {
  override get message() {
    return `There is no access token with the id "${this.id}". treemarkd account token list ACCOUNT shows the ids.`
  }
}

/** What may be shown of a token after it was issued. Times are milliseconds since 1970. */
export class TokenInfo extends Schema.Class<TokenInfo>("@treemark/daemon/accounts/TokenInfo")({
  id: Schema.NonEmptyString,
  label: Schema.String,
  createdAt: Schema.Int,
  expiresAt: Schema.NullOr(Schema.Int),
  revokedAt: Schema.NullOr(Schema.Int),
  lastUsedAt: Schema.NullOr(Schema.Int),
  /** What it may do, words with spaces between; null: everything. */
  scopes: Schema.NullOr(Schema.String),
  /** Of the web page or browser extension that holds it. */
  origin: Schema.NullOr(Schema.String),
  /** What it may spend in a day of UTC, an exact decimal number of native tokens; null: as much as its account. */
  dailyLimit: Schema.NullOr(Schema.String),
  /** What it spent today or has set aside for calls that run, likewise. */
  spentToday: Schema.String
}) {}

/** What a new token is to be. */
export interface NewToken {
  readonly label: string
  readonly expiresAt: number | null
  /** Default: everything. */
  readonly scopes?: ReadonlyArray<Scope>
  readonly origin?: string | null
  /** What it may spend in a day of UTC; default: as much as its account. */
  readonly dailyLimit?: Amount | null
}

export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    readonly issue: (
      accountId: AccountId,
      options: NewToken
    ) => Effect.Effect<
      { readonly token: Redacted.Redacted<string>; readonly info: TokenInfo },
      AccountClosed | AccountNotFound | StorageUnavailable
    >
    /** Whose token this is, and what it may do. A disabled account's token is known but refused. */
    readonly authenticate: (
      token: Redacted.Redacted<string>
    ) => Effect.Effect<Caller, InvalidToken | AccountDisabled | StorageUnavailable>
    readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<TokenInfo>, StorageUnavailable>
    readonly revoke: (tokenId: string) => Effect.Effect<TokenInfo, TokenNotFound | StorageUnavailable>
  }
>()("@treemark/daemon/accounts/AccessTokens") {}
