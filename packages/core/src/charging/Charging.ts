/**
 * What a call costs, from what it is paid, and what the books say of it. A call is charged by the terms it was begun with: its price of
 * that day, and no more than was set aside for it, whatever prices and fees are when it ends. Amounts are 10^-18.
 */
import type { AccountId } from "../identity/Caller.ts"
import { type Amount, amount } from "../money/Amount.ts"
import { credits, gas, heldCredits, heldTokens, revenue, tokens, wallets } from "./ChartOfAccounts.ts"
import type { Line } from "./Entry.ts"

/** What a call is paid from: credits, or the native tokens of the caller's wallet, and never a part of each. */
export type Funding = "credits" | "tokens"

/** The terms a call was begun with, and is charged by. */
export interface ChargeTerms {
  /** What was set aside, and so the most that is taken. */
  readonly amount: Amount
  /** The operation's price of that day; what is taken above it is gas. */
  readonly price: Amount
}

/** Money set aside: from whom, from what, how much. */
export interface HeldMoney extends ChargeTerms {
  readonly accountId: AccountId
  readonly funding: Funding
}

/** What is taken, in its two parts, and what the call cost beyond what was set aside, which the service bears. */
export interface Charge {
  readonly taken: Amount
  readonly price: Amount
  readonly gas: Amount
  readonly unpaid: Amount
}

/** How a call is paid: credits if they cover all of it, else the wallet; "ask" while what the wallet can pay is not known. */
export const fundingFor = (
  needed: Amount,
  { credits, wallet }: { readonly credits: bigint; readonly wallet: bigint | undefined }
): Funding | "ask" | "insufficient" => {
  if (credits >= needed) return "credits"
  if (wallet === undefined) return "ask"
  return wallet >= needed ? "tokens" : "insufficient"
}

/** The charge of a call that cost `cost` in all: price first, the rest is gas, and never more than was set aside. */
export const chargeOf = (terms: ChargeTerms, cost: bigint): Charge => {
  const taken = least(cost, terms.amount)
  const price = least(taken, terms.price)
  return { taken: amount(taken), price: amount(price), gas: amount(taken - price), unpaid: amount(cost - taken) }
}

/** What a commit costs whose transaction burned `gasPaid`: the price it was begun with, and that. */
export const commitCost = (terms: Pick<ChargeTerms, "price">, gasPaid: bigint): Amount => amount(terms.price + gasPaid)

/** The entry that sets money aside. */
export const holdLines = ({ accountId, amount, funding }: Omit<HeldMoney, "price">): ReadonlyArray<Line> =>
  funding === "credits"
    ? [
        { account: credits(accountId), amount: -amount },
        { account: heldCredits(accountId), amount }
      ]
    : [
        { account: wallets, amount: -amount },
        { account: heldTokens(accountId), amount }
      ]

/** The entry of a call that ended well: price to revenue, gas to gas, the rest back to where it came from. */
export const captureLines = (held: HeldMoney, charge: Charge): ReadonlyArray<Line> => [
  { account: revenue, amount: charge.price },
  { account: gas, amount: charge.gas },
  ...givenBack(held, charge.taken)
]

/** The entry of a call that failed: everything goes back. */
export const releaseLines = (held: HeldMoney): ReadonlyArray<Line> => givenBack(held, 0n)

/** Empties what is held: what was not taken goes back; what was taken of tokens is now owed by the wallet. */
const givenBack = ({ accountId, amount, funding }: HeldMoney, taken: bigint): ReadonlyArray<Line> =>
  funding === "credits"
    ? [
        { account: heldCredits(accountId), amount: -amount },
        { account: credits(accountId), amount: amount - taken }
      ]
    : [
        { account: heldTokens(accountId), amount: -amount },
        { account: wallets, amount },
        { account: tokens(accountId), amount: -taken }
      ]

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
