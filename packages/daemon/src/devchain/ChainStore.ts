/**
 * The file of one embedded chain (SQLite, WAL, synchronous=FULL). A block is one transaction of the database: its trie
 * nodes, header, transactions, receipts and logs appear together or not at all, and readers see only what is committed.
 * One writer: it holds a lock on a tiny database beside the file, which the operating system drops with the process, so none goes
 * stale. Connections that only read may stand beside it; they see each block as soon as it is committed, and hold nothing up.
 */
import { chmodSync, closeSync, openSync } from "node:fs"
import { backup, DatabaseSync, type StatementSync } from "node:sqlite"

const APPLICATION_ID = 0x746d6331
const SCHEMA_VERSION = 1

/** How long a reader waits for a lock, ms: only a writer that opens or closes the file holds one. */
const READ_PATIENCE = 1_000

/** More pages than a database can have. */
const ALL_PAGES = 2 ** 31 - 1

const SCHEMA = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE node (hash BLOB PRIMARY KEY, value BLOB NOT NULL) STRICT;
CREATE TABLE block (number INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, header BLOB NOT NULL, size INTEGER NOT NULL) STRICT;
CREATE TABLE tx (
  hash BLOB PRIMARY KEY, block INTEGER NOT NULL, idx INTEGER NOT NULL, raw BLOB NOT NULL, sender BLOB NOT NULL,
  recipient BLOB, contract BLOB, gas_used INTEGER NOT NULL, gas_price TEXT NOT NULL, receipt BLOB NOT NULL,
  first_log INTEGER NOT NULL, UNIQUE (block, idx)
) STRICT;
CREATE TABLE log (
  block INTEGER NOT NULL, idx INTEGER NOT NULL, tx INTEGER NOT NULL, address BLOB NOT NULL,
  topic0 BLOB, topic1 BLOB, topic2 BLOB, topic3 BLOB, data BLOB NOT NULL, PRIMARY KEY (block, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX log_address ON log (address, block);
CREATE INDEX log_topic1 ON log (topic1, block);
CREATE INDEX log_topic2 ON log (topic2, block);
CREATE INDEX log_topic3 ON log (topic3, block) WHERE topic3 IS NOT NULL;
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
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
  readonly recipient: Uint8Array | null
  readonly contract: Uint8Array | null
  readonly gas_used: number
  /** Effective gas price, wei, decimal. */
  readonly gas_price: string
  /** The consensus receipt (EIP-2718 envelope): a leaf of the block's receipts trie. */
  readonly receipt: Uint8Array
  /** Index in the block of the transaction's first log. */
  readonly first_log: number
}

export interface LogRow {
  readonly block: number
  readonly idx: number
  readonly tx: number
  readonly address: Uint8Array
  readonly topics: ReadonlyArray<Uint8Array>
  readonly data: Uint8Array
}

/** Everything one block adds to the file. */
export interface SealedRows {
  readonly block: BlockRow
  readonly transactions: ReadonlyArray<TxRow>
  readonly logs: ReadonlyArray<LogRow>
  readonly nodes: Iterable<readonly [key: string, value: Uint8Array]>
}

/** The file cannot serve as this chain's file; `reason` tells why. */
export class ChainStoreError extends Error {
  readonly reason: "locked" | "foreign"

  constructor(reason: "locked" | "foreign", message: string) {
    super(message)
    this.reason = reason
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && (error.errcode as number) % 256 === 5

const single = (db: DatabaseSync, pragma: string): unknown => Object.values(db.prepare(pragma).get() ?? {})[0]

const lockedOut = () => new ChainStoreError("locked", "another process has this chain open")

const OWNER_ONLY = 0o600

/** Makes `path` a file that only its owner reads, before SQLite makes others beside it in its likeness. */
const makePrivate = (path: string): void => {
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    // Never opened here: to close a file drops every lock that this process holds on it.
    chmodSync(path, OWNER_ONLY)
  }
}

/** The right to write the chain in `path`, until what this answers is closed. */
const lockOf = (path: string): DatabaseSync => {
  makePrivate(`${path}.lock`)
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 })
  try {
    lock.exec("BEGIN IMMEDIATE")
    return lock
  } catch (error) {
    lock.close()
    throw isBusy(error) ? lockedOut() : error
  }
}

/** An open chain file; all methods are synchronous and throw SQLite's own errors when the disk fails. */
export class ChainStore {
  readonly db: DatabaseSync
  readonly #lock: DatabaseSync | undefined
  readonly #node: StatementSync
  readonly #block: StatementSync
  readonly #blockByHash: StatementSync
  readonly #head: StatementSync
  readonly #tx: StatementSync
  readonly #txsOf: StatementSync
  readonly #insert: Record<"node" | "block" | "tx" | "log", StatementSync>

  /**
   * Opens or creates the file (mode 0600, and so are its log and its lock); throws {@link ChainStoreError} when another process has it or
   * it is no chain. With `readOnly`, beside the one that writes it.
   */
  constructor(path: string, { readOnly = false } = {}) {
    if (readOnly) {
      this.db = new DatabaseSync(path, { readOnly, timeout: READ_PATIENCE })
    } else {
      makePrivate(path)
      this.#lock = lockOf(path)
      this.db = new DatabaseSync(path, { timeout: 0 })
      try {
        this.#prepareFile()
      } catch (error) {
        this.close()
        throw isBusy(error) ? lockedOut() : error
      }
    }
    const { db } = this
    this.#node = db.prepare("SELECT value FROM node WHERE hash = ?")
    this.#block = db.prepare("SELECT * FROM block WHERE number = ?")
    this.#blockByHash = db.prepare("SELECT * FROM block WHERE hash = ?")
    this.#head = db.prepare("SELECT * FROM block ORDER BY number DESC LIMIT 1")
    this.#tx = db.prepare("SELECT * FROM tx WHERE hash = ?")
    this.#txsOf = db.prepare("SELECT * FROM tx WHERE block = ? ORDER BY idx")
    this.#insert = {
      node: db.prepare("INSERT OR IGNORE INTO node VALUES (?, ?)"),
      block: db.prepare("INSERT INTO block VALUES (?, ?, ?, ?)"),
      tx: db.prepare("INSERT INTO tx VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      log: db.prepare("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
    }
  }

  #prepareFile(): void {
    this.db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
    this.transaction(() => {
      const application = single(this.db, "PRAGMA application_id")
      const tables = single(this.db, "SELECT count(*) FROM sqlite_schema")
      if (application === 0 && tables === 0) {
        this.db.exec(SCHEMA)
      } else if (application !== APPLICATION_ID || single(this.db, "PRAGMA user_version") !== SCHEMA_VERSION) {
        throw new ChainStoreError("foreign", "the file is not a chain of this version of Treemark")
      }
    })
  }

  /** Runs `work` in one durable transaction; rolls back when it throws. */
  transaction<A>(work: () => A): A {
    this.db.exec("BEGIN IMMEDIATE")
    try {
      const result = work()
      this.db.exec("COMMIT")
      return result
    } catch (error) {
      if (this.db.isTransaction) this.db.exec("ROLLBACK")
      throw error
    }
  }

  meta(name: string): Uint8Array | undefined {
    return this.db.prepare("SELECT value FROM meta WHERE name = ?").get(name)?.value as Uint8Array | undefined
  }

  setMeta(name: string, value: Uint8Array): void {
    this.db.prepare("INSERT INTO meta VALUES (?, ?)").run(name, value)
  }

  /** Writes one block; call it inside {@link transaction}. */
  insert({ block, logs, nodes, transactions }: SealedRows): void {
    for (const [key, value] of nodes) this.#insert.node.run(Buffer.from(key, "hex"), value)
    this.#insert.block.run(block.number, block.hash, block.header, block.size)
    for (const tx of transactions) {
      const { contract, gas_price, gas_used, hash, idx, raw, receipt, recipient, sender } = tx
      this.#insert.tx.run(
        hash,
        tx.block,
        idx,
        raw,
        sender,
        recipient,
        contract,
        gas_used,
        gas_price,
        receipt,
        tx.first_log
      )
    }
    for (const log of logs) {
      const [topic0 = null, topic1 = null, topic2 = null, topic3 = null] = log.topics
      this.#insert.log.run(log.block, log.idx, log.tx, log.address, topic0, topic1, topic2, topic3, log.data)
    }
  }

  node(key: string): Uint8Array | undefined {
    return this.#node.get(Buffer.from(key, "hex"))?.value as Uint8Array | undefined
  }

  head(): BlockRow | undefined {
    return this.#head.get() as unknown as BlockRow | undefined
  }

  block(number: number): BlockRow | undefined {
    return this.#block.get(number) as unknown as BlockRow | undefined
  }

  blockByHash(hash: Uint8Array): BlockRow | undefined {
    return this.#blockByHash.get(hash) as unknown as BlockRow | undefined
  }

  tx(hash: Uint8Array): TxRow | undefined {
    return this.#tx.get(hash) as unknown as TxRow | undefined
  }

  transactionsOf(block: number): ReadonlyArray<TxRow> {
    return this.#txsOf.all(block) as unknown as ReadonlyArray<TxRow>
  }

  /** Writes a copy of the chain as it is now to the new file `path`; answers its pages. All in one step, so that no block comes between. */
  copyTo(path: string): Promise<number> {
    return backup(this.db, path, { rate: ALL_PAGES })
  }

  close(): void {
    this.db.close()
    this.#lock?.close()
  }
}
