/** Reads `ledger.inclusion` of a proof file. Version 1 has it as an optional member; where it is there, it must be whole. */
import { HEADER_LIMIT, type Inclusion, NODE_LIMIT, NODES_LIMIT, type ProvenLeaf } from "./Inclusion.ts"
import { countIn, hexBytes, memberOf, type Need, objectIn } from "./Members.ts"
import type { JsonObject } from "./Proof.ts"

const PLACE = "/ledger/inclusion"

/** The inclusion proof in `ledger`; undefined when there is none, or (noted with `need`) not a whole one. */
export const readInclusion = (ledger: JsonObject, need: Need): Inclusion | undefined => {
  if (!Object.hasOwn(ledger, "inclusion")) return undefined
  const members = need(PLACE, objectIn(ledger, "inclusion"), "an object: the proof of inclusion in the block")
  if (members === undefined) return undefined
  const header = need(
    `${PLACE}/header`,
    hexBytes(memberOf(members, "header"), HEADER_LIMIT),
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
  const receipt = readLeaf(members, "receipt", need)
  const hasTransaction = Object.hasOwn(members, "transaction") || Object.hasOwn(members, "transactionPath")
  const transaction = hasTransaction ? readLeaf(members, "transaction", need) : undefined
  return header && transactionIndex !== undefined && logPosition !== undefined && receipt
    ? { header, transactionIndex, receipt, logPosition, transaction }
    : undefined
}

const readLeaf = (members: JsonObject, name: "receipt" | "transaction", need: Need): ProvenLeaf | undefined => {
  const value = need(
    `${PLACE}/${name}`,
    hexBytes(memberOf(members, name), NODE_LIMIT),
    `the ${name}'s bytes: 0x and an even number of hex digits, at most 3 MiB`
  )
  const path = need(
    `${PLACE}/${name}Path`,
    readNodes(memberOf(members, `${name}Path`)),
    `the trie's nodes from the root to the ${name}: 1 to ${NODES_LIMIT} hex texts`
  )
  return value && path && { value, path }
}

const readNodes = (value: unknown): ReadonlyArray<Uint8Array> | undefined => {
  if (!Array.isArray(value) || value.length === 0 || value.length > NODES_LIMIT) return undefined
  const nodes = value.map((node) => hexBytes(node, NODE_LIMIT)).filter((node) => node !== undefined)
  return nodes.length === value.length ? nodes : undefined
}
