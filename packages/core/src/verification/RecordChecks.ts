/**
 * Whether the members that verification reads are of the kind that they must be. One that is missing or null is not given; one of another
 * kind would be absent for this program and something else for the next, so it is never passed over.
 */

import type { JsonObject } from "../json/JsonValue.ts"
import { memberOf } from "../proof/Members.ts"
import type { Evidence } from "./Evidence.ts"
import { type Check, type Compared, passed, stopped } from "./Report.ts"

/** The members of a commit record that are read here. */
export const RECORD_MEMBERS = {
  text: [
    "assetTreeCid",
    "assetTreeSha256",
    "assetTreeSignature",
    "author",
    "committer",
    "action",
    "actionName",
    "actionResult",
    "provider",
    "abstract",
    "actSignature"
  ],
  number: ["timestampCreated"]
} as const

export const recordMembers = ({ input }: Evidence): Check => {
  const name = "record-members"
  if (input.record === undefined) return stopped(name, "record_not_given")
  const malformed = malformedMember(input.record, RECORD_MEMBERS)
  return malformed === undefined ? passed(name) : stopped(name, "record_member_malformed", malformed)
}

/** The first member that is given and not of its kind. */
export const malformedMember = (
  object: JsonObject,
  kinds: { readonly [Kind in "text" | "number"]: ReadonlyArray<string> }
): Compared | undefined => {
  for (const [kind, type] of [
    ["text", "string"],
    ["number", "number"]
  ] as const) {
    for (const name of kinds[kind]) {
      const value = memberOf(object, name)
      if (value === undefined || value === null || typeof value === type) continue
      return { expected: `${name}: ${kind === "text" ? "a text" : "a number"}`, actual: `${name}: ${kindOf(value)}` }
    }
  }
  return undefined
}

const kindOf = (value: unknown): string => {
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object"
  return typeof value === "string" ? "a text" : `a ${typeof value}`
}
