/**
 * The files that paths name. Names are bytes: a file system holds names that are no UTF-8, and those are found as well. A folder's own
 * files are taken, those below it when asked; links to files are followed, links to folders only where they were named, so that no link
 * leads round in a circle. What is passed over is told with the reason.
 */
import type { Dirent } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import { printable } from "../Printable.ts"
import { type FileProblem, fileProblem } from "./FileProblem.ts"

export interface FoundFile {
  readonly path: Buffer
  /** As it is shown, and sent with the registration; bytes that are no UTF-8 are replaced. */
  readonly shown: string
}

export type Walked =
  | { readonly file: FoundFile }
  /** Passed over on purpose, which is no failure. */
  | { readonly file: FoundFile; readonly skipped: string }
  | { readonly file: FoundFile; readonly problem: FileProblem }

const SEPARATOR = Buffer.from("/")
const DOT = ".".charCodeAt(0)

export const foundFile = (path: Buffer): FoundFile => ({ path, shown: path.toString("utf8") })

/** The name alone, without its folders. */
export const nameOf = ({ shown }: FoundFile): string => shown.slice(shown.lastIndexOf("/") + 1)

/** Everything the paths name, each path once, in the order of the names. */
export async function* walk(paths: ReadonlyArray<string>, recursive: boolean): AsyncGenerator<Walked> {
  const seen = new Set<string>()
  for (const path of paths) {
    for await (const walked of named(Buffer.from(path), recursive)) {
      const key = walked.file.path.toString("latin1")
      if (seen.has(key)) continue
      seen.add(key)
      yield walked
    }
  }
}

async function* named(path: Buffer, recursive: boolean): AsyncGenerator<Walked> {
  const file = foundFile(path)
  try {
    const facts = await stat(path)
    if (facts.isDirectory()) yield* inFolder(path, recursive)
    else yield { file }
  } catch (error) {
    yield { file, problem: fileProblem(error) }
  }
}

async function* inFolder(folder: Buffer, recursive: boolean): AsyncGenerator<Walked> {
  let entries: ReadonlyArray<Dirent<Buffer>>
  try {
    entries = (await readdir(folder, { withFileTypes: true, encoding: "buffer" })).sort((a, b) =>
      Buffer.compare(a.name, b.name)
    )
  } catch (error) {
    yield { file: foundFile(folder), problem: fileProblem(error) }
    return
  }
  const isRoot = folder.length > 0 && folder.at(-1) === SEPARATOR[0]
  for (const entry of entries) {
    const path = Buffer.concat([folder, ...(isRoot ? [] : [SEPARATOR]), entry.name])
    yield* inside(path, entry, recursive)
  }
}

async function* inside(path: Buffer, entry: Dirent<Buffer>, recursive: boolean): AsyncGenerator<Walked> {
  const file = foundFile(path)
  if (entry.name[0] === DOT) return yield { file, skipped: "hidden; name it to add it" }
  if (entry.isDirectory()) {
    if (recursive) return yield* inFolder(path, recursive)
    return yield { file, skipped: "a folder; --recursive adds what is in it" }
  }
  if (entry.isFile()) return yield { file }
  if (!entry.isSymbolicLink()) return yield { file, skipped: "not a file, but a device, pipe or socket" }
  try {
    const target = await stat(path)
    if (target.isFile()) return yield { file }
    return yield { file, skipped: "a link to a folder; name it to add what is in it" }
  } catch (error) {
    return yield { file, problem: fileProblem(error) }
  }
}

/** A file's name for a terminal. */
export const shownName = ({ shown }: FoundFile): string => printable(shown, 4_000)
