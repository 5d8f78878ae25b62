/** What a commit would cost now: the same steps as a commit up to its price. Nothing is stored, held, sent or charged. */
import { Clock, DateTime, Duration, Effect } from "effect"
import type { Caller } from "../identity/Caller.ts"
import { formatTokens } from "../money/Amount.ts"
import type { CommitRequest } from "../rules/CommitRequest.ts"
import { prepareCommit } from "./PrepareCommit.ts"

/** How long the ledger's fee is taken to stay as it is. */
const KEPT_FOR = Duration.minutes(1)

/**
 * The quote of a commit; amounts are exact decimal numbers of native tokens. `total` is what a commit holds, so what the account needs;
 * charged are the price and the gas really used, which is less than the ceiling. Fails as the commit would.
 */
export const quoteCommit = Effect.fn("QuoteCommit")(function* (input: {
  readonly caller: Caller
  readonly request: CommitRequest
}) {
  const { terms, priceListVersion } = yield* prepareCommit(input)
  const expiresAt = (yield* Clock.currentTimeMillis) + Duration.toMillis(KEPT_FOR)
  return {
    price: formatTokens(terms.price),
    gasCeiling: formatTokens(terms.amount - terms.price),
    total: formatTokens(terms.amount),
    priceListVersion,
    expiresAt: DateTime.formatIso(DateTime.makeUnsafe(expiresAt))
  }
})
