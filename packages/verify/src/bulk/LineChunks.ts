/**
 * Cuts a stream of lines into chunks of whole lines, about 512 KiB each and never many, in constant memory: a line longer than any proof is not
 * held, only as much of it as shows that it is too long. A part of a file has the lines that start in it, so parts that meet share no line and lose none.
 */
import { PROOF_LIMIT } from "@treemark/core/verify"
import type { Lines } from "./Chunk.ts"

export const CHUNK_SIZE = 512 * 1024
const NEWLINE = 10
/** Most lines of a chunk: the answer to a line of two bytes is as long as that to a proof, and answers wait in memory. */
export const MOST_LINES = 2048

/** Where the bytes come from: fills `into` as far as it goes; 0 at the end. */
export type Read = (into: Uint8Array) => Promise<number>

export interface Part {
  /** The first byte that {@link Read} gives, counted from the start of the input. */
  readonly start: number
  /** Whether the first bytes are the end of a line that starts before the part. */
  readonly isInsideLine: boolean
  /** Lines that start at this byte or behind it belong to somebody else. */
  readonly end: number | undefined
}

export class LineChunks {
  private readonly read: Read
  private readonly spare: Array<ArrayBuffer> = []
  private bytes = new Uint8Array(CHUNK_SIZE)
  private filled = 0
  /** The last line break in the buffer, or -1. */
  private newline = -1
  private offset: number
  private line: number | undefined
  private readonly part: Part

  constructor(read: Read, part: Part) {
    this.read = read
    this.part = part
    this.offset = part.start
    this.line = part.start === 0 ? 1 : undefined
  }

  /** Gives back a buffer that is no longer needed. */
  recycle(buffer: ArrayBuffer): void {
    if (buffer.byteLength === CHUNK_SIZE && this.spare.length < 8) this.spare.push(buffer)
  }

  /** `isHungry`: somebody waits for work, so that a chunk need not be full. */
  async *chunks(isHungry: () => boolean): AsyncGenerator<Lines> {
    if (this.part.isInsideLine && !(await this.skipLine())) return
    while (!this.isPastEnd(this.offset)) {
      const length = await this.fill()
      const last = this.lastLine() ?? (length === 0 ? this.filled : undefined)
      if (last !== undefined) {
        yield* this.takeLines(last)
        return
      }
      if (this.filled > PROOF_LIMIT && this.newline === -1) {
        yield* this.tooLong()
      } else if (this.newline !== -1 && (this.filled === this.bytes.length || isHungry())) {
        yield* this.takeLines(this.newline + 1)
      }
    }
  }

  /** Where the part ends in the buffer: behind the first line break from its last byte on. */
  private lastLine(): number | undefined {
    if (this.part.end === undefined) return undefined
    const lastByte = this.part.end - 1 - this.offset
    if (lastByte >= this.filled) return undefined
    const newline = this.bytes.subarray(0, this.filled).indexOf(NEWLINE, Math.max(lastByte, 0))
    return newline === -1 ? undefined : newline + 1
  }

  private isPastEnd(offset: number): boolean {
    return this.part.end !== undefined && offset >= this.part.end
  }

  /** Reads more behind what is there; 0 at the end of the input. */
  private async fill(): Promise<number> {
    if (this.filled === this.bytes.length) {
      const larger = new Uint8Array(Math.min(this.bytes.length * 2, PROOF_LIMIT + CHUNK_SIZE))
      larger.set(this.bytes)
      this.bytes = larger
    }
    const length = await this.read(this.bytes.subarray(this.filled))
    const newline = this.bytes.subarray(this.filled, this.filled + length).lastIndexOf(NEWLINE)
    if (newline !== -1) this.newline = this.filled + newline
    this.filled += length
    return length
  }

  /** The first `length` bytes, which end with a line, as chunks; what follows them starts the next. */
  private *takeLines(length: number): Generator<Lines> {
    const { bytes } = this
    if (endOfLines(bytes, 0, length) === length) {
      if (length > 0) yield this.take(length)
      return
    }
    for (let start = 0; start < length; ) {
      const end = endOfLines(bytes, start, length)
      const part = bytes.slice(start, end)
      yield { kind: "lines", buffer: part.buffer, length: part.length, offset: this.offset, line: this.line }
      this.advance(part)
      start = end
    }
    this.keepFrom(length)
  }

  /** The first `length` bytes as a chunk, without a copy. */
  private take(length: number): Lines {
    const { bytes, offset, line } = this
    this.keepFrom(length)
    this.advance(bytes.subarray(0, length))
    return { kind: "lines", buffer: bytes.buffer, length, offset, line }
  }

  /** Goes on in another buffer with what stands behind `length`: the beginning of a line. */
  private keepFrom(length: number): void {
    const rest = this.bytes.subarray(length, this.filled)
    const spare = rest.length > CHUNK_SIZE ? undefined : this.spare.pop()
    const next = new Uint8Array(spare ?? new ArrayBuffer(Math.max(CHUNK_SIZE, rest.length)))
    next.set(rest)
    this.bytes = next
    this.filled = rest.length
    this.newline = -1
  }

  private advance(passed: Uint8Array): void {
    this.offset += passed.length
    if (this.line !== undefined) this.line += countLines(passed)
  }

  /** A line over the limit: one byte too much of it, alone; the rest is passed over. */
  private async *tooLong(): AsyncGenerator<Lines> {
    const { bytes, offset, line } = this
    this.bytes = new Uint8Array(CHUNK_SIZE)
    this.offset += this.filled
    this.filled = 0
    this.newline = -1
    yield { kind: "lines", buffer: bytes.buffer, length: PROOF_LIMIT + 1, offset, line }
    await this.skipLine()
    if (this.line !== undefined) this.line = (line ?? 0) + 1
  }

  /** Passes over everything up to and with the next line break; `false` when there is none. */
  private async skipLine(): Promise<boolean> {
    for (;;) {
      const length = await this.fill()
      if (length === 0) return false
      const newline = this.bytes.subarray(0, this.filled).indexOf(NEWLINE)
      const passed = newline === -1 ? this.filled : newline + 1
      this.bytes.copyWithin(0, passed, this.filled)
      this.filled -= passed
      this.offset += passed
      this.newline = Math.max(-1, this.newline - passed)
      if (newline !== -1) return true
    }
  }
}

/** Where the first {@link MOST_LINES} lines from `start` on end, or `limit` when there are not so many. */
const endOfLines = (bytes: Uint8Array, start: number, limit: number): number => {
  let end = start
  for (let lines = 0; lines < MOST_LINES; lines++) {
    const newline = bytes.indexOf(NEWLINE, end)
    if (newline === -1 || newline >= limit) return limit
    end = newline + 1
  }
  return end
}

const countLines = (passed: Uint8Array): number => {
  const bytes = Buffer.from(passed.buffer, passed.byteOffset, passed.length)
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}
