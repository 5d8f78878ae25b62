/**
 * What callers of the library have that is read bit by bit: a Blob or File, a stream of browsers or of Node, a Response, a path. Each is read once, in
 * parts and to a limit, so one that never ends is refused; told apart by what they can do, because their classes differ from realm to realm.
 */

import { unreadable } from "../Unreadable.ts"
import { UnusableInput } from "../UnusableInput.ts"
import { builtin } from "./Builtin.ts"
import { bytesIn, type GivenText, nameOfType, textBytes } from "./Bytes.ts"

/** A Blob, a File, or anything alike. */
export interface BlobLike {
  readonly size: number
  readonly stream?: () => StreamLike
  readonly arrayBuffer?: () => Promise<ArrayBuffer>
}

/** A ReadableStream, or anything alike. */
export interface StreamLike {
  readonly getReader: () => {
    readonly read: () => Promise<{ readonly done: boolean; readonly value?: unknown }>
    readonly cancel: () => Promise<unknown>
  }
}

/** What `fetch` gives. */
export interface ResponseLike {
  readonly ok: boolean
  readonly status: number
  readonly bodyUsed: boolean
  readonly body: StreamLike | null
}

/** A file's path, in Node alone. */
export interface PathLike {
  readonly path: string
}

/** A file in any of the forms that programs have one in. */
export type Source = GivenText | BlobLike | StreamLike | ResponseLike | PathLike | AsyncIterable<unknown>

/** The whole of `source`, refused when it has more than `limit` bytes; `what` names it in the refusal. */
export const readSource = async (source: unknown, limit: number, what: string): Promise<Uint8Array> => {
  if (typeof source === "string" || bytesIn(source) !== undefined) return textBytes(source, what)
  const parts: Array<Uint8Array> = []
  let text = ""
  let size = 0
  for await (const part of partsOf(source, { limit, what })) {
    if (typeof part === "string") text += part
    else {
      if (text !== "") parts.push(textBytes(text, what))
      text = ""
      parts.push(part)
    }
    size += part.length
    if (size > limit) throw tooLarge(what, limit)
  }
  if (text !== "") parts.push(textBytes(text, what))
  return joined(parts)
}

/** What `source` holds, in parts. Throws {@link UnusableInput} for what is no source, was read before, or fails on the way. */
export async function* partsOf(
  source: unknown,
  { limit, what }: { readonly limit: number; readonly what: string }
): AsyncGenerator<Uint8Array | string> {
  try {
    for await (const part of opened(source, limit, what)) {
      const bytes = typeof part === "string" ? part : bytesIn(part)
      if (bytes === undefined) {
        throw new UnusableInput(
          "input_type",
          `${what} came as a stream of ${nameOfType(part)}; its parts must be bytes.`
        )
      }
      yield bytes
    }
  } catch (error) {
    if (error instanceof UnusableInput) throw error
    throw new UnusableInput("file_unreadable", unreadable(pathOf(source) ?? what, what.toLowerCase(), error))
  }
}

const opened = (source: unknown, limit: number, what: string): AsyncIterable<unknown> => {
  const given = (typeof source === "object" && source !== null ? source : {}) as Partial<
    BlobLike & StreamLike & ResponseLike & NodeStreamLike & AsyncIterable<unknown>
  >
  const path = pathOf(source)
  if (typeof given.bodyUsed === "boolean" && typeof given.ok === "boolean") return bodyOf(given as ResponseLike, what)
  if (typeof given.size === "number" && isBlob(given)) {
    if (given.size > limit) throw tooLarge(what, limit)
    return given.stream === undefined ? inOne(given) : streamed(given.stream())
  }
  if (typeof given.getReader === "function") return streamed(given as StreamLike)
  if (typeof given[Symbol.asyncIterator] === "function") {
    if (given.readableDidRead === true || given.destroyed === true) throw readBefore(what)
    return given as AsyncIterable<unknown>
  }
  if (path !== undefined) return fileAt(path, what)
  throw new UnusableInput(
    "input_type",
    `${what} can be text or bytes of any kind, a Blob or File, a stream, a Response, in Node { path }, or a promise of these; this is ${nameOfType(source)}.`
  )
}

const isBlob = (given: object): given is BlobLike =>
  ["stream", "arrayBuffer"].some((member) => typeof (given as Record<string, unknown>)[member] === "function")

/** Blobs of older implementations have no stream. */
async function* inOne(blob: BlobLike): AsyncGenerator<unknown> {
  yield await blob.arrayBuffer?.()
}

/** What a stream of Node says of itself. */
interface NodeStreamLike {
  readonly readableDidRead: boolean
  readonly destroyed: boolean
}

const pathOf = (source: unknown): string | undefined => {
  if (typeof source !== "object" || source === null || Symbol.asyncIterator in source) return undefined
  const { path } = source as { readonly path?: unknown }
  return typeof path === "string" ? path : undefined
}

const bodyOf = ({ body, bodyUsed, ok, status }: ResponseLike, what: string): AsyncIterable<unknown> => {
  if (bodyUsed) throw readBefore(what)
  if (!ok || body === null) {
    throw new UnusableInput("file_unreadable", `${what} was not fetched: the server answered with status ${status}.`)
  }
  return streamed(body)
}

async function* streamed(stream: StreamLike): AsyncGenerator<unknown> {
  const reader = stream.getReader()
  let isRead = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      isRead = done
      if (done) return
      yield value
    }
  } finally {
    if (!isRead) await reader.cancel().catch(() => {})
  }
}

const fileAt = (path: string, what: string): AsyncIterable<unknown> => {
  const fs = builtin("node:fs")
  if (fs === undefined) {
    throw new UnusableInput(
      "input_type",
      `${what} cannot be a path here: there are no files. Give a Blob or its bytes.`
    )
  }
  if (fs.statSync(path).isCharacterDevice()) {
    throw new UnusableInput("file_unreadable", `${path} is a device and has no end, so it was not read.`)
  }
  return fs.createReadStream(path, { highWaterMark: 256 * 1024 })
}

const readBefore = (what: string): UnusableInput =>
  new UnusableInput(
    "file_unreadable",
    `${what} is a stream that was read or closed before, so nothing of it is left. Open it again.`
  )

const tooLarge = (what: string, limit: number): UnusableInput =>
  new UnusableInput(
    "file_too_large",
    `${what} is larger than ${Math.floor(limit / 1024 / 1024)} MiB, the most that is read. Is it another file?`
  )

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
