/**
 * Text of strangers, made safe to print: control characters (terminal escape codes, both 7-bit and 8-bit), line breaks, invisible
 * and direction-changing characters and half surrogates are shown as `\u{…}`, never sent to the terminal.
 */

/** Nearly all text is, and needs no closer look. */
const ASCII = /^[ -~]*$/
const ASCII_LINES = /^[\n -~]*$/

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu

/** `text` with every unsafe character written as `\u{hex}`, cut after `longest` characters. */
export const printable = (text: string, longest = 400): string => {
  const shown = text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text
  return ASCII.test(shown)
    ? shown
    : shown.replace(UNSAFE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}

/** One JSON document whose text holds no unsafe character either; it reads back as the same value. */
export const printableJson = (value: unknown): string => {
  const text = JSON.stringify(value, null, 2)
  return ASCII_LINES.test(text)
    ? text
    : text.replace(UNSAFE, (character) => (character === "\n" ? character : escaped(character)))
}

/** The same on one line, as NDJSON wants it. */
export const printableLine = (value: unknown): string => {
  const text = JSON.stringify(value)
  return `${ASCII.test(text) ? text : text.replace(UNSAFE, (character) => escaped(character))}\n`
}

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join("")

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`
