/**
 * Trie nodes and contract code in the chain's file. What a block adds lies in one bundle: its nodes, RLP after RLP, packed against an
 * earlier bundle that is a base. A base stands alone, so a bundle is read in two steps, however long the chain is. Nodes are found by
 * 48 bits of their hash, and known by their hash.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { NOTHING, packed, unpacked } from "./Packed.ts"

const CODE_PREFIX = "63"

/** Bundles that are kept unpacked; one is read for each node that is not at hand. */
const KEPT = 16

interface Bundle {
  readonly base: number | null
  readonly data: Uint8Array
}

/** A bundle that others are packed against. */
interface Base {
  readonly id: number
  readonly bytes: Uint8Array
}

/** 48 bits of a node's hash, given as hex. */
const keyOf = (hash: string): number => Number.parseInt(hash.slice(0, 12), 16)

/** The RLP list at `at`; nodes are lists, and tell their own length. */
const itemAt = (bytes: Uint8Array, at: number): Uint8Array => {
  const first = bytes[at] ?? 0
  if (first < 0xf8) return bytes.slice(at, at + 1 + first - 0xc0)
  const width = first - 0xf7
  const length = Buffer.from(bytes.buffer, bytes.byteOffset + at + 1, width).readUIntBE(0, width)
  return bytes.slice(at, at + 1 + width + length)
}

export class NodeStore {
  readonly #insertBundle: StatementSync
  readonly #insertNode: StatementSync
  readonly #insertCode: StatementSync
  readonly #bundle: StatementSync
  readonly #last: StatementSync
  readonly #node: StatementSync
  readonly #code: StatementSync
  readonly #kept = new Map<number, Uint8Array>()
  #base: Base | undefined

  constructor(db: DatabaseSync) {
    this.#insertBundle = db.prepare("INSERT INTO bundle (base, data) VALUES (?, ?) RETURNING id")
    this.#insertNode = db.prepare("INSERT INTO node VALUES (?, ?, ?)")
    this.#insertCode = db.prepare("INSERT OR IGNORE INTO code VALUES (?, ?)")
    this.#bundle = db.prepare("SELECT base, data FROM bundle WHERE id = ?")
    this.#last = db.prepare("SELECT id, base FROM bundle ORDER BY id DESC LIMIT 1")
    this.#node = db.prepare("SELECT bundle, at FROM node WHERE key = ?")
    this.#code = db.prepare("SELECT value FROM code WHERE hash = ?")
  }

  /** Stores nodes and code, by their keys ({@link TrieNodes}); call it in the block's transaction. */
  insert(nodes: Iterable<readonly [key: string, value: Uint8Array]>): void {
    const places: Array<readonly [key: number, at: number]> = []
    const values: Array<Uint8Array> = []
    let length = 0
    for (const [key, value] of nodes) {
      if (key.length > 64) {
        this.#insertCode.run(Buffer.from(key.slice(CODE_PREFIX.length), "hex"), value)
        continue
      }
      places.push([keyOf(key), length])
      values.push(value)
      length += value.length
    }
    if (length === 0) return
    const id = this.#insertBytes(Buffer.concat(values, length))
    for (const [key, at] of places) this.#insertNode.run(key, id, at)
  }

  /** A stored node or code. */
  node(key: string): Uint8Array | undefined {
    if (key.length > 64) {
      return this.#code.get(Buffer.from(key.slice(CODE_PREFIX.length), "hex"))?.value as Uint8Array | undefined
    }
    for (const { at, bundle } of this.#node.all(keyOf(key))) {
      const value = itemAt(this.#unpack(Number(bundle)), Number(at))
      if (Buffer.from(keccak_256(value)).toString("hex") === key) return value
    }
    return undefined
  }

  /** After a transaction that was rolled back: what it stored is not there. */
  forget(): void {
    this.#kept.clear()
    this.#base = undefined
  }

  /** A bundle that the base does not make half as long becomes the base of those that follow. */
  #insertBytes(bytes: Uint8Array): number {
    const base = this.#base ?? this.#lastBase()
    const against = base === undefined ? undefined : packed(bytes, base.bytes)
    if (base !== undefined && against !== undefined && against.length * 2 <= bytes.length) {
      this.#base = base
      return Number(this.#insertBundle.get(base.id, against)!.id)
    }
    const id = Number(this.#insertBundle.get(null, packed(bytes, NOTHING))!.id)
    this.#base = { id, bytes }
    return id
  }

  #lastBase(): Base | undefined {
    const last = this.#last.get()
    if (last === undefined) return undefined
    const id = Number(last.base ?? last.id)
    return { id, bytes: this.#unpack(id) }
  }

  #unpack(id: number): Uint8Array {
    const known = this.#kept.get(id)
    if (known !== undefined) return known
    const { base, data } = this.#bundle.get(id) as unknown as Bundle
    const bytes = unpacked(data, base === null ? NOTHING : this.#unpack(base))
    if (this.#kept.size >= KEPT) this.#kept.delete(this.#kept.keys().next().value!)
    this.#kept.set(id, bytes)
    return bytes
  }
}
