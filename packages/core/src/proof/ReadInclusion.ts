/** Reads `ledger.inclusion` of a proof file. Version 1 has it as an optional member; where it is there, it must be whole. */

import type { JsonObject } from "../json/JsonValue.ts"
import { HEADER_LIMIT, INCLUSION_LIMIT, type Inclusion, NODES_LIMIT, type ProvenLeaf } from "./Inclusion.ts"
import { countIn, hexBytes, memberOf, type Need, objectIn } from "./Members.ts"

const PLACE = "/ledger/inclusion"
const HEX = "0x and an even number of hex digits, with all other parts at most 2 MiB"

/** The inclusion proof in `ledger`; undefined when there is none, or (noted with `need`) not a whole one. */
export const readInclusion = (ledger: JsonObject, need: Need): Inclusion | undefined => {
  if (!Object.hasOwn(ledger, "inclusion")) return undefined
  const members = need(PLACE, objectIn(ledger, "inclusion"), "an object: the proof of inclusion in the block")
  if (members === undefined) return undefined
  const read = bytesReader()
  const header = need(
    `${PLACE}/header`,
    read(memberOf(members, "header"), HEADER_LIMIT),
    "the block header's raw RLP: 0x and an even number of hex digits, at most 64 KiB"
  )
  const transactionIndex = need(
    `${PLACE}/transactionIndex`,
    countIn(members, "transactionIndex"),
    "the transaction's place in the block, as a whole number"
  )
  const logPosition = need(
    `${PLACE}/logPosition`,
    countIn(members, "logPosition"),
    "the event's place among the receipt's logs, as a whole number"
  )
  const readLeaf = (name: "receipt" | "transaction"): ProvenLeaf | undefined => {
    const value = need(`${PLACE}/${name}`, read(memberOf(members, name)), `the ${name}'s bytes: ${HEX}`)
    const path = need(
      `${PLACE}/${name}Path`,
      readNodes(memberOf(members, `${name}Path`), read),
      `the trie's nodes from the root to the ${name}: 1 to ${NODES_LIMIT} texts, each ${HEX}`
    )
    return value && path && { value, path }
  }
  const receipt = readLeaf("receipt")
  const hasTransaction = Object.hasOwn(members, "transaction") || Object.hasOwn(members, "transactionPath")
  const transaction = hasTransaction ? readLeaf("transaction") : undefined
  return header && transactionIndex !== undefined && logPosition !== undefined && receipt
    ? { header, transactionIndex, receipt, logPosition, transaction }
    : undefined
}

type ReadBytes = (value: unknown, limit?: number) => Uint8Array | undefined

/** Reads one part after the other; the one with which all parts together are over the limit is refused, by its length. */
const bytesReader = (): ReadBytes => {
  let left = INCLUSION_LIMIT
  return (value, limit = INCLUSION_LIMIT) => {
    const bytes = hexBytes(value, Math.min(limit, left))
    left -= bytes?.length ?? 0
    return bytes
  }
}

const readNodes = (value: unknown, read: ReadBytes): ReadonlyArray<Uint8Array> | undefined => {
  if (!Array.isArray(value) || value.length === 0 || value.length > NODES_LIMIT) return undefined
  const nodes: Array<Uint8Array> = []
  for (const text of value) {
    const node = read(text)
    if (node === undefined) return undefined
    nodes.push(node)
  }
  return nodes
}
