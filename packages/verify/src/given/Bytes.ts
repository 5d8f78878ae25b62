/**
 * What callers of the library hand over, as bytes: text, any typed array, DataView, ArrayBuffer or SharedArrayBuffer, of any realm (a frame, jsdom, a
 * vm context). Nothing is asked with `instanceof`, which says no to all of those; what is no bytes is refused by name, never taken for empty.
 */
import { UnusableInput } from "../UnusableInput.ts"

/** Bytes in memory, in any of the forms they come in. A view stands for the bytes that it shows. */
export type GivenBytes = ArrayBufferView | ArrayBufferLike

/** The same, or the text of a file. */
export type GivenText = GivenBytes | string

const ACCEPTED =
  "a Uint8Array (a Buffer is one) or any other typed array, an ArrayBuffer, a SharedArrayBuffer or a DataView"

const LATER = "verifyProofAsync also takes a promise, a Blob or File, a stream, a Response, or in Node { path }."

/** The bytes of `value`; `what` names it in the refusal, such as "the proof". Text is UTF-8. */
export const textBytes = (value: unknown, what: string): Uint8Array => {
  const bytes = typeof value === "string" ? bytesIn(new TextEncoder().encode(value)) : bytesIn(value)
  if (bytes !== undefined) return bytes
  throw new UnusableInput("input_type", `${what} can be text, ${ACCEPTED}; this is ${nameOfType(value)}. ${LATER}`)
}

/** The same for what is not text: of a string nobody can tell whether it is a path or the content. */
export const plainBytes = (value: unknown, what: string, more = ""): Uint8Array => {
  const bytes = bytesIn(value)
  if (bytes !== undefined) return bytes
  throw new UnusableInput(
    "input_type",
    typeof value === "string"
      ? `${what} is not taken as a string, which could be a path as well as the content. For a path, read the file first, or give { path } to verifyProofAsync; for text, encode it with TextEncoder.`
      : `${what} can be ${ACCEPTED}${more}; this is ${nameOfType(value)}. ${LATER}`
  )
}

/** The bytes of a view or a buffer; undefined for anything else. Memory that others may write to meanwhile is copied. */
export const bytesIn = (value: unknown): Uint8Array | undefined => {
  if (ArrayBuffer.isView(value)) {
    if (value.byteLength === 0) return ofNothing(value.buffer)
    return isShared(value.buffer)
      ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice()
      : new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  }
  if (isShared(value)) return new Uint8Array(value).slice()
  return isPlainBuffer(value) ? (value.byteLength === 0 ? ofNothing(value) : new Uint8Array(value)) : undefined
}

/** A buffer that was transferred to a worker, say, has no bytes left, and is not an empty file. */
const ofNothing = (buffer: ArrayBufferLike): Uint8Array => {
  try {
    return new Uint8Array(buffer, 0, 0)
  } catch {
    throw new UnusableInput(
      "input_type",
      "These bytes are gone: their buffer was transferred to somebody else (postMessage, structuredClone). Give a copy."
    )
  }
}

/** The getter looks for the buffer's own memory, which every realm's buffers have, and throws for anything else. */
const lengthIn = (prototype: ArrayBufferLike): ((value: unknown) => boolean) => {
  const getter = Object.getOwnPropertyDescriptor(prototype, "byteLength")?.get
  return (value) => {
    try {
      getter?.call(value)
      return getter !== undefined
    } catch {
      return false
    }
  }
}

const isPlainBuffer = lengthIn(ArrayBuffer.prototype) as (value: unknown) => value is ArrayBuffer

/** Browsers have SharedArrayBuffer only in pages that are isolated. */
const isShared = (typeof SharedArrayBuffer === "undefined" ? () => false : lengthIn(SharedArrayBuffer.prototype)) as (
  value: unknown
) => value is SharedArrayBuffer

/** What somebody gave, for a message. Whatever it is, asking does not fail. */
export const nameOfType = (value: unknown): string => {
  if (value === null) return "null"
  if (value === undefined) return "undefined"
  if (typeof value !== "object") return `a ${typeof value}`
  try {
    const given = value as Record<string, unknown>
    if (typeof given.then === "function") return "a Promise"
    if (typeof given.path === "string") return "an object with a path"
    const [, tag = "Object"] = /^\[object (\w{1,40})\]$/.exec(Object.prototype.toString.call(value)) ?? []
    return Array.isArray(value) ? "an Array" : tag === "Object" ? "a plain object" : `a ${tag}`
  } catch {
    return "something that cannot be looked at"
  }
}
