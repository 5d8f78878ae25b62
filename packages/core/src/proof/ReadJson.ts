/**
 * JSON files of other people, read strictly for the verifier: UTF-8, one object, no key twice in one object (readers differ in
 * which one they keep), nesting at most 64, no half surrogate pairs, a bounded number of values. `JSON.parse` does the parsing; one
 * linear walk before it finds what it would pass in silence, and what would make it hold more than the file is worth.
 */
import { isJsonObject, type JsonObject } from "./Proof.ts"
import { shown } from "./Shown.ts"
import { unescaped, walkJson } from "./WalkJson.ts"

export type JsonRefusalCode = "not_utf8" | "not_json" | "duplicate_key" | "too_deep" | "not_object"

export type JsonReading =
  | {
      readonly ok: true
      readonly value: JsonObject
      readonly text: string
      /** Every number is known to be a whole one of at most 15 digits, so that none was rounded. */
      readonly isExact: boolean
    }
  | { readonly ok: false; readonly code: JsonRefusalCode; readonly message: string }

const MAX_DEPTH = 64

/** Brackets, commas and colons, outside of strings. Each may cost some hundred bytes of memory, a byte in a string at most four. */
const MOST_MARKS = 1_000_000

/** The object in `bytes`, or why they are refused. The caller bounds the size; `mostMarks` is for files that are allowed more, or less, than most. */
export const readJsonObject = (bytes: Uint8Array, mostMarks = MOST_MARKS): JsonReading => {
  const text = utf8Text(bytes)
  return text === undefined ? refuse("not_utf8", "its bytes are not UTF-8.") : readJsonObjectText(text, mostMarks)
}

/** The object in `text`; same refusals as {@link readJsonObject}. */
export const readJsonObjectText = (text: string, mostMarks = MOST_MARKS): JsonReading => {
  const plain = readPlain(text)
  if (plain !== undefined) return plain
  const refusal = scan(text, mostMarks)
  if (refusal !== undefined) return refusal
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value)
      ? { ok: true, value, text, isExact: false }
      : refuse("not_object", "its JSON is not an object.")
  } catch (error) {
    return refuse("not_json", `it is not JSON (${shown(error instanceof Error ? error.message : String(error))}).`)
  }
}

/** Longer texts are scanned at once, so that hostile ones are not parsed twice. */
const PLAIN_LENGTH = 64 * 1024

/**
 * The shortcut for what programs write. A key that occurs twice loses its first value in JSON.parse, so the text then holds more strings than the
 * value does: counting quotes finds it. Not taken for anything else that the scan could refuse or misread: brackets enough to nest too deep,
 * escapes of code units (halves of surrogates), a backslash before a backslash (which hides whether a quote ends its string).
 */
const readPlain = (text: string): JsonReading | undefined => {
  if (!isPlain(text) || text.includes("\\\\") || !text.isWellFormed()) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value)) return undefined
    const { isExact, quotes } = lookBetweenStrings(text)
    return quotes === 2 * countStrings(value) ? { ok: true, value, text, isExact } : undefined
  } catch {
    return undefined
  }
}

const isPlain = (text: string): boolean =>
  text.length <= PLAIN_LENGTH && !text.includes("\\u") && !hasManyBrackets(text)

/** Quotes that begin or end a string (those inside of one have a backslash before them), and whether the numbers between strings are short. */
const lookBetweenStrings = (text: string): { readonly quotes: number; readonly isExact: boolean } => {
  let quotes = 0
  let end = 0
  let isExact = true
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    if (text.charCodeAt(at - 1) === BACKSLASH) continue
    // Between a name and a text, or a text and the next name, there is no room for a number of two characters.
    if (quotes % 2 === 0) isExact &&= at - end < 4 || hasShortNumbers(text, end, at)
    else end = at + 1
    quotes++
  }
  return { quotes, isExact: isExact && hasShortNumbers(text, end, text.length) }
}

const BACKSLASH = 0x5c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const SMALL_E = 0x65
const LARGE_E = 0x45

/** 10^15 is below 2^53, so every whole number of so many digits is a double, and has one spelling. */
const EXACT_DIGITS = 15

/** Whether every number from `start` to `end`, in valid JSON without a string there, is whole, short, and not -0. */
const hasShortNumbers = (text: string, start: number, end: number): boolean => {
  let digits = 0
  let isNegative = false
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= ZERO && unit <= 0x39) {
      if (++digits > EXACT_DIGITS || (isNegative && unit === ZERO && digits === 1)) return false
      continue
    }
    if (unit === POINT || (digits > 0 && (unit === SMALL_E || unit === LARGE_E))) return false
    digits = 0
    isNegative = unit === MINUS
  }
  return true
}

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

const scan = (text: string, mostMarks: number): (JsonReading & { ok: false }) | undefined => {
  /** The names met in each open object; nothing for a list. */
  const open: Array<Set<string> | undefined> = []
  let marks = 0
  return walkJson(text, (token, start, end) => {
    switch (token) {
      case "object":
      case "list":
        if (open.length === MAX_DEPTH) return refuse("too_deep", `its JSON nests deeper than ${MAX_DEPTH} levels.`)
        open.push(token === "object" ? new Set() : undefined)
        break
      case "close":
        open.pop()
        return undefined
      case "name":
      case "text":
        return textProblem(text.slice(start, end), start, token === "name" ? open.at(-1) : undefined)
      case "number":
        return undefined
    }
    return ++marks > mostMarks
      ? refuse(
          "not_json",
          `its JSON holds more values than any file of its kind (${mostMarks} commas, colons and brackets).`
        )
      : undefined
  })
}

const textProblem = (quoted: string, start: number, names: Set<string> | undefined) => {
  const value = unescaped(quoted)
  if (!value.isWellFormed())
    return refuse("not_json", `the text at character ${start + 1} holds half a surrogate pair.`)
  if (names?.has(value) === true) {
    return refuse("duplicate_key", `the key ${JSON.stringify(shown(value))} occurs twice in one object.`)
  }
  names?.add(value)
  return undefined
}
