/** A history in a CAR on this disk: the file opened and read in place; what a history in a CAR is, CarHistory.ts says. */
import { hash } from "node:crypto"
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { BLOCK_LIMIT, otherContainer } from "../car/CarFormat.ts"
import { wrongFile } from "../files/WrongFile.ts"
import { unreadable } from "../Unreadable.ts"
import { UnusableInput } from "../UnusableInput.ts"
import { carHistory } from "./CarHistory.ts"
import type { HistorySource } from "./HistorySource.ts"

export const openCar = (path: string): HistorySource => {
  const file = openFile(path)
  try {
    return carHistory(
      {
        size: fstatSync(file).size,
        at: (offset, length) => readAt(file, offset, length),
        close: () => closeSync(file)
      },
      (bytes) => hash("sha256", bytes)
    )
  } catch (error) {
    const refusal = inWords(file, error)
    closeSync(file)
    throw refusal
  }
}

/** What no container is, is named for what it is. */
const inWords = (file: number, error: unknown): unknown => {
  if (!(error instanceof UnusableInput) || error.code !== "container_unknown") return error
  const bytes = readAt(file, 0, BLOCK_LIMIT)
  const message = otherContainer(bytes) === undefined ? wrongFile(bytes, "history") : undefined
  return message === undefined ? error : new UnusableInput(error.code, message)
}

/** A pipe cannot be read twice, and a device has no end. */
const openFile = (path: string): number => {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if (fstatSync(file).isFile()) return file
    closeSync(file)
  } catch (error) {
    throw new UnusableInput("file_unreadable", unreadable(path, "a history", error))
  }
  throw new UnusableInput(
    "file_unreadable",
    `${path} is neither a folder nor a regular file, so it cannot be a history.`
  )
}

/** So many bytes from `offset` on, or as many as the file has. */
const readAt = (file: number, offset: number, length: number): Uint8Array => {
  const bytes = new Uint8Array(Math.min(length, BLOCK_LIMIT))
  let filled = 0
  while (filled < bytes.length) {
    const read = readSync(file, bytes, filled, bytes.length - filled, offset + filled)
    if (read === 0) break
    filled += read
  }
  return bytes.subarray(0, filled)
}
