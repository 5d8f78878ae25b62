/**
 * Double entry: the lines of an entry sum to zero, and no account leaves its side of zero. Amounts are signed `bigint`s of 10^-18. A
 * broken entry is a mistake of the program, never of a caller: it throws, and nothing of it may be stored.
 */
import type { BookAccount } from "./ChartOfAccounts.ts"

/** `amount` is added to the balance of `account`; negative takes away. */
export interface Line {
  readonly account: BookAccount
  readonly amount: bigint
}

/** The lines of entry `id`, one per account, zero lines left out, in the one order in which all entries lock their accounts. */
export const linesOf = (id: string, lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const sums = new Map<string, Line>()
  let total = 0n
  for (const { account, amount } of lines) {
    sums.set(account.id, { account, amount: (sums.get(account.id)?.amount ?? 0n) + amount })
    total += amount
  }
  if (total !== 0n) throw new Error(`The entry ${id} is not balanced: off by ${total}.`)
  return [...sums.values()].filter((line) => line.amount !== 0n).sort((a, b) => (a.account.id < b.account.id ? -1 : 1))
}

/** The balances after the lines of entry `id`, where `before` holds those from before it, in the same order. */
export const balancesAfter = (
  id: string,
  lines: ReadonlyArray<Line>,
  before: ReadonlyArray<bigint>
): ReadonlyArray<bigint> =>
  lines.map(({ account, amount }, n) => {
    const balance = (before[n] ?? 0n) + amount
    if (account.side === "credit" ? balance < 0n : balance > 0n) {
      throw new Error(`The entry ${id} would bring ${account.id}, a ${account.side} account, to ${balance}.`)
    }
    return balance
  })
