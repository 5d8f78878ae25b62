/**
 * The tokens of strict JSON text (RFC 8259, sections 6 and 7): strings and numbers, and a refusal that knows its place.
 */

/** Thrown inside the JSON reader only, which answers it as a value: `message` says what is wrong, `at` is a UTF-16 offset. */
export class Refusal extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** A token's value, and the offset after it. */
export interface Token<A> {
  readonly value: A
  readonly end: number
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** The number at `start`; anything that is no number there is no JSON value at all, for the caller has tried the others. */
export const readJsonNumber = (text: string, start: number): Token<number> => {
  NUMBER.lastIndex = start
  const digits = NUMBER.exec(text)?.[0]
  if (digits === undefined) {
    throw new Refusal(start < text.length ? "Here is no JSON value" : "The JSON ends too early", start)
  }
  return { value: Number(digits), end: start + digits.length }
}

/** The string whose opening quote is at `start`, unescaped. */
export const readJsonString = (text: string, start: number): Token<string> => {
  let value = ""
  let from = start + 1
  for (let at = from; ; at++) {
    if (at >= text.length) throw new Refusal("The string is not closed", start)
    const unit = text.charCodeAt(at)
    if (unit < 0x20) throw new Refusal("A control character in a string must be written as an escape such as \\n", at)
    if (unit === QUOTE) {
      value += text.slice(from, at)
      if (!value.isWellFormed()) throw new Refusal("The string contains half of a surrogate pair", start)
      return { value, end: at + 1 }
    }
    if (unit === BACKSLASH) {
      const escaped = readEscape(text, at)
      value += text.slice(from, at) + escaped.value
      from = escaped.end
      at = from - 1
    }
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

const ESCAPES: { readonly [letter: string]: string } = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t"
}

const HEX_4 = /^[0-9a-fA-F]{4}$/

const readEscape = (text: string, at: number): Token<string> => {
  const letter = text.charAt(at + 1)
  if (letter === "u") {
    const digits = text.slice(at + 2, at + 6)
    if (!HEX_4.test(digits)) throw new Refusal("\\u must be followed by 4 hexadecimal digits", at)
    return { value: String.fromCharCode(Number.parseInt(digits, 16)), end: at + 6 }
  }
  if (!Object.hasOwn(ESCAPES, letter)) throw new Refusal("There is no such escape in JSON", at)
  return { value: ESCAPES[letter]!, end: at + 2 }
}
