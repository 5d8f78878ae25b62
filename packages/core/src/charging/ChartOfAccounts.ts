/**
 * The accounts of the books. A credit account holds what the service owes or has earned and is never below zero; a debit account
 * holds what is owed to the service, or where money came from, and is never above zero.
 *
 * credits:ID       credits a caller may spend             issued        all credits ever granted (debit)
 * held-credits:ID  credits held by running calls          revenue       prices of captured calls
 * held-tokens:ID   wallet tokens held by running calls    gas           gas of captured calls
 * tokens:ID        captured, owed by the wallet (debit)   wallets       counterpart of held-tokens (debit)
 * settling:ID      on its way to the treasury (debit)     treasury      settled transfers received (debit)
 */
import type { AccountId } from "../identity/Caller.ts"

export interface BookAccount {
  readonly id: string
  readonly kind: string
  readonly side: "credit" | "debit"
}

const shared = (kind: string, side: BookAccount["side"]): BookAccount => ({ id: kind, kind, side })

const ofCaller =
  (kind: string, side: BookAccount["side"]) =>
  (accountId: AccountId): BookAccount => ({ id: `${kind}:${accountId}`, kind, side })

export const issued = shared("issued", "debit")
export const revenue = shared("revenue", "credit")
export const gas = shared("gas", "credit")
export const wallets = shared("wallets", "debit")
export const treasury = shared("treasury", "debit")

export const credits = ofCaller("credits", "credit")
export const heldCredits = ofCaller("held-credits", "credit")
export const heldTokens = ofCaller("held-tokens", "credit")
export const tokens = ofCaller("tokens", "debit")
export const settling = ofCaller("settling", "debit")
