/**
 * JSON files of other people, read strictly for the verifier: UTF-8, one object, no key twice in one object (readers differ in
 * which one they keep), nesting at most 64, no half surrogate pairs. `JSON.parse` does the parsing; one linear scan before it
 * finds what it would pass in silence, with a stack of its own, so that deep input costs nothing.
 */
import { isJsonObject, type JsonObject } from "./Proof.ts"

export type JsonRefusalCode = "not_utf8" | "not_json" | "duplicate_key" | "too_deep" | "not_object"

export type JsonReading =
  | { readonly ok: true; readonly value: JsonObject; readonly text: string }
  | { readonly ok: false; readonly code: JsonRefusalCode; readonly message: string }

const MAX_DEPTH = 64

/** The object in `bytes`, or why they are refused. The caller bounds the size. */
export const readJsonObject = (bytes: Uint8Array): JsonReading => {
  const text = utf8Text(bytes)
  return text === undefined ? refuse("not_utf8", "its bytes are not UTF-8.") : readJsonObjectText(text)
}

/** The object in `text`; same refusals as {@link readJsonObject}. */
export const readJsonObjectText = (text: string): JsonReading => {
  const plain = readPlain(text)
  if (plain !== undefined) return { ok: true, value: plain, text }
  const refusal = scan(text)
  if (refusal !== undefined) return refusal
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? { ok: true, value, text } : refuse("not_object", "its JSON is not an object.")
  } catch (error) {
    return refuse("not_json", `it is not JSON (${error instanceof Error ? error.message : String(error)}).`)
  }
}

/** Longer texts are scanned at once, so that hostile ones are not parsed twice. */
const PLAIN_LENGTH = 64 * 1024

/**
 * The shortcut for what programs write. A key that occurs twice loses its first value in JSON.parse, so the text then holds more strings than the
 * value does: counting quotes finds it. Not taken for anything else that the scan could refuse or misread: brackets enough to nest too deep,
 * escapes of code units (halves of surrogates), a backslash before a backslash (which hides whether a quote ends its string).
 */
const readPlain = (text: string): JsonObject | undefined => {
  if (!isPlain(text) || text.includes("\\\\") || !text.isWellFormed()) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && countQuotes(text) === 2 * countStrings(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isPlain = (text: string): boolean =>
  text.length <= PLAIN_LENGTH && !text.includes("\\u") && !hasManyBrackets(text)

/** Quotes that begin or end a string; those inside of one have a backslash before them. */
const countQuotes = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    if (text.charCodeAt(at - 1) !== BACKSLASH) count++
  }
  return count
}

const BACKSLASH = 0x5c

/** Keys and texts in a value, at every depth. */
const countStrings = (value: unknown): number => {
  if (typeof value === "string") return 1
  if (typeof value !== "object" || value === null) return 0
  const inner: ReadonlyArray<unknown> = Array.isArray(value) ? value : Object.values(value)
  let count = inner === value ? 0 : inner.length
  for (const part of inner) count += countStrings(part)
  return count
}

/** Whether `text` is what JSON.stringify makes of `value`, and nothing that {@link readJsonObjectText} refuses. Not asked of texts with null, which stands for infinity too. */
export const isTextOf = (value: JsonObject, text: string): boolean =>
  isPlain(text) && !text.includes("null") && JSON.stringify(value) === text

const hasManyBrackets = (text: string): boolean => {
  let count = 0
  for (const bracket of "{[") {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++count > MAX_DEPTH) return true
    }
  }
  return false
}

const refuse = (code: JsonRefusalCode, message: string): JsonReading & { ok: false } => ({ ok: false, code, message })

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const scan = (text: string): (JsonReading & { ok: false }) | undefined => {
  const open: Array<Set<string> | undefined> = []
  let keyIsNext = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === "{" || character === "[") {
      if (open.length === MAX_DEPTH) return refuse("too_deep", `its JSON nests deeper than ${MAX_DEPTH} levels.`)
      open.push(character === "{" ? new Set() : undefined)
      keyIsNext = character === "{"
    } else if (character === "}" || character === "]") {
      open.pop()
      keyIsNext = false
    } else if (character === ",") {
      keyIsNext = open.at(-1) !== undefined
    } else if (character === '"') {
      const end = endOfString(text, at)
      const value = unescaped(text.slice(at, end))
      if (!value.isWellFormed())
        return refuse("not_json", `the text at character ${at + 1} holds half a surrogate pair.`)
      const keys = keyIsNext ? open.at(-1) : undefined
      if (keys?.has(value) === true)
        return refuse("duplicate_key", `the key ${JSON.stringify(value)} occurs twice in one object.`)
      keys?.add(value)
      keyIsNext = false
      at = end - 1
    }
  }
  return undefined
}

/** The place after the closing quote of the string that opens at `start`. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1
  return at + 1
}

/** The text a JSON string stands for; a broken string stands for itself, and JSON.parse refuses it afterwards. */
const unescaped = (quoted: string): string => {
  if (!quoted.includes("\\")) return quoted.slice(1, -1)
  try {
    const value: unknown = JSON.parse(quoted)
    return String(value)
  } catch {
    return quoted
  }
}
