/**
 * A path through a Merkle-Patricia trie (Yellow Paper, appendix D): the nodes from the root to one value, each named by the
 * keccak-256 of its RLP in the node before it. Nodes shorter than 32 bytes stand inside their parent and are not listed.
 * Whoever knows the root knows by hashing alone that the value stands at its key.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { decodeRlp, encodeRlp, type RlpItem } from "./Rlp.ts"

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
  let rest: Nibbles = [...key].flatMap((byte) => [byte >> 4, byte & 15])
  let next: RlpItem = root
  for (let used = 0; ; ) {
    let node: RlpItem | undefined
    if (next instanceof Uint8Array) {
      node = nodeNamed(next, nodes[used])
      used++
    } else {
      node = isInline(next) ? next : undefined
    }
    const step = node === undefined ? undefined : stepThrough(node, rest)
    if (step === undefined) return undefined
    if ("value" in step) return used === nodes.length ? step.value : undefined
    next = step.child
    rest = step.rest
  }
}

const nodeNamed = (hash: Uint8Array, bytes: Uint8Array | undefined): RlpItem | undefined =>
  bytes !== undefined && hash.length === HASH_LENGTH && isSame(keccak_256(bytes), hash) ? decodeRlp(bytes) : undefined

const isInline = (node: RlpItem): boolean => encodeRlp(node).length < HASH_LENGTH

type Step = { readonly value: Uint8Array } | { readonly child: RlpItem; readonly rest: Nibbles }

const stepThrough = (node: RlpItem, rest: Nibbles): Step | undefined => {
  if (node instanceof Uint8Array) return undefined
  if (node.length === BRANCH_ITEMS) return stepThroughBranch(node, rest)
  const [encodedPath, target] = node
  if (node.length !== 2 || !(encodedPath instanceof Uint8Array) || target === undefined) return undefined
  const path = pathOf(encodedPath)
  if (path === undefined || path.nibbles.some((nibble, at) => nibble !== rest[at])) return undefined
  if (!path.isLeaf)
    return path.nibbles.length === 0 ? undefined : { child: target, rest: rest.slice(path.nibbles.length) }
  return path.nibbles.length === rest.length ? valueStep(target) : undefined
}

const stepThroughBranch = (items: ReadonlyArray<RlpItem>, rest: Nibbles): Step | undefined => {
  const [nibble, ...further] = rest
  return nibble === undefined ? valueStep(items[VALUE_OF_BRANCH]) : { child: items[nibble]!, rest: further }
}

/** An empty value means that there is none. */
const valueStep = (value: RlpItem | undefined): Step | undefined =>
  value instanceof Uint8Array && value.length > 0 ? { value } : undefined

/** Hex-prefix encoding (Yellow Paper, appendix C): a flag half byte (leaf, odd length), then the path. */
const pathOf = (encoded: Uint8Array): { readonly isLeaf: boolean; readonly nibbles: Nibbles } | undefined => {
  if (encoded.length > LONGEST_PATH) return undefined
  const [flag, first, ...others] = [...encoded].flatMap((byte) => [byte >> 4, byte & 15])
  if (flag === undefined || first === undefined || flag > 3) return undefined
  const isOdd = flag % 2 === 1
  if (!isOdd && first !== 0) return undefined
  return { isLeaf: flag >= 2, nibbles: isOdd ? [first, ...others] : others }
}

const isSame = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, at) => byte === right[at])
