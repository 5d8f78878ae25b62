/**
 * A path through a Merkle-Patricia trie (Yellow Paper, appendix D): the nodes from the root to one value, each named by the
 * keccak-256 of its RLP in the node before it. Nodes shorter than 32 bytes stand inside their parent and are not listed.
 * Whoever knows the root knows by hashing alone that the value stands at its key. A node is taken apart as far as its own items; the
 * one child on the way is looked at by its length: a hash has 32 bytes, a node inside its parent fewer.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { isSameBytes } from "../identity/SameBytes.ts"
import { itemsOf, payloadOf, type RlpSpan, wholeRlp } from "./Rlp.ts"

/** Half bytes of a key, high half first. */
type Nibbles = ReadonlyArray<number>

const HASH_LENGTH = 32
const BRANCH_ITEMS = 17
const VALUE_OF_BRANCH = 16
/** Keys have at most 32 bytes in every trie of a block, and one byte holds the flag. */
const LONGEST_PATH = 33

/**
 * The value at `key` in the trie with the root hash `root` (32 bytes), as `nodes` show it from the root down; `undefined` when they do
 * not: a wrong hash, another path, a malformed node, a node too few or too many.
 */
export const valueAt = (
  root: Uint8Array,
  key: Uint8Array,
  nodes: ReadonlyArray<Uint8Array>
): Uint8Array | undefined => {
  let rest: Nibbles = nibblesOf(key)
  let next: Child = { hash: root }
  for (let used = 0; ; ) {
    const node: Uint8Array | undefined = "node" in next ? next.node : nodeNamed(next.hash, nodes[used++])
    const step: Step | undefined = node === undefined ? undefined : stepThrough(node, rest)
    if (step === undefined) return undefined
    if ("value" in step) return used === nodes.length ? step.value : undefined
    next = step.child
    rest = step.rest
  }
}

/** A node by its hash, or inside its parent: its RLP. */
type Child = { readonly hash: Uint8Array } | { readonly node: Uint8Array }

type Step = { readonly value: Uint8Array } | { readonly child: Child; readonly rest: Nibbles }

const nodeNamed = (hash: Uint8Array, node: Uint8Array | undefined): Uint8Array | undefined =>
  node !== undefined && isSameBytes(keccak_256(node), hash) ? node : undefined

const stepThrough = (node: Uint8Array, rest: Nibbles): Step | undefined => {
  const items = itemsOf(node, wholeRlp(node), BRANCH_ITEMS)
  if (items?.length === BRANCH_ITEMS) return stepThroughBranch(node, items, rest)
  const [encodedPath, target] = items ?? []
  if (items?.length !== 2 || encodedPath === undefined || target === undefined) return undefined
  const path = pathOf(node, encodedPath)
  if (path === undefined || path.nibbles.some((nibble, at) => nibble !== rest[at])) return undefined
  if (path.isLeaf) return path.nibbles.length === rest.length ? valueStep(node, target) : undefined
  return path.nibbles.length === 0 ? undefined : childStep(node, target, rest.slice(path.nibbles.length))
}

const stepThroughBranch = (node: Uint8Array, items: ReadonlyArray<RlpSpan>, rest: Nibbles): Step | undefined => {
  const [nibble, ...further] = rest
  return nibble === undefined ? valueStep(node, items[VALUE_OF_BRANCH]!) : childStep(node, items[nibble]!, further)
}

/** By its length alone: a hash, or a list shorter than one. */
const childStep = (node: Uint8Array, child: RlpSpan, rest: Nibbles): Step | undefined => {
  if (!child.isList) {
    return child.end - child.from === HASH_LENGTH ? { child: { hash: payloadOf(node, child) }, rest } : undefined
  }
  return child.end - child.start < HASH_LENGTH
    ? { child: { node: node.subarray(child.start, child.end) }, rest }
    : undefined
}

/** An empty value means that there is none. */
const valueStep = (node: Uint8Array, value: RlpSpan): Step | undefined =>
  value.isList || value.from === value.end ? undefined : { value: payloadOf(node, value) }

/** Hex-prefix encoding (Yellow Paper, appendix C): a flag half byte (leaf, odd length), then the path. */
const pathOf = (
  node: Uint8Array,
  encoded: RlpSpan
): { readonly isLeaf: boolean; readonly nibbles: Nibbles } | undefined => {
  if (encoded.isList || encoded.end - encoded.from > LONGEST_PATH) return undefined
  const [flag, first, ...others] = nibblesOf(payloadOf(node, encoded))
  if (flag === undefined || first === undefined || flag > 3) return undefined
  const isOdd = flag % 2 === 1
  if (!isOdd && first !== 0) return undefined
  return { isLeaf: flag >= 2, nibbles: isOdd ? [first, ...others] : others }
}

/** Of a key or a part of one: few. */
const nibblesOf = (bytes: Uint8Array): Nibbles => [...bytes].flatMap((byte) => [byte >> 4, byte & 15])
