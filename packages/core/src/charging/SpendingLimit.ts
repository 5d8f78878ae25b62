/**
 * What a token may spend in a day, which is a day of UTC. A call counts on the day its money was set aside: with all of that while it runs, with
 * what was taken once it ended well, and not at all when it failed. Times are milliseconds since 1970.
 */
import { Schema } from "effect"
import { Amount, amount, formatTokens } from "../money/Amount.ts"

const DAY = 86_400_000

/** The call would bring what its token spent today above the token's limit. */
export class SpendingLimitReached extends Schema.TaggedError<SpendingLimitReached>()("SpendingLimitReached", {
  limit: Amount,
  /** Taken today, or set aside for calls that run. */
  spent: Amount,
  needed: Amount,
  /** When the next day begins. */
  freesAt: Schema.Int
}) {
  override get message() {
    const [limit, spent, needed] = [this.limit, this.spent, this.needed].map(formatTokens)
    const frees = new Date(this.freesAt).toISOString()
    const state = `This token may spend ${limit} native tokens a day (UTC). Today ${spent} are spent or set aside for calls that run, and this call needs up to ${needed}. Nothing was charged.`
    return this.needed > this.limit
      ? `${state} The call alone is above the limit, so waiting does not help: ask whoever holds the account for a token with a higher limit.`
      : `${state} The limit is free again at ${frees}, and what running calls do not need comes back sooner: call again then, or ask whoever holds the account for a token with a higher limit.`
  }
}

/** The day that `at` is in: from its first millisecond to that of the next day. */
export const spendingDay = (at: number): { readonly from: number; readonly until: number } => {
  const from = Math.floor(at / DAY) * DAY
  return { from, until: from + DAY }
}

/** Why a call that needs `needed` at `at` is refused by its token's limit; `undefined` when it is not. */
export const overLimit = (
  limit: Amount,
  { at, needed, spent }: { readonly at: number; readonly needed: Amount; readonly spent: bigint }
): SpendingLimitReached | undefined =>
  spent + needed <= limit
    ? undefined
    : new SpendingLimitReached({ limit, spent: amount(spent), needed, freesAt: spendingDay(at).until })
