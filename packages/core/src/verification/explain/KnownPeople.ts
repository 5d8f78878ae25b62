/**
 * The addresses that a signature could sensibly be by: a recovery always leads to some address, so only one that is known from elsewhere tells
 * that a guess was right.
 */
import { isAddressText, toEip55 } from "../../identity/Eip55.ts"
import { type JsonObject, textMember } from "../../json/JsonValue.ts"
import type { Evidence } from "../Evidence.ts"

/** Who an address is, in words after a comma; undefined for a stranger. */
export type WhoIs = (address: string) => string | undefined

export const knownPeople = ({ input, tree, treeAuthor, recordAuthor }: Evidence): WhoIs => {
  const people = new Map<string, string>()
  const meet = (address: string | undefined, who: string) => {
    if (address === undefined || !isAddressText(address)) return
    const met = toEip55(address)
    if (!people.has(met)) people.set(met, who)
  }
  meet(treeAuthor, "the author that the tree names")
  meet(recordAuthor, "the author that the commit record names")
  meet(input.expectedAuthor, "whom you named as the author")
  meet(textMember(input.record, "committer"), "the committer that the commit record names")
  meet(input.ledger?.recorder, "the sender of the transaction")
  for (const [object, where] of [[tree?.members, "the tree"] as const, [input.record, "the commit record"] as const]) {
    for (const name of shortMembers(object))
      meet(textMember(object, name), `whom ${where} names in a member of its own`)
  }
  return (address) => {
    const listed = input.authors?.get(address)?.[0]?.name
    return people.get(address) ?? (listed === undefined ? undefined : `who is in your authors file as ${listed}`)
  }
}

const MEMBERS_LOOKED_AT = 64

const shortMembers = (object: JsonObject | undefined): ReadonlyArray<string> =>
  object === undefined ? [] : Object.keys(object).slice(0, MEMBERS_LOOKED_AT)
