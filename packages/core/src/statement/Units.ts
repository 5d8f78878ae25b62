/** Amounts in files of other people: exact decimal text of a bounded length, as smallest units (10^-18). */

import type { JsonObject } from "../json/JsonValue.ts"
import { parseExactTokens } from "../money/Decimal.ts"
import { textIn } from "../proof/Members.ts"

/** More digits than any ledger has tokens; longer texts only cost time. */
const LONGEST = 64

/** The smallest units of an exact decimal text, which may be negative; `undefined` for anything else. */
export const unitsOf = (text: string): bigint | undefined =>
  text.length > LONGEST ? undefined : parseExactTokens(text)

/** As {@link unitsOf}, of the member `name`. */
export const unitsIn = (owner: JsonObject, name: string): bigint | undefined => unitsOf(textIn(owner, name) ?? "")
