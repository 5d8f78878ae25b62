/**
 * Text of strangers, made safe for a terminal: control characters (terminal escape codes, 7-bit and 8-bit), line breaks, invisible and
 * direction-changing characters and half surrogates are shown as `\u{…}`.
 */

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu

/** `text` on one line, cut after `longest` characters. */
export const printable = (text: string, longest = 400): string =>
  shortened(text, longest).replace(UNSAFE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)

/** `value` as JSON on one line, in which no unsafe character stands either; it reads back as the same value. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSAFE, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
    ).join("")
  )

const shortened = (text: string, longest: number): string => {
  const characters = [...text.slice(0, 2 * longest + 2)]
  return characters.length > longest ? `${characters.slice(0, longest).join("")}…` : text
}
