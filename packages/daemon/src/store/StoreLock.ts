/**
 * One process writes the data store. The guard is a write lock (SQLite's RESERVED) held for the whole life of the store on a
 * tiny database beside it, `<store>.lock`. It is a lock of the operating system, so it ends with the process, kill -9
 * included, and no stale lock file has to be judged. The store itself stays readable for other tools.
 * The lock file's `user_version` carries the holder's process id, which readers may see while the lock is held.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import { ensurePrivateFile } from "./PrivateFile.ts"
import { StoreLocked, type StoreUnusable, storeUnusable } from "./StoreErrors.ts"

const SQLITE_BUSY = 5

/** Holds the right to write `filename` until the scope closes. */
export const holdStoreLock = (filename: string): Effect.Effect<void, StoreLocked | StoreUnusable, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.try({
        try: () => take(filename),
        catch: (cause) => (cause instanceof StoreLocked ? cause : storeUnusable(filename, cause))
      }),
      (lock) => Effect.sync(() => lock.close())
    )
  )

const take = (filename: string): DatabaseSync => {
  const path = `${filename}.lock`
  ensurePrivateFile(path)
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    for (;;) {
      lock.exec("BEGIN IMMEDIATE")
      // The id must be committed to be seen by others, and committing lets the lock go: so write, and take it again.
      if (holderOf(lock) === process.pid) return lock
      lock.exec(`PRAGMA user_version = ${process.pid}`)
      lock.exec("COMMIT")
    }
  } catch (error) {
    const busy = isBusy(error)
    const holder = busy ? holderIfReadable(lock) : null
    lock.close()
    throw busy ? new StoreLocked({ filename, holder }) : error
  }
}

const holderOf = (lock: DatabaseSync): number => Number(lock.prepare("PRAGMA user_version").get()?.user_version ?? 0)

const holderIfReadable = (lock: DatabaseSync): number | null => {
  try {
    return holderOf(lock) || null
  } catch {
    return null
  }
}

const isBusy = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  "errcode" in error &&
  typeof error.errcode === "number" &&
  (error.errcode & 0xff) === SQLITE_BUSY
