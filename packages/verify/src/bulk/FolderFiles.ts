/**
 * The proofs in a folder and the folders in it: regular files named *.json, folder by folder in the order of their names. Links, devices, pipes
 * and sockets are never opened: they are passed over with a message.
 */
import { type Dirent, readdirSync } from "node:fs"
import { join } from "node:path"
import { printable } from "../Printable.ts"
import { UnusableInput } from "../UnusableInput.ts"

export interface FoundFile {
  readonly path: string
  /** The path inside the folder. */
  readonly name: string
}

/** `i` of `n`, from 1. */
export interface Shard {
  readonly index: number
  readonly count: number
}

export interface Walk {
  readonly folder: string
  readonly shard: Shard | undefined
  /** Told about everything that is passed over, in words, but for files that are not named as proofs are. */
  readonly onSkipped: (message: string) => void
}

const DEEPEST = 64

/** Throws {@link UnusableInput} when the folder itself cannot be listed; one in it that cannot be is passed over. */
export function* folderFiles(walk: Walk): Generator<FoundFile> {
  try {
    readdirSync(walk.folder)
  } catch (error) {
    throw new UnusableInput("file_unreadable", `${walk.folder} cannot be listed: ${reasonOf(error)}.`)
  }
  yield* filesIn(walk, "", 1)
}

function* filesIn(walk: Walk, inside: string, depth: number): Generator<FoundFile> {
  for (const entry of listing(walk, inside)) {
    const name = inside === "" ? entry.name : `${inside}/${entry.name}`
    if (entry.isDirectory()) {
      if (depth < DEEPEST) yield* filesIn(walk, name, depth + 1)
      else walk.onSkipped(`${printable(name)} lies more than ${DEEPEST} folders deep; skipped.`)
    } else if (!entry.isFile()) {
      walk.onSkipped(`${printable(name)} is ${kindOf(entry)}, not a file; skipped.`)
    } else if (/\.json$/i.test(entry.name) && isInShard(name, walk.shard)) {
      yield { path: join(walk.folder, name), name }
    }
  }
}

const listing = (walk: Walk, inside: string): ReadonlyArray<Dirent> => {
  try {
    const entries = readdirSync(join(walk.folder, inside), { withFileTypes: true })
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1))
  } catch (error) {
    walk.onSkipped(`${printable(inside)} cannot be listed (${reasonOf(error)}); skipped.`)
    return []
  }
}

const kindOf = (entry: Dirent): string => {
  if (entry.isSymbolicLink()) return "a symbolic link"
  if (entry.isFIFO()) return "a pipe"
  return entry.isSocket() ? "a socket" : "a device"
}

/** By a hash of the name (FNV-1a), so that a file stays in its shard when others come and go. */
const isInShard = (name: string, shard: Shard | undefined): boolean => {
  if (shard === undefined) return true
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % shard.count === shard.index - 1
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
