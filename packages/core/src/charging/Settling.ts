/**
 * What a wallet owes for captured calls, what it can still pay, and how its debt goes to the treasury: when it has reached a threshold or
 * a time has passed, in one transfer whose gas the wallet pays too. What it cannot pay stays owed. Amounts are 10^-18.
 */
import type { AccountId } from "../identity/Caller.ts"
import { type Amount, amount } from "../money/Amount.ts"
import { type BookAccount, heldTokens, settling, tokens, treasury } from "./ChartOfAccounts.ts"
import type { Line } from "./Entry.ts"

/** The accounts that make up what is owed from a wallet, in the order {@link owedOf} takes their balances. */
export const debtAccounts = (accountId: AccountId): ReadonlyArray<BookAccount> => [
  heldTokens(accountId),
  settling(accountId),
  tokens(accountId)
]

/** What counts against a wallet: held by running calls, under way to the treasury, and captured but not settled. */
export const owedOf = ([held = 0n, underWay = 0n, captured = 0n]: ReadonlyArray<bigint>): bigint =>
  held - underWay - captured

/** What a wallet that holds `onChain` can still pay when it owes `owed`, never below zero. */
export const payable = (onChain: bigint, owed: bigint): Amount => amount(onChain > owed ? onChain - owed : 0n)

/** Whether a wallet that owes `owed` is settled now. */
export const isDue = (owed: bigint, threshold: Amount): boolean => owed > 0n && owed >= threshold

/** What one transfer takes to the treasury, leaving `reserve` for its gas: undefined where the wallet can pay nothing. */
export const settlementOf = (wallet: {
  readonly owed: bigint
  readonly onChain: bigint
  readonly reserve: bigint
}): Amount | undefined => {
  const spare = wallet.onChain - wallet.reserve
  if (wallet.owed <= 0n || spare <= 0n) return undefined
  return amount(wallet.owed < spare ? wallet.owed : spare)
}

/** The entry of an intent to transfer. */
export const settlingLines = (accountId: AccountId, value: Amount): ReadonlyArray<Line> => [
  { account: tokens(accountId), amount: value },
  { account: settling(accountId), amount: -value }
]

/** The entry of a transfer that was made, or of one that never will be: then it is owed as before. */
export const settledLines = (accountId: AccountId, value: Amount, end: "settled" | "returned"): ReadonlyArray<Line> => [
  { account: settling(accountId), amount: value },
  { account: end === "returned" ? tokens(accountId) : treasury, amount: -value }
]
