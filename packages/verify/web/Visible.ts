/**
 * Text of strangers, taken apart for a page: what has a shape stays text; control characters, line breaks, direction changes, zero-width and
 * other invisible characters, unusual spaces and half surrogates become their code (U+202E), so that nothing hides or reorders what is read.
 * Emoji keep their joiners, which are harmless there.
 */

export type Part =
  | { readonly kind: "text" | "code"; readonly text: string }
  /** So many marks on one letter; or the text goes on, and has so many characters in all. */
  | { readonly kind: "marks" | "characters"; readonly count: number }

const JOINED_EMOJI = /\p{Extended_Pictographic}\uFE0F?(?:\u200D\p{Extended_Pictographic}\uFE0F?)*/u
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u
/** Marks that pile up on one letter reach into the lines around it. */
const PILED_MARKS = /\p{M}{5,}/u
const PIECES = new RegExp(`(${JOINED_EMOJI.source})|(${UNSEEN.source})|(${PILED_MARKS.source})`, "gu")

/** `text` in parts, cut after `longest` UTF-16 units with the whole length told. `keep`: characters that may stay as they are. */
export const visible = (text: string, longest: number, keep = ""): ReadonlyArray<Part> => {
  const shown = text.length > longest ? text.slice(0, longest) : text
  const parts: Array<Part> = []
  let at = 0
  const plain = (end: number) => {
    if (end > at) parts.push({ kind: "text", text: shown.slice(at, end) })
  }
  for (const match of shown.matchAll(PIECES)) {
    const [whole, , unseen, piled] = match
    if (unseen !== undefined ? keep.includes(unseen) : piled === undefined) continue
    plain(match.index)
    parts.push(
      unseen === undefined ? { kind: "marks", count: [...whole].length } : { kind: "code", text: codeOf(unseen) }
    )
    at = match.index + whole.length
  }
  plain(shown.length)
  if (shown !== text) parts.push({ kind: "text", text: "… " }, { kind: "characters", count: text.length })
  return parts
}

const codeOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`
