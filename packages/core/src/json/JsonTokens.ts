/**
 * The tokens of strict JSON text (RFC 8259, sections 6 and 7): strings and numbers, and a refusal that knows its place.
 */

/** `syntax`: not JSON at all; the others are JSON that readers would take in different ways, or that is not worth its memory. */
export type JsonFault = "syntax" | "half_surrogate" | "duplicate_key" | "too_deep" | "too_many"

/** Thrown inside the JSON reader only, which answers it as a value: `message` says what is wrong, `at` is a UTF-16 offset. */
export class Refusal extends Error {
  readonly at: number
  readonly fault: JsonFault
  /** The key that occurs twice. */
  readonly key: string | undefined
  constructor(message: string, at: number, fault: JsonFault = "syntax", key?: string) {
    super(message)
    this.at = at
    this.fault = fault
    this.key = key
  }
}

/** A token's value, and the offset after it. */
export interface Token<A> {
  readonly value: A
  readonly end: number
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** The number at `start` as it is written; anything that is none is no JSON value at all, for the caller has tried the others. */
export const readJsonNumber = (text: string, start: number): string => {
  NUMBER.lastIndex = start
  const digits = NUMBER.exec(text)?.[0]
  if (digits !== undefined) return digits
  throw new Refusal(start < text.length ? "Here is no JSON value" : "The JSON ends too early", start)
}

/** What stands in a string without an escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those that JSON forbids in a string.
const PLAIN = /[^"\\\u0000-\u001f]*/y

/** The string whose opening quote is at `start`, unescaped. A long text of escapes is made at once, and not of a million pieces. */
export const readJsonString = (text: string, start: number): Token<string> => {
  let end = endOfPlain(text, start + 1) + 1
  let value: string
  if (text.charCodeAt(end - 1) === QUOTE) value = text.slice(start + 1, end - 1)
  else {
    end = endOfString(text, end - 1)
    value = unescaped(text, start, end)
  }
  if (value.isWellFormed()) return { value, end }
  throw new Refusal("The string contains half of a surrogate pair", start, "half_surrogate")
}

const endOfPlain = (text: string, from: number): number => {
  PLAIN.lastIndex = from
  PLAIN.test(text)
  return PLAIN.lastIndex
}

/** The place after the first quote from `from` on that no backslash escapes. */
const endOfString = (text: string, from: number): number => {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let first = quote
    while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--
    if ((quote - first) % 2 === 0) return quote + 1
  }
  return text.length
}

const unescaped = (text: string, start: number, end: number): string => {
  try {
    const value: unknown = JSON.parse(text.slice(start, end))
    return String(value)
  } catch {
    throw problemIn(text, start)
  }
}

/** Why the string at `start` is none. */
const problemIn = (text: string, start: number): Refusal => {
  for (let at = endOfPlain(text, start + 1); at < text.length; at = endOfPlain(text, at)) {
    if (text.charCodeAt(at) !== BACKSLASH) {
      return new Refusal("A control character in a string must be written as an escape such as \\n", at)
    }
    if (text.charAt(at + 1) === "u") {
      if (!HEX_4.test(text.slice(at + 2, at + 6))) {
        return new Refusal("\\u must be followed by 4 hexadecimal digits", at)
      }
      at += 6
    } else if (at + 1 < text.length && ESCAPED.includes(text.charAt(at + 1))) at += 2
    else return new Refusal("There is no such escape in JSON", at)
  }
  return new Refusal("The string is not closed", start)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const ESCAPED = '"\\/bfnrt'
const HEX_4 = /^[0-9a-fA-F]{4}$/
