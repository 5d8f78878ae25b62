/**
 * Lines written to a descriptor by a process that outlives it: a reader that has gone (EPIPE), one that does not read (EAGAIN) and a full
 * disk (ENOSPC) lose lines, never the process and never its time. What a slow reader has not taken yet waits in memory, up to a bound;
 * when lines can be written again, one of them says how many are missing.
 */
import { constants, fstatSync, openSync, writeSync } from "node:fs"

export interface LogLinesOptions {
  readonly descriptor: number
  /** Told of each line that will never be written. */
  readonly onLost: () => void
  /** The line that stands for those missing before it. */
  readonly missing: (lines: number, reason: string) => string
  /** As node:fs has it, unless a test has its own. */
  readonly write?: (descriptor: number, bytes: Uint8Array) => number
}

export interface LogLines {
  /** Writes a line; never throws, never waits. */
  readonly write: (line: string) => void
  /** Tries what waits once more. */
  readonly flush: () => void
}

/** Bytes that may wait for a reader who is slow. */
const MOST_WAITING = 1 << 20

const AGAIN_AFTER_MS = 50

export const makeLogLines = (options: LogLinesOptions): LogLines => {
  const { missing, onLost, write = (to, bytes) => writeSync(to, bytes) } = options
  let opened: number | undefined
  let waiting: Array<Buffer> = []
  let bytesWaiting = 0
  let lost = 0
  let reason = ""
  /** Part of a line stands there that will never be ended. */
  let isCutOff = false
  let timer: NodeJS.Timeout | undefined

  const lose = (lines: number, why: string): void => {
    lost += lines
    reason = why
    for (let line = 0; line < lines; line++) onLost()
  }

  /** Writes until nothing waits, or the reader is full, or nothing can be written at all. */
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    opened ??= withoutWaiting(options.descriptor)
    while (waiting[0] !== undefined) {
      const line = waiting[0]
      let written = 0
      try {
        while (written < line.length) written += write(opened, line.subarray(written))
      } catch (error) {
        const { code = "", message } = error as NodeJS.ErrnoException
        waiting[0] = line.subarray(written)
        bytesWaiting -= written
        if (code === "EAGAIN") {
          timer = setTimeout(flush, AGAIN_AFTER_MS).unref()
        } else {
          isCutOff ||= written > 0
          const lines = waiting.length
          waiting = []
          bytesWaiting = 0
          lose(lines, code === "" ? message : code)
        }
        return
      }
      waiting.shift()
      bytesWaiting -= line.length
      isCutOff = false
    }
  }

  return {
    flush,
    write: (line) => {
      if (bytesWaiting + line.length > MOST_WAITING) return lose(1, "nobody reads them")
      const before = lost === 0 ? "" : `${missing(lost, reason)}\n`
      const bytes = Buffer.from(`${isCutOff ? "\n" : ""}${before}${line}\n`)
      waiting.push(bytes)
      bytesWaiting += bytes.length
      const known = lost
      lost = 0
      if (timer === undefined) flush()
      if (lost > 0) lost += known
    }
  }
}

/**
 * A pipe is opened anew so that writing never waits for its reader: the flag of the descriptor itself would hold for whoever else has
 * it. Files and sockets are used as they are.
 */
const withoutWaiting = (descriptor: number): number => {
  try {
    if (!fstatSync(descriptor).isFIFO()) return descriptor
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return descriptor
  }
}
