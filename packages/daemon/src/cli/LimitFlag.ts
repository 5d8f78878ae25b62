/** `--limit`: what a token may spend in a day, for the commands that give tokens. */
import { type Amount, formatTokens } from "@treemark/core"
import { Flag } from "effect/cli"
import { GrantedTokens } from "../accounts/GrantedTokens.ts"

export const limitFlag = Flag.String("limit").pipe(
  Flag.withDescription("Native tokens it may spend in a day of UTC (default: as much as the account has)"),
  Flag.withMetavar("AMOUNT"),
  Flag.withSchema(GrantedTokens),
  Flag.optional
)

/** A limit in words; null: none. */
export const limitText = (limit: Amount | null): string =>
  limit === null ? "as much as the account has" : `at most ${formatTokens(limit)} a day (UTC)`
