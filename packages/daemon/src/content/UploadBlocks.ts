/**
 * Which blocks uploads under way use, and which of them are new, so that those of a broken upload are removed and nobody else's: a block goes
 * when it was new, nothing that was registered uses it, and no upload under way does either. What is new is noted in a file of the upload's
 * own before the block has its name; a kill leaves that file, and the next start looks at the blocks it names.
 *
 * Only for a folder that one process at a time writes to: what others upload is not known here.
 */
import { randomUUID } from "node:crypto"
import { appendFile, readdir, readFile, unlink } from "node:fs/promises"
import { join } from "node:path"
import type { BlockFiles } from "./BlockFiles.ts"

/** How the name of a note ends, beside drafts of blocks. */
const NOTE = ".upload"

const OWNER_ONLY = 0o600

/** `unknown`: nobody can say whether it was registered, so its blocks stay, and the next start decides. */
export type UploadEnd = "registered" | "broken" | "unknown"

/** A block that somebody uses right now. It stays here while anybody does, so what is said of it counts for all of them. */
interface Use {
  users: number
  /** It was not there before the uploads that use it. */
  isNew: boolean
  /** A registered asset uses it, or may. */
  isKept: boolean
}

export class UploadBlocks {
  readonly #files: BlockFiles
  readonly #uses = new Map<string, Use>()
  /** Blocks that are being removed: whoever wants one waits, and writes it anew. */
  readonly #leaving = new Map<string, Promise<void>>()
  #leftNotes: ReadonlyArray<string> = []

  constructor(files: BlockFiles) {
    this.#files = files
  }

  /** Removes drafts that a kill left, whatever their age, and learns which uploads it broke. */
  async open(): Promise<void> {
    const names = await readdir(this.#files.drafts)
    const isNote = (name: string) => name.endsWith(NOTE)
    this.#leftNotes = names.filter(isNote).map((name) => join(this.#files.drafts, name))
    for (const name of names) if (!isNote(name)) await unlink(join(this.#files.drafts, name))
  }

  begin(): UploadUse {
    return new UploadUse(this.#files, this, join(this.#files.drafts, `${randomUUID()}${NOTE}`))
  }

  /** The blocks that broken uploads of earlier processes noted; they stay until `settle` or `spare`. */
  async suspects(): Promise<ReadonlySet<string>> {
    const texts = await Promise.all(this.#leftNotes.map((note) => readFile(note, "utf8")))
    const cids = new Set(texts.flatMap((text) => text.match(/^b[a-z2-7]+(?=\n)/gmu) ?? []))
    // Uploads that end from now on say here what they use; what those before used is in the store.
    for (const cid of cids) (await this.use(cid)).isNew = true
    return cids
  }

  /** Removes the suspects that are not in `used`, and answers how many. */
  async settle(suspects: ReadonlySet<string>, used: ReadonlySet<string>): Promise<number> {
    for (const cid of used) this.keep(cid)
    const { isClear, removed } = await this.release(suspects)
    if (isClear) for (const note of this.#leftNotes) await unlink(note)
    this.#leftNotes = []
    return removed
  }

  /** Leaves the suspects to the next start: nobody could say which of them are used. */
  async spare(suspects: ReadonlySet<string>): Promise<void> {
    for (const cid of suspects) this.keep(cid)
    await this.release(suspects)
  }

  /** One more user of the block; call `release` once. */
  async use(cid: string): Promise<Use> {
    for (let leaving = this.#leaving.get(cid); leaving !== undefined; leaving = this.#leaving.get(cid)) await leaving
    const use = this.#uses.get(cid) ?? { users: 0, isNew: false, isKept: false }
    use.users++
    this.#uses.set(cid, use)
    return use
  }

  keep(cid: string): void {
    const use = this.#uses.get(cid)
    if (use !== undefined) use.isKept = true
  }

  /** One user less of each; removes those that nobody needs. `isClear`: nothing is left whose fate is open. */
  async release(cids: Iterable<string>): Promise<{ readonly removed: number; readonly isClear: boolean }> {
    const unneeded: Array<string> = []
    let isClear = true
    for (const cid of cids) {
      const use = this.#uses.get(cid)
      if (use === undefined) continue
      use.users--
      const isOpen = use.isNew && !use.isKept
      if (use.users > 0) isClear &&= !isOpen
      else {
        this.#uses.delete(cid)
        if (isOpen) unneeded.push(cid)
      }
    }
    // All are marked before the first is removed: from here on whoever wants one waits for its end.
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const cid of unneeded) this.#leaving.set(cid, promise)
    try {
      for (const cid of unneeded) await unlink(this.#files.pathOf(cid)).catch(unlessMissing)
    } finally {
      for (const cid of unneeded) this.#leaving.delete(cid)
      resolve()
    }
    return { removed: unneeded.length, isClear }
  }
}

/** The blocks of one upload. */
export class UploadUse {
  readonly #files: BlockFiles
  readonly #all: UploadBlocks
  readonly #path: string
  readonly #used = new Map<string, Promise<Use>>()
  readonly #writing = new Set<Promise<void>>()
  #isNoted = false

  constructor(files: BlockFiles, all: UploadBlocks, path: string) {
    this.#files = files
    this.#all = all
    this.#path = path
  }

  /** As `BlockFiles.write`. */
  write(cid: string, bytes: Uint8Array, touched: Set<string>): Promise<void> {
    const writing = this.#write(cid, bytes, touched).finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
    return writing
  }

  async #write(cid: string, bytes: Uint8Array, touched: Set<string>): Promise<void> {
    const using = this.#used.get(cid) ?? this.#all.use(cid)
    this.#used.set(cid, using)
    const use = await using
    await this.#files.write(cid, bytes, touched, async () => {
      this.#isNoted = true
      await appendFile(this.#path, `${cid}\n`, { mode: OWNER_ONLY })
      use.isNew = true
    })
  }

  /** The upload has ended; waits for what is still being written of it. */
  async end(end: UploadEnd): Promise<void> {
    await Promise.allSettled([...this.#writing])
    const cids = [...this.#used.keys()]
    if (end !== "broken") for (const cid of cids) this.#all.keep(cid)
    const { isClear } = await this.#all.release(cids)
    if (this.#isNoted && isClear && end !== "unknown") await unlink(this.#path).catch(unlessMissing)
  }
}

const unlessMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "ENOENT") throw error
}
