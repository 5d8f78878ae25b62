/**
 * An authors file: whom the verifier knows, in the manner of git's allowed signers (docs/proof-format.md). UTF-8, a line each:
 *
 *     ADDRESS NAME [recorder] [witness] [valid-from=DATE] [valid-to=DATE] [revoked=DATE [reason="TEXT"]]
 *
 * A line with `recorder` (whose word for an act is taken) or `witness` (whose checkpoints count) names the address as that only.
 * Text with spaces stands in double quotes (as a JSON string). A date is YYYY-MM-DD, a whole day in UTC, or YYYY-MM-DDThh:mm:ssZ.
 * `#` starts a comment line. An address on several lines has several periods; one that fits is enough.
 */
import { isAddressText, toEip55 } from "../identity/Eip55.ts"

/** Largest file that is read, in bytes. */
export const AUTHORS_LIMIT = 1024 * 1024

/** What a line can name its address as, instead of an author. */
export type Role = "recorder" | "witness"

/** One line of the file. */
export interface KnownAuthor {
  readonly name: string
  /** Without any, the line names an author. */
  readonly roles?: ReadonlyArray<Role> | undefined
  /** Unix seconds: valid from the first on, until just before the second; undefined: without that bound. */
  readonly from: number | undefined
  readonly until: number | undefined
  /** It holds for every line of the key: {@link revocationOf}. */
  readonly revoked: Revocation | undefined
}

/** Unix seconds from which on a key is not to be trusted, and why. */
export interface Revocation {
  readonly at: number
  readonly reason: string | undefined
}

/** The lines of an authors file by EIP-55 address. */
export type AuthorsFile = ReadonlyMap<string, ReadonlyArray<KnownAuthor>>

/** The lines that name `address` as an author. */
export const authorLines = (authors: AuthorsFile, address: string): ReadonlyArray<KnownAuthor> =>
  (authors.get(address) ?? []).filter(({ roles = [] }) => roles.length === 0)

/** The lines that name `address` in a role. */
export const roleLines = (authors: AuthorsFile, address: string, role: Role): ReadonlyArray<KnownAuthor> =>
  (authors.get(address) ?? []).filter(({ roles = [] }) => roles.includes(role))

/** When the key is revoked: the earliest of all its lines, whatever they name it as. A further line never lifts a revocation. */
export const revocationOf = (authors: AuthorsFile, address: string): Revocation | undefined =>
  (authors.get(address) ?? [])
    .flatMap(({ revoked }) => (revoked === undefined ? [] : [revoked]))
    .reduce<Revocation | undefined>(
      (first, next) => (first === undefined || next.at < first.at ? next : first),
      undefined
    )

export type AuthorsRefusalCode = "authors_too_large" | "authors_not_utf8" | "authors_line"

export type AuthorsReading =
  | { readonly ok: true; readonly authors: AuthorsFile }
  | { readonly ok: false; readonly code: AuthorsRefusalCode; readonly message: string }

/** Reads an authors file; a line that is not understood refuses the file, because it could be the one that revokes a key. */
export const parseAuthors = (bytes: Uint8Array): AuthorsReading => {
  if (bytes.length > AUTHORS_LIMIT) {
    return { ok: false, code: "authors_too_large", message: "An authors file has at most 1 MiB; this one is larger." }
  }
  const text = utf8Text(bytes)
  if (text === undefined) {
    return { ok: false, code: "authors_not_utf8", message: "The authors file is not text: its bytes are not UTF-8." }
  }
  const authors = new Map<string, Array<KnownAuthor>>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const read = readLine(line.trim())
    if (typeof read === "string") {
      return { ok: false, code: "authors_line", message: `Line ${index + 1} of the authors file ${read}` }
    }
    const lines = authors.get(read.address)
    if (lines === undefined) authors.set(read.address, [read.author])
    else lines.push(read.author)
  }
  return { ok: true, authors }
}

const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

type ReadLine = { readonly address: string; readonly author: KnownAuthor }

/** A role, so that it is not taken for the name when that was forgotten. */
const isRole = (word: string): word is Role => word === "recorder" || word === "witness"

const WORD = /(?:(valid-from|valid-to|revoked|reason)=)?("(?:[^"\\]|\\.)*"|[^\s"=]+)(?:\s+|$)/y
const LONGEST_NAME = 200

/** One line, or what is wrong with it (after "Line N of the authors file"). */
const readLine = (line: string): ReadLine | string => {
  const words = wordsOf(line)
  if (words === undefined) return `has a word that is not understood. ${SHAPE}`
  const [address, name, ...options] = words
  if (address === undefined || name === undefined || address.key !== undefined || name.key !== undefined) {
    return `needs an address and a name. ${SHAPE}`
  }
  if (!isAddressText(address.text)) return "does not begin with an address: 0x and 40 hex digits."
  if (/[A-F]/.test(address.text) && /[a-f]/.test(address.text.slice(2)) && toEip55(address.text) !== address.text) {
    return `has an address whose letters contradict its checksum (EIP-55): a digit may be wrong. It would be ${toEip55(address.text)}.`
  }
  if (/\p{Cc}/u.test(name.text) || name.text.trim() === "" || name.text.length > LONGEST_NAME) {
    return `has a name that is empty, over ${LONGEST_NAME} characters, or holds control characters.`
  }
  if (isRole(name.word)) return `says ${name.word}, but not whom: the name comes first. ${SHAPE}`
  const values = new Map<string, string>()
  const roles = new Set<Role>()
  for (const { key, text, word } of options) {
    if (key === undefined && !isRole(word)) {
      return `has a second name. Put a name of several words in double quotes. ${SHAPE}`
    }
    const said = key ?? text
    if (values.has(said)) return `says ${said} twice.`
    values.set(said, text)
    if (isRole(word)) roles.add(word)
  }
  const author = authorOf(name.text, values, [...roles])
  return typeof author === "string" ? author : { address: toEip55(address.text), author }
}

const SHAPE =
  'A line is: ADDRESS NAME [recorder] [witness] [valid-from=DATE] [valid-to=DATE] [revoked=DATE [reason="TEXT"]].'

const wordsOf = (line: string) => {
  const words: Array<{ readonly key: string | undefined; readonly text: string; readonly word: string }> = []
  const pattern = new RegExp(WORD)
  while (pattern.lastIndex < line.length) {
    const match = pattern.exec(line)
    const text = match?.[2] === undefined ? undefined : unquoted(match[2])
    if (match === null || text === undefined) return undefined
    words.push({ key: match[1], text, word: match[0].trimEnd() })
  }
  return words
}

const unquoted = (word: string): string | undefined => {
  if (!word.startsWith('"')) return word
  try {
    return String(JSON.parse(word))
  } catch {
    return undefined
  }
}

const authorOf = (
  name: string,
  values: ReadonlyMap<string, string>,
  roles: ReadonlyArray<Role>
): KnownAuthor | string => {
  const spans = new Map<string, Span>()
  for (const key of ["valid-from", "valid-to", "revoked"]) {
    const text = values.get(key)
    if (text === undefined) continue
    const span = spanOf(text)
    if (span === undefined) {
      return `has a date for ${key} that is none: "${text}". Write 2026-12-31 (a whole day in UTC) or 2026-12-31T18:00:00Z.`
    }
    spans.set(key, span)
  }
  const from = spans.get("valid-from")?.start
  const until = spans.get("valid-to")?.end
  const revokedAt = spans.get("revoked")?.start
  const reason = values.get("reason")
  if (from !== undefined && until !== undefined && from >= until) return "ends before it begins."
  if (reason !== undefined && revokedAt === undefined) return "has a reason, but no revoked=DATE that it belongs to."
  return {
    name,
    ...(roles.length === 0 ? {} : { roles }),
    from,
    until,
    revoked: revokedAt === undefined ? undefined : { at: revokedAt, reason }
  }
}

/** A day or a second in Unix time: its first second, and the first one after it. */
interface Span {
  readonly start: number
  readonly end: number
}

const DAY = 86_400

const spanOf = (text: string): Span | undefined => {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  if (!isDay && !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text)) return undefined
  const whole = isDay ? `${text}T00:00:00Z` : text
  const milliseconds = Date.parse(whole)
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString() !== whole.replace("Z", ".000Z"))
    return undefined
  const start = milliseconds / 1000
  return { start, end: start + (isDay ? DAY : 1) }
}
