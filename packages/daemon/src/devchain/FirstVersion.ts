/**
 * How a chain's file of the first version (80e359a) becomes one of today's: rewritten in one transaction, so that a crash leaves the old
 * file. Every byte that a reader is told stays what it was.
 */
import type { DatabaseSync } from "node:sqlite"
import { type BlockRow, ChainTables, TABLES, type TxRow } from "./ChainTables.ts"

export const FIRST_VERSION = 1

/** Nodes that go into one bundle: about what some blocks made, since they are read in the order they were stored. */
const NODES_AT_ONCE = 24

const rename = `
DROP TABLE log;
ALTER TABLE block RENAME TO old_block;
ALTER TABLE tx RENAME TO old_tx;
ALTER TABLE node RENAME TO old_node;
`

/** A key of the old table: a hash, or "c" and a hash for code. */
const keyOf = (hash: Uint8Array): string => Buffer.from(hash).toString("hex")

const moveNodes = (db: DatabaseSync, { nodes }: ChainTables): void => {
  let some: Array<readonly [string, Uint8Array]> = []
  for (const { hash, value } of db.prepare("SELECT hash, value FROM old_node ORDER BY rowid").iterate()) {
    some.push([keyOf(hash as Uint8Array), value as Uint8Array])
    if (some.length < NODES_AT_ONCE) continue
    nodes.insert(some)
    some = []
  }
  nodes.insert(some)
}

/** Rewrites the file; call it in a transaction of the database. */
export const migrateFirst = (db: DatabaseSync): void => {
  db.exec(rename)
  db.exec(TABLES)
  const tables = new ChainTables(db)
  moveNodes(db, tables)
  const transactions = db.prepare("SELECT * FROM old_tx WHERE block = ? ORDER BY idx")
  for (const row of db.prepare("SELECT * FROM old_block ORDER BY number").iterate()) {
    const block = row as unknown as BlockRow
    tables.insert({ block, transactions: transactions.all(block.number) as unknown as ReadonlyArray<TxRow>, nodes: [] })
  }
  db.exec("DROP TABLE old_tx; DROP TABLE old_block; DROP TABLE old_node;")
}
