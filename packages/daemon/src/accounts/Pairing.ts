/**
 * Pairing a tool with an account (RFC 8628): the tool asks and shows a code; its person types it where they are signed in, sees which tool of
 * which origin wants what, and decides; the tool, which has been asking meanwhile, gets a token of its own.
 */
import type { AccountId, Amount, StorageUnavailable } from "@treemark/core"
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { Scope } from "./Scopes.ts"

/** How long a code can be used, in milliseconds. */
export const PAIRING_LIFE = 600_000
/** How long a tool waits between two questions at least; asked sooner, it waits as much longer from then on. */
export const PAUSE = 5_000
/** So many wrong codes, and every pairing that waits for a decision is gone. */
export const MOST_WRONG = 5
/** So many may wait at once, for each origin. */
export const MOST_WAITING = 5

/** No pairing waits under this code. */
export class PairingUnknown extends Schema.TaggedError<PairingUnknown>()("PairingUnknown", {}) {
  override get message() {
    return "No tool waits under this code. Codes last ten minutes and are used once; after five wrong ones all that wait are given up, and the tool shows a new one. Nothing was allowed."
  }
}

/** Too many pairings of this origin wait for a decision. */
export class PairingsFull extends Schema.TaggedError<PairingsFull>()("PairingsFull", {}) {
  override get message() {
    return "Too many tools from there wait to be paired already. Decide about those, or try again in ten minutes."
  }
}

/** What a tool asked for. */
export interface Asking {
  readonly name: string
  /** Of a web page or a browser extension; null: a program. */
  readonly origin: string | null
  readonly scopes: ReadonlyArray<Scope>
}

/** Where the tool stands, as RFC 8628 calls it; or its token, once. */
export type Polled =
  | { readonly token: Redacted.Redacted<string>; readonly scopes: ReadonlyArray<Scope> }
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"
  | "invalid_grant"

export class Pairing extends Context.Service<
  Pairing,
  {
    readonly begin: (
      asking: Asking
    ) => Effect.Effect<
      { readonly deviceCode: Redacted.Redacted<string>; readonly userCode: string },
      PairingsFull | StorageUnavailable
    >
    /** Which tool waits under this code. A wrong code counts. */
    readonly find: (userCode: string) => Effect.Effect<Asking, PairingUnknown | StorageUnavailable>
    /** Decides for an account; `undefined` denies. The code is used up. `dailyLimit`: what the tool may spend in a day; null: no limit. */
    readonly decide: (
      userCode: string,
      accountId: AccountId | undefined,
      dailyLimit?: Amount | null
    ) => Effect.Effect<Asking, PairingUnknown | StorageUnavailable>
    readonly poll: (deviceCode: Redacted.Redacted<string>) => Effect.Effect<Polled, StorageUnavailable>
    /** Whether a tool of this origin holds a token that lives. */
    readonly allowsOrigin: (origin: string) => Effect.Effect<boolean, StorageUnavailable>
  }
>()("@treemark/daemon/accounts/Pairing") {}
