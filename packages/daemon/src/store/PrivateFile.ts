/**
 * Files that only their owner may read: mode 0600, in a folder created with 0700. Two needs: an empty file that a database
 * then fills, and a secret written once, whole or not at all, and never overwritten.
 *
 * Gotcha: closing any descriptor of a file drops every POSIX lock this process holds on it, SQLite's too. So a file that
 * exists is never opened here; its mode is set by path.
 */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs"
import { link, mkdir, open, unlink } from "node:fs/promises"
import { dirname } from "node:path"

const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700

/** Makes `path` a folder of mode 0700; answers whether others could look into it before. Throws when it is not ours to close. */
export const ensurePrivateFolder = (path: string): boolean => {
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY_FOLDER })
  if ((statSync(path).mode & 0o077) === 0) return false
  chmodSync(path, OWNER_ONLY_FOLDER)
  return true
}

/** Makes `path` an existing file of mode 0600, empty when it is new. A folder that exists keeps its mode. */
export const ensurePrivateFile = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    chmodSync(path, OWNER_ONLY)
  }
}

/**
 * Writes `text` to the new file `path`: after a crash at any moment the file is there whole or not at all.
 * A hard link puts it in place, which, other than a rename, cannot overwrite: rejects with `EEXIST` when `path` exists.
 */
export const writeOnce = async (path: string, text: string): Promise<void> => {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  const draft = `${path}.${process.pid}.${process.hrtime.bigint()}.new`
  try {
    const file = await open(draft, "wx", OWNER_ONLY)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await link(draft, path)
  } finally {
    await unlink(draft).catch(() => undefined)
  }
  const directory = await open(folder, "r")
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
