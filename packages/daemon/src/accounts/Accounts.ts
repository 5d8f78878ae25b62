/** Accounts: who may call, with which service name, from which wallet, with how many credits. */

import type { LedgerUnavailable, StorageUnavailable } from "@treemark/core"
import { AccountId, Amount, WalletAddress } from "@treemark/core"
import type { Redacted } from "effect"
import { Context, type Effect, Schema } from "effect"

export class Account extends Schema.Class<Account>("@treemark/daemon/accounts/Account")({
  id: AccountId,
  name: Schema.NonEmptyString,
  serviceName: Schema.NonEmptyString,
  wallet: WalletAddress,
  /** Index of the wallet in the seed (BIP-44 address index); 0 is the service's own. */
  walletIndex: Schema.Int,
  disabled: Schema.Boolean,
  /** Closed for good: disabled, without tokens, and nothing is posted for it any more. */
  closed: Schema.Boolean,
  /** Milliseconds since 1970. */
  createdAt: Schema.Int,
  /** Credits not held by a running call, in 10^-18. */
  credits: Amount
}) {}

export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {
  account: Schema.String
}) {
  override get message() {
    return `There is no account "${this.account}". Name one by its id or its name; treemarkd account list shows them.`
  }
}

export class AccountNameTaken extends Schema.TaggedError<AccountNameTaken>()("AccountNameTaken", {
  name: Schema.String
}) {
  override get message() {
    return `An account named "${this.name}" exists already. Choose another name, or show that one with treemarkd account show "${this.name}".`
  }
}

/** The account was closed, and stays so. */
export class AccountClosed extends Schema.TaggedError<AccountClosed>()("AccountClosed", { name: Schema.String }) {
  override get message() {
    return `The account "${this.name}" was closed for good: it takes no credits and no tokens and cannot be enabled. Its statement and its history stay. Create another account with treemarkd account create.`
  }
}

export class Accounts extends Context.Service<
  Accounts,
  {
    /** Creates an account with a wallet of its own and one access token, which is shown this once. `tokens` funds the wallet on the `local` chains only. */
    readonly create: (request: {
      readonly name: string
      readonly serviceName: string
      readonly credits: Amount
      readonly tokens: Amount
    }) => Effect.Effect<
      { readonly account: Account; readonly token: Redacted.Redacted<string> },
      AccountNameTaken | StorageUnavailable | LedgerUnavailable
    >
    /** The account with this id or this name. */
    readonly find: (idOrName: string) => Effect.Effect<Account, AccountNotFound | StorageUnavailable>
    readonly list: Effect.Effect<ReadonlyArray<Account>, StorageUnavailable>
    readonly addCredits: (
      idOrName: string,
      credits: Amount
    ) => Effect.Effect<Account, AccountClosed | AccountNotFound | StorageUnavailable>
    readonly setDisabled: (
      idOrName: string,
      disabled: boolean
    ) => Effect.Effect<Account, AccountClosed | AccountNotFound | StorageUnavailable>
  }
>()("@treemark/daemon/accounts/Accounts") {}
