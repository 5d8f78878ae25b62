/**
 * What a chain's file holds, as rows: blocks, transactions with their receipts, the state's nodes. Everything is stored once and packed
 * ({@link packed}); what follows from it (recipient, price, logs) is read off it, and the marks say where to look.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { KINDS, Marks, markOf, marksOfLogs } from "./Marks.ts"
import { NodeStore } from "./NodeStore.ts"
import { NOTHING, packed, TRANSACTION_SAMPLE, unpacked } from "./Packed.ts"
import { receiptOf } from "./Receipts.ts"

export const TABLES = `
CREATE TABLE block (number INTEGER PRIMARY KEY, hash BLOB NOT NULL, header BLOB NOT NULL, size INTEGER NOT NULL, first_tx INTEGER NOT NULL) STRICT;
CREATE TABLE tx (
  seq INTEGER PRIMARY KEY, block INTEGER NOT NULL, idx INTEGER NOT NULL, first_log INTEGER NOT NULL, gas_used INTEGER NOT NULL,
  hash BLOB NOT NULL, sender BLOB NOT NULL, contract BLOB, raw BLOB NOT NULL, receipt BLOB NOT NULL
) STRICT;
CREATE TABLE mark (key INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (key, place)) STRICT, WITHOUT ROWID;
CREATE TABLE bundle (id INTEGER PRIMARY KEY, base INTEGER, data BLOB NOT NULL) STRICT;
CREATE TABLE node (key INTEGER NOT NULL, bundle INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (key, bundle, at)) STRICT, WITHOUT ROWID;
CREATE TABLE code (hash BLOB PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
`

export interface BlockRow {
  readonly number: number
  readonly hash: Uint8Array
  /** RLP of the header; its keccak-256 is `hash`. */
  readonly header: Uint8Array
  /** Bytes of the whole block in RLP. */
  readonly size: number
}

export interface TxRow {
  readonly hash: Uint8Array
  readonly block: number
  readonly idx: number
  /** The signed transaction as it was sent (EIP-2718 envelope). */
  readonly raw: Uint8Array
  readonly sender: Uint8Array
  readonly contract: Uint8Array | null
  readonly gas_used: number
  /** The consensus receipt (EIP-2718 envelope): a leaf of the block's receipts trie. */
  readonly receipt: Uint8Array
  /** Index in the block of the transaction's first log. */
  readonly first_log: number
}

/** Everything one block adds to the file. */
export interface SealedRows {
  readonly block: BlockRow
  readonly transactions: ReadonlyArray<TxRow>
  readonly nodes: Iterable<readonly [key: string, value: Uint8Array]>
}

type StoredBlock = BlockRow & { readonly first_tx: number }

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

const asTx = (stored: unknown): TxRow | undefined => {
  if (stored === undefined) return undefined
  const row = stored as TxRow
  const raw = unpacked(row.raw, TRANSACTION_SAMPLE)
  return { ...row, raw, receipt: unpacked(row.receipt, raw) }
}

/** The tables of an open file; all methods are synchronous and throw SQLite's own errors when the disk fails. */
export class ChainTables {
  readonly db: DatabaseSync
  readonly marks: Marks
  readonly nodes: NodeStore
  readonly #block: StatementSync
  readonly #head: StatementSync
  readonly #tx: StatementSync
  readonly #txs: StatementSync
  readonly #next: StatementSync
  readonly #insertBlock: StatementSync
  readonly #insertTx: StatementSync
  #firstHeader: Uint8Array | undefined

  constructor(db: DatabaseSync) {
    this.db = db
    this.marks = new Marks(db)
    this.nodes = new NodeStore(db)
    this.#block = db.prepare("SELECT * FROM block WHERE number = ?")
    this.#head = db.prepare("SELECT * FROM block ORDER BY number DESC LIMIT 1")
    this.#tx = db.prepare("SELECT * FROM tx WHERE seq = ?")
    this.#txs = db.prepare("SELECT * FROM tx WHERE seq BETWEEN ? AND ? ORDER BY seq")
    this.#next = db.prepare("SELECT coalesce(max(seq), 0) + 1 AS seq FROM tx")
    this.#insertBlock = db.prepare("INSERT INTO block VALUES (?, ?, ?, ?, ?)")
    this.#insertTx = db.prepare("INSERT INTO tx VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
  }

  /** Writes one block; call it in a transaction of the database. */
  insert({ block, nodes, transactions }: SealedRows): void {
    const { hash, header, number, size } = block
    const first = this.#nextPlace()
    this.nodes.insert(nodes)
    this.#insertBlock.run(number, hash, packed(header, this.#headerSample(number)), size, first)
    this.marks.set(markOf(KINDS.block, hash), number)
    for (const [index, tx] of transactions.entries()) {
      const { contract, first_log, gas_used, idx, raw, receipt, sender } = tx
      const place = first + index
      const stored = [packed(raw, TRANSACTION_SAMPLE), packed(receipt, raw)] as const
      this.#insertTx.run(place, tx.block, idx, first_log, gas_used, tx.hash, sender, contract, ...stored)
      this.marks.set(markOf(KINDS.transaction, tx.hash), place)
      for (const mark of marksOfLogs(receiptOf(receipt).logs)) this.marks.set(mark, place)
    }
  }

  /** A stored node of the state, or code. */
  node(key: string): Uint8Array | undefined {
    return this.nodes.node(key)
  }

  head(): BlockRow | undefined {
    return this.#asBlock(this.#head.get())
  }

  block(number: number): BlockRow | undefined {
    return this.#asBlock(this.#block.get(number))
  }

  blockByHash(hash: Uint8Array): BlockRow | undefined {
    for (const number of this.marks.places(markOf(KINDS.block, hash))) {
      const found = this.block(number)
      if (found !== undefined && isSame(found.hash, hash)) return found
    }
    return undefined
  }

  tx(hash: Uint8Array): TxRow | undefined {
    for (const place of this.marks.places(markOf(KINDS.transaction, hash))) {
      const stored = this.#tx.get(place) as unknown as TxRow | undefined
      if (stored !== undefined && isSame(stored.hash, hash)) return asTx(stored)
    }
    return undefined
  }

  /** The transaction at a place of the chain. */
  txAt(place: number): TxRow | undefined {
    return asTx(this.#tx.get(place))
  }

  transactionsOf(block: number): ReadonlyArray<TxRow> {
    return this.#txs.all(...this.placesOf(block, block)).map((row) => asTx(row)!)
  }

  /** The places of the transactions of blocks `from` to `to`: first and last; the last is before the first when there are none. */
  placesOf(from: number, to: number): readonly [first: number, last: number] {
    const first = this.#stored(this.#block.get(from))?.first_tx ?? this.#nextPlace()
    const after = this.#stored(this.#block.get(to + 1))?.first_tx ?? this.#nextPlace()
    return [first, after - 1]
  }

  #nextPlace(): number {
    return Number(this.#next.get()!.seq)
  }

  /** What headers are packed against: the first one, which has most of what never changes. */
  #headerSample(number: number): Uint8Array {
    if (number === 0) return NOTHING
    this.#firstHeader ??= unpacked(this.#stored(this.#block.get(0))!.header, NOTHING)
    return this.#firstHeader
  }

  #stored(row: unknown): StoredBlock | undefined {
    return row as StoredBlock | undefined
  }

  #asBlock(row: unknown): BlockRow | undefined {
    const stored = this.#stored(row)
    if (stored === undefined) return undefined
    const { hash, header, number, size } = stored
    return { number, hash, size, header: unpacked(header, this.#headerSample(number)) }
  }
}
