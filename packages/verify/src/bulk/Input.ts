/** What is to be verified, opened: lines of a file or of standard input, or the files of a folder; as chunks for the workers. */
import { closeSync, fstatSync, openSync, read, statSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { unreadable } from "../Inputs.ts"
import { UnusableInput } from "../UnusableInput.ts"
import type { BulkArguments, ByteRange } from "./BulkArguments.ts"
import type { Chunk } from "./Chunk.ts"
import { folderFiles, type Walk } from "./FolderFiles.ts"
import { LineChunks, type Part, type Read } from "./LineChunks.ts"

export interface BulkInput {
  /** Bytes of lines or number of files; undefined when nobody knows before the end. */
  readonly whole: number | undefined
  /** Whether only a part of the whole is asked for, which may rightly be empty. */
  readonly isPart: boolean
  readonly chunks: (isHungry: () => boolean) => AsyncIterable<Chunk> | Iterable<Chunk>
  /** A chunk's buffer that is free again. */
  readonly recycle: (buffer: ArrayBuffer) => void
  readonly close: () => void
}

const FILES_PER_CHUNK = 64
const STANDARD_INPUT = 0

/** `isCounted`: somebody wants to know how many files there are. Throws {@link UnusableInput} for what cannot be read. */
export const openInput = (
  args: Pick<BulkArguments, "input" | "shard" | "range">,
  options: { readonly isCounted: boolean; readonly onSkipped: Walk["onSkipped"] }
): BulkInput => {
  if (args.input === "-") return lines(args, STANDARD_INPUT)
  const stat = orUnusable(args.input, () => statSync(args.input))
  if (!stat.isDirectory())
    return lines(
      args,
      orUnusable(args.input, () => openSync(args.input, "r"))
    )
  if (args.range !== undefined)
    throw new UnusableInput("usage", "--range is for a file of lines; a folder has --shard.")
  const walk = { folder: args.input, shard: args.shard, onSkipped: options.onSkipped }
  return {
    whole: options.isCounted ? [...folderFiles({ ...walk, onSkipped: () => {} })].length : undefined,
    isPart: args.shard !== undefined,
    chunks: () => fileChunks(walk),
    recycle: () => {},
    close: () => {}
  }
}

function* fileChunks(walk: Walk): Generator<Chunk> {
  let files = []
  for (const file of folderFiles(walk)) {
    files.push(file)
    if (files.length === FILES_PER_CHUNK) {
      yield { kind: "files", files }
      files = []
    }
  }
  if (files.length > 0) yield { kind: "files", files }
}

const lines = ({ input, shard, range }: Pick<BulkArguments, "input" | "shard" | "range">, file: number): BulkInput => {
  const stat = fstatSync(file)
  const isPart = shard !== undefined || range !== undefined
  if (isPart && !stat.isFile()) throw new UnusableInput("usage", `Only a regular file has parts; ${input} is none.`)
  if (input !== "-" && (stat.isCharacterDevice() || stat.isBlockDevice())) {
    throw new UnusableInput("file_unreadable", `${input} is a device and has no end, so it cannot be read as proofs.`)
  }
  const { start, end } = bytesOf(stat.size, shard, range)
  const part: Part = { start: Math.max(0, start - 1), isInsideLine: start > 0, end }
  const chunks = new LineChunks(reader(file, isPart ? part.start : undefined), part)
  return {
    whole: stat.isFile() ? Math.max(0, Math.min(end ?? stat.size, stat.size) - start) : undefined,
    isPart,
    chunks: (isHungry) => chunks.chunks(isHungry),
    recycle: (buffer) => chunks.recycle(buffer),
    close: () => {
      if (file !== STANDARD_INPUT) closeSync(file)
    }
  }
}

const bytesOf = (size: number, shard: BulkArguments["shard"], range: ByteRange | undefined): ByteRange =>
  shard === undefined
    ? (range ?? { start: 0, end: undefined })
    : {
        start: Math.floor((size / shard.count) * (shard.index - 1)),
        end: shard.index === shard.count ? undefined : Math.floor((size / shard.count) * shard.index)
      }

/** Reads on from byte `start`, or from where the file stands. */
const reader = (file: number, start: number | undefined): Read => {
  let position = start ?? null
  return async (into) => {
    const length = await readSome(file, into, position)
    if (position !== null) position += length
    return length
  }
}

/** On a thread of its own: the main one has answers to write. */
const readSome = async (file: number, into: Uint8Array, position: number | null): Promise<number> => {
  for (;;) {
    const result = await new Promise<number | NodeJS.ErrnoException>((resolve) => {
      read(file, into, 0, into.length, position, (error, length) => resolve(error ?? length))
    })
    if (typeof result === "number") return result
    if (result.code === "EOF") return 0
    if (result.code !== "EAGAIN") throw new UnusableInput("file_unreadable", unreadable("-", "proofs", result))
    await setTimeout(5)
  }
}

const orUnusable = <A>(path: string, act: () => A): A => {
  try {
    return act()
  } catch (error) {
    throw new UnusableInput("file_unreadable", unreadable(path, "proofs", error))
  }
}
