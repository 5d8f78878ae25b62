/**
 * The files of the block folder: read, write whole or not at all, make durable. A new block is written to `<folder>/tmp`, synced,
 * then renamed into its shard; the rename is durable once the shard's folder is synced, which callers ask for with `sync`.
 */
import { randomUUID } from "node:crypto"
import { mkdir, open, readdir, readFile, rename, stat, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { blockPath } from "./BlockPath.ts"

const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700

/** A draft this old has no writer left: a crash cut it off. */
const STALE_DRAFT_MS = 3_600_000

/** Folders synced at the same time; node:fs has four threads. */
const SYNCS_AT_ONCE = 4

export class BlockFiles {
  readonly folder: string
  readonly drafts: string
  /** Shards whose own place in the folder is durable: known to this process, so that the folder is not synced for each block. */
  readonly #placed = new Set<string>()

  constructor(folder: string) {
    this.folder = folder
    this.drafts = join(folder, "tmp")
  }

  /** Makes the folder, and removes drafts that a crash left behind. */
  async open(): Promise<void> {
    await mkdir(this.drafts, { recursive: true, mode: OWNER_ONLY_FOLDER })
    for (const name of await readdir(this.drafts)) {
      const draft = join(this.drafts, name)
      if ((await stat(draft)).mtimeMs < Date.now() - STALE_DRAFT_MS) await unlink(draft)
    }
    await syncFolder(this.folder)
    await syncFolder(dirname(this.folder))
  }

  pathOf(cid: string): string {
    return blockPath(this.folder, cid)
  }

  /** The bytes in the file of `cid`, unchecked; `undefined` when there is none. */
  async read(cid: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(this.pathOf(cid))
    } catch (error) {
      if (isCode(error, "ENOENT")) return undefined
      throw error
    }
  }

  /**
   * Writes the file of `cid`, unless it holds `bytes` already, and adds to `touched` the folders to sync before it is durable. `beforeNew`
   * ends before a file gets its name that was not there.
   */
  async write(cid: string, bytes: Uint8Array, touched: Set<string>, beforeNew?: () => Promise<void>): Promise<void> {
    const path = this.pathOf(cid)
    const shard = dirname(path)
    touched.add(shard)
    if (!this.#placed.has(shard)) touched.add(this.folder)
    const present = await this.read(cid)
    if (present !== undefined && Buffer.compare(present, bytes) === 0) return
    if (present === undefined) await beforeNew?.()
    const draft = join(this.drafts, randomUUID())
    try {
      const file = await open(draft, "wx", OWNER_ONLY)
      try {
        await file.writeFile(bytes)
        await file.datasync()
      } finally {
        await file.close()
      }
      if (await place(draft, path)) touched.add(this.folder)
    } catch (error) {
      await unlink(draft).catch(() => undefined)
      throw error
    }
  }

  /** Syncs the folders in `touched` and takes them out of it; one that could not be synced stays in it. */
  async sync(touched: Set<string>): Promise<void> {
    const shards = [...touched]
    const isFolderSynced = touched.has(this.folder)
    const waiting = [...touched]
    const worker = async () => {
      for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
        touched.delete(folder)
        try {
          await syncFolder(folder)
        } catch (error) {
          touched.add(folder)
          throw error
        }
      }
    }
    await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, worker))
    if (isFolderSynced) for (const shard of shards) this.#placed.add(shard)
  }
}

/** Moves a draft to its place; the first block of a shard makes the shard's folder. Answers whether it did. */
const place = async (draft: string, path: string): Promise<boolean> => {
  try {
    await rename(draft, path)
    return false
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error
    await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
    await rename(draft, path)
    return true
  }
}

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code
