/**
 * Signing in to the console: a code that works once, within two minutes, becomes a session of one account. A session ends when it was not
 * used for twelve hours, when it is ended, and when all of its account's are. Codes and sessions are stored as hashes only.
 */
import type { AccountId, Caller, LedgerUnavailable, StorageUnavailable } from "@treemark/core"
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { AccountDisabled } from "./AccessTokens.ts"

/** How long a code can be used, and how long a session may lie unused, in milliseconds. */
export const CODE_LIFE = 120_000
export const SESSION_LIFE = 12 * 3_600_000

/** The code is not, or no longer, one that signs in; why is not told. */
export class CodeRefused extends Schema.TaggedError<CodeRefused>()("CodeRefused", {}) {
  override get message() {
    return "This sign-in code does not work: it was used already, is more than two minutes old, or was never given out. Nobody was signed in. A new one is made by: npx @treemark/daemon open"
  }
}

/** The session is not, or no longer, one. */
export class SessionOver extends Schema.TaggedError<SessionOver>()("SessionOver", {}) {
  override get message() {
    return "This session is over: it was ended, or not used for twelve hours. Nothing was done. Sign in again with: npx @treemark/daemon open"
  }
}

/** The text of a session, which only its browser has. */
export type SessionText = Redacted.Redacted<string>

export class Sessions extends Context.Service<
  Sessions,
  {
    /** A new code that signs in to this account; `undefined`: to the first one that is not closed, made if there is none. */
    readonly makeCode: (
      accountId: AccountId | undefined
    ) => Effect.Effect<Redacted.Redacted<string>, StorageUnavailable>
    /** Takes the code, whatever comes of it, and begins a session. */
    readonly signIn: (
      code: Redacted.Redacted<string>
    ) => Effect.Effect<SessionText, CodeRefused | LedgerUnavailable | StorageUnavailable>
    /** Whose session this is; using it keeps it alive. */
    readonly authenticate: (
      session: SessionText
    ) => Effect.Effect<Caller, SessionOver | AccountDisabled | StorageUnavailable>
    readonly end: (session: SessionText) => Effect.Effect<void, StorageUnavailable>
    /** Signs out everywhere: ends every session of the account and takes back its codes. */
    readonly endAll: (accountId: AccountId) => Effect.Effect<void, StorageUnavailable>
  }
>()("@treemark/daemon/accounts/Sessions") {}
