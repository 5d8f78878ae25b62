/**
 * The shortcut for JSON that programs wrote: most texts of proofs are read by JSON.parse alone, for a count of their quotes shows that it has
 * lost nothing. Whatever is doubtful is left to the strict reader.
 */
import { isJsonObject, type JsonObject } from "./JsonValue.ts"

/** Brackets that are not counted further: fewer cannot nest deeper than any reader allows. */
const FEW_BRACKETS = 64

/** Longer texts go to the strict reader at once, so that hostile ones are not parsed twice. */
const PLAIN_LENGTH = 64 * 1024

/**
 * The shortcut for what programs write. A key that occurs twice loses its first value in JSON.parse, so the text then holds more strings than the
 * value does: counting quotes finds it. Not taken for anything else that the scan could refuse or misread: brackets enough to nest too deep,
 * escapes of code units (halves of surrogates), a backslash before a backslash (which hides whether a quote ends its string).
 */
export const readPlainObject = (
  text: string
): { readonly value: JsonObject; readonly isExact: boolean } | undefined => {
  if (!isPlain(text) || text.includes("\\\\") || !text.isWellFormed()) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value)) return undefined
    const { isExact, quotes } = lookBetweenStrings(text)
    return quotes === 2 * countStrings(value) ? { value, isExact } : undefined
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

/** Whether `text` is what JSON.stringify makes of `value`, and nothing that the strict reader refuses. Not asked of texts with null, which stands for infinity too. */
export const isTextOf = (value: JsonObject, text: string): boolean =>
  isPlain(text) && !text.includes("null") && JSON.stringify(value) === text

const hasManyBrackets = (text: string): boolean => {
  let count = 0
  for (const bracket of "{[") {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++count > FEW_BRACKETS) return true
    }
  }
  return false
}
