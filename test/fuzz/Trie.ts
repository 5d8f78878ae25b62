/** A Merkle-Patricia trie over a block's receipts or transactions, with ethers alone (Yellow Paper, appendix D): its root, and the way to each leaf. */
import { encodeRlp, keccak256, toBeHex } from "ethers"

type Rlp = string | ReadonlyArray<Rlp>
type Entry = readonly [nibbles: string, value: string]

export interface Trie {
  readonly root: string
  /** The nodes from the root to the leaf at `index`; those shorter than 32 bytes stand inside their parent. */
  readonly pathTo: (index: number) => ReadonlyArray<string>
}

interface Node {
  readonly raw: string
  /** What stands for it in its parent: itself when it is short, else its hash. */
  readonly name: Rlp
  readonly children: ReadonlyMap<string, Node>
}

export const keyOf = (index: number): string => encodeRlp(index === 0 ? "0x" : toBeHex(index)).slice(2)

export const trieOf = (leaves: ReadonlyArray<string>): Trie => {
  const top = nodeOf(leaves.map((value, at): Entry => [keyOf(at), value]))
  return {
    root: keccak256(top.raw),
    pathTo: (index) => {
      const nodes = [top.raw]
      let rest = keyOf(index)
      for (let node = top; node.children.size > 0; ) {
        const [step, child] = [...node.children].find(([key]) => rest.startsWith(key))!
        if (typeof child.name === "string") nodes.push(child.raw)
        rest = rest.slice(step.length)
        node = child
      }
      return nodes
    }
  }
}

const sharedBy = (entries: ReadonlyArray<Entry>): string => {
  const first = entries[0]![0]
  let length = first.length
  for (const [nibbles] of entries) {
    while (!nibbles.startsWith(first.slice(0, length))) length--
  }
  return first.slice(0, length)
}

const below = (entries: ReadonlyArray<Entry>, prefix: string): ReadonlyArray<Entry> =>
  entries
    .filter(([nibbles]) => nibbles.startsWith(prefix))
    .map(([nibbles, value]) => [nibbles.slice(prefix.length), value])

const nodeOf = (entries: ReadonlyArray<Entry>): Node => {
  const [[nibbles, value], ...others] = entries as readonly [Entry, ...ReadonlyArray<Entry>]
  if (others.length === 0) return made([packed(nibbles, true), value], new Map())
  const shared = sharedBy(entries)
  if (shared !== "") {
    const child = nodeOf(below(entries, shared))
    return made([packed(shared, false), child.name], new Map([[shared, child]]))
  }
  const children = new Map<string, Node>()
  for (const digit of new Set(entries.map(([path]) => path.charAt(0))))
    children.set(digit, nodeOf(below(entries, digit)))
  return made(
    [...Array.from({ length: 16 }, (_, digit) => children.get(digit.toString(16))?.name ?? "0x"), "0x"],
    children
  )
}

const made = (item: Rlp, children: Node["children"]): Node => {
  const raw = encodeRlp(item as never)
  return { raw, name: raw.length < 2 + 64 ? item : keccak256(raw), children }
}

const packed = (nibbles: string, isLeaf: boolean): string => {
  const flag = (isLeaf ? 2 : 0) + (nibbles.length % 2)
  return `0x${flag.toString(16)}${nibbles.length % 2 === 1 ? "" : "0"}${nibbles}`
}
