/** An amount that an operator gives: a decimal number of tokens, far beyond what any chain has, and no larger than the books can hold. */
import { AmountInTokens } from "@treemark/core"
import { Schema } from "effect"

/** Digits before the point: the books have room for 78 in all, 18 of them behind it, and add many such amounts up. */
const MOST_DIGITS = 40

export const GrantedTokens = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      text.replace(/^0+(?=\d)/u, "").split(".", 1)[0]!.length <= MOST_DIGITS ||
      `is too large: an amount has at most ${MOST_DIGITS} digits before the point`
  )
).pipe(Schema.decodeTo(AmountInTokens))
