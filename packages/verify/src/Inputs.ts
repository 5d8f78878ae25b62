/**
 * Files and standard input, read in bounded memory: a proof, tree or record only up to its limit, an asset as a stream through one
 * buffer. A directory, a device or an endless input is refused with its name; nothing is opened twice and nothing is followed
 * over a network.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { AssetMeter, type MeasuredAsset, PROOF_LIMIT } from "@treemark/core/verify"
import { isPage, PAGE_LIMIT } from "./ProofInPage.ts"
import { codeOf, nameOf, unreadable } from "./Unreadable.ts"
import { UnusableInput } from "./UnusableInput.ts"

const STANDARD_INPUT = 0
const READ_SIZE = 64 * 1024
/** Larger buffers fall out of the processor's cache and cost time. */
const ASSET_READ_SIZE = 256 * 1024

/** The bytes of `path` (`-`: standard input), refused when there are more than `limit`. `what` names the file for people, `flags` open it. */
export const readBounded = (path: string, limit: number, what: string, flags: string | number = "r"): Uint8Array =>
  withFile(path, what, flags, (file) => {
    const stat = fstatSync(file)
    if (stat.isFile() && stat.size > limit) throw tooLarge(path, limit, what)
    const parts: Array<Uint8Array> = []
    let size = 0
    for (;;) {
      const part = new Uint8Array(READ_SIZE)
      const length = readSome(file, part)
      if (length === 0) return joined(parts, size)
      parts.push(part.subarray(0, length))
      size += length
      if (size > limit) throw tooLarge(path, limit, what)
    }
  })

/** Measures an asset of any size. `unixfs`: its UnixFS CID is wanted, too. */
export const measureFile = (path: string, unixfs: boolean): MeasuredAsset =>
  withFile(path, "the asset", "r", (file) => {
    const { createHash } = process.getBuiltinModule("node:crypto")
    if (path !== "-" && fstatSync(file).isCharacterDevice()) {
      throw new UnusableInput("file_unreadable", `${path} is a device and has no end, so it cannot be the asset.`)
    }
    const meter = new AssetMeter({ unixfs, newSha256: () => createHash("sha256") })
    const buffer = new Uint8Array(ASSET_READ_SIZE)
    for (;;) {
      const length = readSome(file, buffer)
      if (length === 0) return meter.measured()
      meter.update(buffer.subarray(0, length))
    }
  })

/** The bytes of a proof's file, or of a page with a proof inside, which may be larger. */
export const readProofFile = (path: string): Uint8Array => {
  const bytes = readBounded(path, PAGE_LIMIT, PROOF)
  if (bytes.length > PROOF_LIMIT && !isPage(bytes)) throw tooLarge(path, PROOF_LIMIT, PROOF)
  return bytes
}

const PROOF = "a proof"

/** What `read` makes of the file at `path`; a refusal of its content begins with its name, because it stands beside others. */
export const ofFile = <A>(path: string, read: () => A): A => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnusableInput) || error.code === "file_unreadable" || error.code === "file_too_large")
      throw error
    throw new UnusableInput(error.code, `${nameOf(path)}: ${error.message}`, error.problems)
  }
}

const withFile = <A>(path: string, what: string, flags: string | number, use: (file: number) => A): A => {
  try {
    const file = path === "-" ? STANDARD_INPUT : openSync(path, flags)
    try {
      return use(file)
    } finally {
      if (file !== STANDARD_INPUT) closeSync(file)
    }
  } catch (error) {
    if (error instanceof UnusableInput) throw error
    throw new UnusableInput("file_unreadable", unreadableFile(path, what, error))
  }
}

/** What is a folder of proofs may well be given where one proof is wanted. */
const unreadableFile = (path: string, what: string, error: unknown): string =>
  what === PROOF && codeOf(error) === "EISDIR"
    ? `${nameOf(path)} is a folder, and one proof is wanted. For a history: npx @treemark/verify history FOLDER; for many proofs: npx @treemark/verify bulk FOLDER.`
    : unreadable(path, what, error)

const readSome = (file: number, buffer: Uint8Array): number => {
  for (;;) {
    try {
      return readSync(file, buffer)
    } catch (error) {
      if (codeOf(error) === "EOF") return 0
      if (codeOf(error) !== "EAGAIN") throw error
      waitABit()
    }
  }
}

/** Standard input may be non-blocking; there is nothing to do until the other side writes. */
const waitABit = (): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
}

const joined = (parts: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

const tooLarge = (path: string, limit: number, what: string): UnusableInput =>
  new UnusableInput(
    "file_too_large",
    `${nameOf(path)} is larger than ${(what === PROOF ? PROOF_LIMIT : limit) / 1024 / 1024} MiB, the most that ${what} may have. Is it another file?`
  )
