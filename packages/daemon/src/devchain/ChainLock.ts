/**
 * Who may write a chain's file: one process, which holds a lock on a tiny database beside it. The operating system drops the lock with
 * the process, kill -9 included, so no stale one has to be judged.
 */
import { chmodSync, closeSync, openSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"

const SQLITE_BUSY = 5
const OWNER_ONLY = 0o600

/** The file cannot serve as this chain's file; `reason` tells why. */
export class ChainStoreError extends Error {
  readonly reason: "locked" | "foreign"

  constructor(reason: "locked" | "foreign", message: string) {
    super(message)
    this.reason = reason
  }
}

/** `error`, or what it means when somebody else has the file. */
export const lockedOut = (error: unknown): unknown => {
  const isBusy = error instanceof Error && "errcode" in error && (error.errcode as number) % 256 === SQLITE_BUSY
  return isBusy ? new ChainStoreError("locked", "another process has this chain open") : error
}

/** Makes `path` a file that only its owner reads, before SQLite makes others beside it in its likeness. */
export const makePrivate = (path: string): void => {
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    // Never opened here: to close a file drops every lock that this process holds on it.
    chmodSync(path, OWNER_ONLY)
  }
}

/** The right to write the chain in `path`, until what this answers is closed. */
export const lockOf = (path: string): DatabaseSync => {
  makePrivate(`${path}.lock`)
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 })
  try {
    lock.exec("BEGIN IMMEDIATE")
    return lock
  } catch (error) {
    lock.close()
    throw lockedOut(error)
  }
}
