/**
 * Trie nodes and contract code of the state, keyed by hash, over the chain file. Nodes a running block makes stay in a
 * write buffer until its database transaction; of those, only what the block's state root reaches is kept (a third are
 * intermediate). Keys are unprefixed hex: keccak-256 of a node's RLP, or `63` ("c") and keccak-256 of code.
 */
import { RLP } from "@ethereumjs/rlp"
import type { BatchDBOp, DB } from "@ethereumjs/util"

/** Nodes in each of the two halves of the cache: the paths of some hundred accounts. */
const GENERATION = 2_000
const CODE_PREFIX = "63"
const HASH_BYTES = 32

type Item = Uint8Array | ReadonlyArray<Item>

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** The library's type allows hex text too; with byte encoding chosen, it never comes. */
const asBytes = (value: string | Uint8Array): Uint8Array =>
  typeof value === "string" ? Buffer.from(value, "hex") : value

const isBytes = (item: Item | undefined): item is Uint8Array => item instanceof Uint8Array

/** Where nodes come from that are not at hand. */
interface Source {
  readonly node: (key: string) => Uint8Array | undefined
}

/** The database under every state trie of a chain, as @ethereumjs/mpt asks for it. */
export class TrieNodes implements DB<string, string | Uint8Array> {
  readonly #source: Source
  readonly #buffer = new Map<string, Uint8Array>()
  #young = new Map<string, Uint8Array>()
  #old = new Map<string, Uint8Array>()

  constructor(source: Source) {
    this.#source = source
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.#buffer.get(key) ?? this.node(key)
  }

  /** A stored node or code. */
  node(key: string): Uint8Array | undefined {
    const known = this.#young.get(key)
    if (known !== undefined) return known
    const found = this.#old.get(key) ?? this.#source.node(key)
    if (found !== undefined) this.#remember(key, found)
    return found
  }

  /** The same stored nodes under a write buffer of its own, for what is never stored; `discard` empties it. */
  scratch(): TrieNodes {
    return new Scratch(this)
  }

  async put(key: string, value: string | Uint8Array): Promise<void> {
    this.#buffer.set(key, asBytes(value))
  }

  /** Nothing is deleted: a node is its content, and older roots may still reach it. */
  async del(): Promise<void> {}

  async batch(operations: ReadonlyArray<BatchDBOp<string, string | Uint8Array>>): Promise<void> {
    for (const operation of operations) {
      if (operation.type === "put") this.#buffer.set(operation.key, asBytes(operation.value))
    }
  }

  shallowCopy(): TrieNodes {
    return this
  }

  async open(): Promise<void> {}

  /** The buffered nodes and code that `stateRoot` reaches: what a block has to store. */
  reachable(stateRoot: Uint8Array): ReadonlyMap<string, Uint8Array> {
    const found = new Map<string, Uint8Array>()
    this.#collect(hex(stateRoot), true, found)
    return found
  }

  /** After the block's COMMIT: keeps what was stored at hand and forgets the rest. */
  settle(stored: ReadonlyMap<string, Uint8Array>): void {
    for (const [key, value] of stored) this.#remember(key, value)
    this.#buffer.clear()
  }

  /** After a block that failed: forgets all it wrote. */
  discard(): void {
    this.#buffer.clear()
  }

  #remember(key: string, value: Uint8Array): void {
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  #collect(key: string, ofAccounts: boolean, found: Map<string, Uint8Array>): void {
    const value = this.#buffer.get(key)
    if (value === undefined || found.has(key)) return
    found.set(key, value)
    const node = RLP.decode(value) as unknown as ReadonlyArray<Item>
    if (node.length === 2) {
      const [path, end] = node
      const isLeaf = isBytes(path) && (path[0] ?? 0) >> 4 >= 2
      if (!isLeaf) this.#follow(end, ofAccounts, found)
      else if (ofAccounts && isBytes(end)) this.#collectAccount(end, found)
    } else {
      for (const child of node.slice(0, 16)) this.#follow(child, ofAccounts, found)
    }
  }

  /** A child is a hash; shorter children are embedded in their parent and hold no hash themselves. */
  #follow(child: Item | undefined, ofAccounts: boolean, found: Map<string, Uint8Array>): void {
    if (isBytes(child) && child.length === HASH_BYTES) this.#collect(hex(child), ofAccounts, found)
  }

  #collectAccount(account: Uint8Array, found: Map<string, Uint8Array>): void {
    const [, , storageRoot, codeHash] = RLP.decode(account) as Array<Uint8Array>
    if (storageRoot !== undefined) this.#collect(hex(storageRoot), false, found)
    if (codeHash === undefined) return
    const codeKey = CODE_PREFIX + hex(codeHash)
    const code = this.#buffer.get(codeKey)
    if (code !== undefined) found.set(codeKey, code)
  }
}

/** Keeps nothing at hand itself: what is under it does. */
class Scratch extends TrieNodes {
  readonly #under: TrieNodes

  constructor(under: TrieNodes) {
    super(under)
    this.#under = under
  }

  override node(key: string): Uint8Array | undefined {
    return this.#under.node(key)
  }
}
