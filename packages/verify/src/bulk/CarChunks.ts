/**
 * Cuts a CAR into chunks of whole sections, about 512 KiB each, in constant memory: a block larger than any proof is not held, only told of. Sections
 * cannot be found from the middle of a file, so a part is found by walking over the lengths from the start; it has the sections
 * that start in it.
 */
import { type CarFault, isFault, isTooLong, readHeader, sectionAt, tooLong } from "../car/CarFormat.ts"
import { UnusableInput } from "../UnusableInput.ts"
import type { Blocks } from "./Chunk.ts"
import { CHUNK_SIZE, type Read } from "./LineChunks.ts"

export interface CarPart {
  /** Sections that start before it belong to somebody else. */
  readonly start: number
  /** Sections that start at this byte or behind it belong to somebody else. */
  readonly end: number | undefined
}

export class CarChunks {
  private readonly read: Read
  private readonly part: CarPart
  private bytes = new Uint8Array(CHUNK_SIZE)
  private filled = 0
  /** Place in the file of the first byte held, and the number of the section that starts there. */
  private offset = 0
  private block = 1

  constructor(read: Read, part: CarPart) {
    this.read = read
    this.part = part
  }

  /** `isHungry`: somebody waits for work, so that a chunk need not be full. */
  async *chunks(isHungry: () => boolean): AsyncGenerator<Blocks> {
    await this.skipHeader()
    while (this.part.end === undefined || this.offset < this.part.end) {
      const held = this.sections()
      if (held.length > 0 && (held.isLast || this.filled === this.bytes.length || isHungry())) {
        yield* this.take(held.length, held.count)
        continue
      }
      if (held.length === 0 && held.fault !== undefined) {
        yield* this.broken(held.fault)
        return
      }
      if (held.length === 0 && held.skip !== undefined) {
        yield* this.broken(tooLong())
        if (!(await this.skip(held.skip))) return
        this.block++
        continue
      }
      if ((await this.fill()) > 0) continue
      if (held.length > 0) yield* this.take(held.length, held.count)
      else {
        if (this.filled > 0) yield* this.broken({ code: "car_malformed", message: "the file ends within a section." })
        return
      }
    }
  }

  /** Whole sections from the first byte held on: those before the part, or those in it. */
  private sections() {
    const isBefore = this.offset < this.part.start
    const until = (isBefore ? this.part.start : (this.part.end ?? Number.POSITIVE_INFINITY)) - this.offset
    let [length, count] = [0, 0]
    for (;;) {
      if (length >= until) return { length, count, isLast: true }
      const section = sectionAt(this.bytes.subarray(0, this.filled), length)
      if (section === "cut") return { length, count, isLast: false }
      if (isFault(section)) return { length, count, isLast: true, fault: section }
      if (isTooLong(section)) return { length, count, isLast: true, skip: section.end }
      if (section.end > this.filled) return { length, count, isLast: false }
      length = section.end
      count++
    }
  }

  /** The first `length` bytes as a chunk, unless they are before the part; what follows them starts the next. */
  private *take(length: number, count: number): Generator<Blocks> {
    const { block, bytes, offset } = this
    const rest = bytes.subarray(length, this.filled)
    const isOurs = offset >= this.part.start
    this.bytes = isOurs || bytes.length > CHUNK_SIZE ? new Uint8Array(Math.max(CHUNK_SIZE, rest.length)) : bytes
    this.bytes.set(rest)
    this.filled = rest.length
    this.offset += length
    this.block += count
    if (isOurs) yield { kind: "blocks", buffer: bytes.buffer, length, offset, block, fault: undefined }
  }

  private *broken(fault: CarFault): Generator<Blocks> {
    const { block, offset } = this
    if (offset < this.part.start) return
    yield { kind: "blocks", buffer: new ArrayBuffer(0), length: 0, offset, block, fault }
  }

  private async skipHeader(): Promise<void> {
    for (;;) {
      const header = readHeader(this.bytes.subarray(0, this.filled))
      if (header !== "cut" && !isFault(header)) {
        this.bytes.copyWithin(0, header.end, this.filled)
        this.filled -= header.end
        this.offset = header.end
        return
      }
      if (header !== "cut") throw new UnusableInput(header.code, `This is no CAR that can be read: ${header.message}`)
      if ((await this.fill()) === 0) {
        throw new UnusableInput("car_malformed", "This is no CAR that can be read: it ends within its header.")
      }
    }
  }

  /** Passes over `length` bytes from the first one held on; `false` when the file ends before. */
  private async skip(length: number): Promise<boolean> {
    let left = length
    while (left > this.filled) {
      left -= this.filled
      this.offset += this.filled
      this.filled = 0
      if ((await this.fill()) === 0) return false
    }
    this.bytes.copyWithin(0, left, this.filled)
    this.filled -= left
    this.offset += left
    return true
  }

  /** Reads more behind what is there; 0 at the end of the input. */
  private async fill(): Promise<number> {
    if (this.filled === this.bytes.length) {
      const larger = new Uint8Array(this.bytes.length * 2)
      larger.set(this.bytes)
      this.bytes = larger
    }
    const length = await this.read(this.bytes.subarray(this.filled))
    this.filled += length
    return length
  }
}
