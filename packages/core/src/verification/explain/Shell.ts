/**
 * Command lines that are safe to paste into a POSIX shell, whatever a file is called and whatever a proof says. File names are quoted and
 * always stand behind `<`, so that none is taken for an option; of a proof nothing gets in but values of a form that is checked here.
 */
import type { ExplainedCommand } from "./Explanation.ts"

const PLAIN = /^[A-Za-z0-9_@%+:,./][A-Za-z0-9_@%+:,./-]*$/
/** Letters, digits, marks, punctuation, symbols and the space; nothing that is invisible, breaks a line or moves a cursor. */
const PRINTABLE = /^[\p{L}\p{N}\p{P}\p{S}\p{M} ]*$/u

/** `text` as one word of a shell: as it is, in single quotes, or with every unusual byte as `\ooo` in `$'…'` (POSIX 2024; bash, zsh, ksh). */
export const shellWord = (text: string): string => {
  if (PLAIN.test(text)) return text
  if (PRINTABLE.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  const bytes = [...new TextEncoder().encode(text)]
  return `$'${bytes.map((byte) => (isHarmless(byte) ? String.fromCharCode(byte) : octal(byte))).join("")}'`
}

const isHarmless = (byte: number): boolean => byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c

const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, "0")}`

/** Reads the file at `path`; one that came from standard input goes by its usual name. */
export const fromFile = (path: string | undefined, usual: string): string =>
  `< ${shellWord(path === undefined || path === "-" ? usual : path)}`

/** `text` when it is hexadecimal of so many bytes with `0x` (`prefix`) or without; else undefined. */
export const hexWord = (text: string | undefined, bytes: number, prefix: "0x" | ""): string | undefined =>
  text !== undefined && text.length === prefix.length + 2 * bytes && isHex(text, prefix) ? text : undefined

const isHex = (text: string, prefix: string): boolean =>
  text.startsWith(prefix) && /^[0-9a-fA-F]*$/.test(text.slice(prefix.length))

/** Bytes for printf(1), each as three octal digits. */
export const printfBytes = (bytes: ReadonlyArray<number>): string => `printf '${bytes.map(octal).join("")}'`

/** A command of one or more steps, piped. */
export const command = (
  tool: ExplainedCommand["tool"],
  steps: ReadonlyArray<string>,
  prints: string | undefined,
  more: { readonly note?: string; readonly needsNode?: boolean } = {}
): ExplainedCommand => ({
  tool,
  line: steps.join(" | "),
  steps,
  prints: prints ?? null,
  note: more.note ?? null,
  needsNode: more.needsNode ?? false
})
