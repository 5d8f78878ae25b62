/** Copies the blocks of a data folder: `<two characters>/<cid>`, each new in its place. Drafts of writers are left out. */
import { constants } from "node:fs"
import { copyFile, mkdir, opendir, readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { isContentOf, readCid } from "../content/BlockCid.ts"

/** Where the block folder keeps blocks that are being written. */
const DRAFTS = "tmp"

export interface Copied {
  readonly count: number
  readonly bytes: number
}

/** The first block whose bytes are not what its name says; nothing else of `from` matters then. */
export class BlockUnusable extends Error {
  readonly path: string

  constructor(path: string) {
    super(`the block ${path} is damaged: its bytes are not what its name says`)
    this.path = path
  }
}

/** Copies every block of the folder `from` to the new folder `to`; `check`: reads each one back against its CID. */
export const copyBlocks = async (from: string, to: string, check: boolean): Promise<Copied> => {
  await mkdir(to, { recursive: true, mode: 0o700 })
  let count = 0
  let bytes = 0
  for (const shard of await shardsOf(from)) {
    await mkdir(join(to, shard), { mode: 0o700 })
    for await (const entry of await opendir(join(from, shard))) {
      if (!entry.isFile()) continue
      const target = join(to, shard, entry.name)
      if (!(await copied(join(from, shard, entry.name), target))) continue
      if (check && !(await isWhole(entry.name, target))) throw new BlockUnusable(join(from, shard, entry.name))
      count++
      bytes += (await stat(target)).size
    }
  }
  return { count, bytes }
}

/** Whether it was there to be copied: a block of an upload that broke off may go meanwhile. */
const copied = async (from: string, to: string): Promise<boolean> => {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false
    throw error
  }
}

const isWhole = async (name: string, path: string): Promise<boolean> => {
  const cid = readCid(name)
  return cid !== undefined && isContentOf(cid, await readFile(path))
}

const shardsOf = async (folder: string): Promise<ReadonlyArray<string>> => {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory() && entry.name !== DRAFTS).map(({ name }) => name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw error
  }
}
