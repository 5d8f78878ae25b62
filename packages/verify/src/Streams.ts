/** Standard output and standard error, written synchronously, to the last byte. */
import { fstatSync, writeSync } from "node:fs"

/** Writes all of it; `false` when the other side has gone away. A pipe that is full is waited for. */
export const write = (file: number, bytes: Uint8Array): boolean => {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(file, bytes, at)
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined
      if (code === "EPIPE") return false
      if (code !== "EAGAIN") throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
  return true
}

export const writeText = (file: number, text: string): boolean => write(file, new TextEncoder().encode(text))

/** node:tty takes time to load, and only a device can be a terminal. */
export const isTerminal = (file: number): boolean =>
  fstatSync(file).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(file)
