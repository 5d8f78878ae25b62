/**
 * The file of one embedded chain (SQLite, WAL, synchronous=FULL). A block is one transaction of the database: its trie
 * nodes, header, transactions and receipts appear together or not at all, and readers see only what is committed.
 * One process writes it; connections that only read may stand beside the one that writes, see each block as soon as it is committed, and
 * hold nothing up.
 */
import { backup, DatabaseSync } from "node:sqlite"
import { ChainStoreError, lockedOut, lockOf, makePrivate } from "./ChainLock.ts"
import { ChainTables, TABLES } from "./ChainTables.ts"
import { FIRST_VERSION, migrateFirst } from "./FirstVersion.ts"

const APPLICATION_ID = 0x746d6331
const SCHEMA_VERSION = 2

/** How long a reader waits for a lock, ms: only a writer that opens or closes the file holds one. */
const READ_PATIENCE = 1_000

/** More pages than a database can have. */
const ALL_PAGES = 2 ** 31 - 1

/** Kilobytes of the file that a connection keeps at hand, and the most that is left of its log once it is in the file. */
const SETTINGS = "PRAGMA cache_size = -4096; PRAGMA journal_size_limit = 4194304;"

const SCHEMA = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
${TABLES}
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`

const single = (db: DatabaseSync, pragma: string): unknown => Object.values(db.prepare(pragma).get() ?? {})[0]

/** Runs `work` in one durable transaction; rolls back when it throws. */
const transact = <A>(db: DatabaseSync, work: () => A): A => {
  db.exec("BEGIN IMMEDIATE")
  try {
    const result = work()
    db.exec("COMMIT")
    return result
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw error
  }
}

/** Makes the tables of a new file, and today's tables of an older one. */
const prepareFile = (db: DatabaseSync): void => {
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
  const wasOld = transact(db, () => {
    const application = single(db, "PRAGMA application_id")
    const version = single(db, "PRAGMA user_version")
    if (application === 0 && single(db, "SELECT count(*) FROM sqlite_schema") === 0) {
      db.exec(SCHEMA)
      return false
    }
    if (application !== APPLICATION_ID || (version !== SCHEMA_VERSION && version !== FIRST_VERSION)) {
      throw new ChainStoreError("foreign", "the file is not a chain of this version of Treemark")
    }
    if (version === SCHEMA_VERSION) return false
    migrateFirst(db)
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
    return true
  })
  if (wasOld) db.exec("VACUUM")
}

/** An open chain file. */
export class ChainStore extends ChainTables {
  readonly #lock: DatabaseSync | undefined

  private constructor(db: DatabaseSync, lock: DatabaseSync | undefined) {
    super(db)
    this.#lock = lock
    db.exec(SETTINGS)
  }

  /**
   * Opens or creates the file (mode 0600, and so are its log and its lock), bringing an older one to today's form; throws
   * {@link ChainStoreError} when another process has it or it is no chain. With `readOnly`, beside the one that writes it.
   */
  static open(path: string, { readOnly = false } = {}): ChainStore {
    if (readOnly) return new ChainStore(new DatabaseSync(path, { readOnly, timeout: READ_PATIENCE }), undefined)
    makePrivate(path)
    const lock = lockOf(path)
    const db = new DatabaseSync(path, { timeout: 0 })
    try {
      prepareFile(db)
      return new ChainStore(db, lock)
    } catch (error) {
      db.close()
      lock.close()
      throw lockedOut(error)
    }
  }

  /** Runs `work` in one durable transaction; rolls back when it throws. */
  transaction<A>(work: () => A): A {
    try {
      return transact(this.db, work)
    } catch (error) {
      this.nodes.forget()
      throw error
    }
  }

  meta(name: string): Uint8Array | undefined {
    return this.db.prepare("SELECT value FROM meta WHERE name = ?").get(name)?.value as Uint8Array | undefined
  }

  setMeta(name: string, value: Uint8Array): void {
    this.db.prepare("INSERT INTO meta VALUES (?, ?)").run(name, value)
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
