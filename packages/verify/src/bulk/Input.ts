/** What is to be verified, opened: lines or a CAR in a file or on standard input, or the files of a folder; as chunks for the workers. */
import { closeSync, fstatSync, openSync, read, statSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { isCar, otherContainer } from "../car/CarFormat.ts"
import { unreadable } from "../Unreadable.ts"
import { UnusableInput } from "../UnusableInput.ts"
import type { BulkArguments, ByteRange } from "./BulkArguments.ts"
import { CarChunks } from "./CarChunks.ts"
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
  let recycle = (_: ArrayBuffer): void => {}
  return {
    whole: stat.isFile() ? Math.max(0, Math.min(end ?? stat.size, stat.size) - start) : undefined,
    isPart,
    async *chunks(isHungry) {
      const read = reader(file, isPart ? 0 : undefined)
      const head = await headOf(read)
      const container = otherContainer(head)
      if (container !== undefined) throw new UnusableInput("container_unknown", `${input} is not read: ${container}.`)
      if (isCar(head)) {
        if (range !== undefined) throw new UnusableInput("usage", "--range is for a file of lines; a CAR has --shard.")
        yield* new CarChunks(after(head, read), { start, end }).chunks(isHungry)
        return
      }
      const part: Part = { start: Math.max(0, start - 1), isInsideLine: start > 0, end }
      const chunks = new LineChunks(isPart ? reader(file, part.start) : after(head, read), part)
      recycle = (buffer) => chunks.recycle(buffer)
      yield* chunks.chunks(isHungry)
    },
    recycle: (buffer) => recycle(buffer),
    close: () => {
      if (file !== STANDARD_INPUT) closeSync(file)
    }
  }
}

/** The first bytes, as many as tell a container; fewer when there is a whole line, so that nobody is kept waiting. */
const headOf = async (read: Read): Promise<Uint8Array> => {
  const head = new Uint8Array(HEAD_LENGTH)
  let length = 0
  while (length < HEAD_LENGTH && !head.includes(NEWLINE)) {
    const more = await read(head.subarray(length))
    if (more === 0) break
    length += more
  }
  return head.subarray(0, length)
}

const HEAD_LENGTH = 16
const NEWLINE = 10

/** `head`, then what `read` gives. */
const after = (head: Uint8Array, read: Read): Read => {
  let given = 0
  return async (into) => {
    if (given === head.length) return read(into)
    const part = head.subarray(given, given + into.length)
    into.set(part)
    given += part.length
    return part.length
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
