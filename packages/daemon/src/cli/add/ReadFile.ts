/**
 * One file as it is now: its sha256, its size, and what it says of itself (when it was made, by whom). A file that changes while it is
 * read is refused, for what was hashed would be neither the old nor the new one; `readAgain` streams it later and finds that out too.
 */
import { createHash } from "node:crypto"
import { constants, type Stats } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { detailsOf, HEAD_BYTES } from "./Details.ts"
import { FileProblem, fileProblem } from "./FileProblem.ts"
import type { FoundFile } from "./Walk.ts"

export interface ReadFile {
  readonly file: FoundFile
  readonly sha256: string
  readonly size: number
  /** Unix seconds, of the camera or editor if the file says so, else of the file system. */
  readonly created: number
  readonly createdBy: "metadata" | "file system"
  /** Who made it, as the file says. */
  readonly creator: string | undefined
  /** Tells this state of the file from another. */
  readonly stamp: string
}

const CHUNK = 1 << 18

export const stampOf = ({ ctimeMs, dev, ino, mtimeMs, size }: Stats): string =>
  [dev, ino, size, mtimeMs, ctimeMs].join(":")

const changed = () =>
  new FileProblem("changing", "it changed while it was read; run this again once it is whole, or use --watch")

/** A pipe that took the file's place would never open, and a terminal would wait. */
const openFile = (path: Buffer): Promise<FileHandle> => open(path, constants.O_RDONLY | constants.O_NONBLOCK)

export const readFile = async (file: FoundFile): Promise<ReadFile> => {
  let handle: FileHandle | undefined
  try {
    handle = await openFile(file.path)
    const before = await handle.stat()
    if (!before.isFile())
      throw new FileProblem("not_a_file", "it is no file, but a device, pipe or socket; leave it out")
    if (before.size === 0) throw new FileProblem("empty", "it is empty; fill it or leave it out")
    const hash = createHash("sha256")
    const head: Array<Buffer> = []
    let size = 0
    for await (const chunk of piecesOf(handle)) {
      hash.update(chunk)
      if (size < HEAD_BYTES) head.push(Buffer.from(chunk))
      size += chunk.length
    }
    const after = await handle.stat()
    if (size !== before.size || stampOf(after) !== stampOf(before)) throw changed()
    const details = await detailsOf(Buffer.concat(head))
    return {
      file,
      sha256: hash.digest("hex"),
      size,
      created: details.created ?? fileTime(before),
      createdBy: details.created === undefined ? "file system" : "metadata",
      creator: details.creator,
      stamp: stampOf(before)
    }
  } catch (error) {
    throw fileProblem(error)
  } finally {
    await handle?.close()
  }
}

/** The bytes once more, of the file that was read before; throws when it is not the same any more. */
export async function* readAgain({ file, stamp }: ReadFile): AsyncGenerator<Uint8Array> {
  let handle: FileHandle | undefined
  try {
    handle = await openFile(file.path)
    if (stampOf(await handle.stat()) !== stamp) throw changed()
    yield* piecesOf(handle)
    if (stampOf(await handle.stat()) !== stamp) throw changed()
  } catch (error) {
    throw fileProblem(error)
  } finally {
    await handle?.close()
  }
}

async function* piecesOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** The earlier of both times: a copy is born after its content was last changed. Some file systems know no birth. */
const fileTime = ({ birthtimeMs, mtimeMs }: Stats): number =>
  Math.max(0, Math.floor((birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs) / 1000))
