/** The name a file came with, as it is kept beside its asset: the last part of a path, without what no screen should show. */

const LONGEST = 255

/** Control characters, and those that turn the direction of the text around them: a name must not dress up as another. */
const UNSEEN = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Undefined when nothing is left. At most 255 characters. */
export const fileNameOf = (given: string): string | undefined => {
  const last = given.split(/[/\\]/u).at(-1) ?? ""
  const name = [...last.toWellFormed().replace(UNSEEN, "").trim()].slice(0, LONGEST).join("")
  return name === "" || name === "." || name === ".." ? undefined : name
}

/** The file name of a `Content-Disposition` header (RFC 6266): `filename*` in UTF-8 before `filename`. */
export const dispositionName = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/iu.exec(header)?.[1]
  if (extended !== undefined) {
    try {
      return fileNameOf(decodeURIComponent(extended))
    } catch {
      // What is not well encoded is not read; the plain name may be there.
    }
  }
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/iu.exec(header)?.[1]
  const plain = quoted?.replace(/\\(.)/gu, "$1") ?? /;\s*filename\s*=\s*([^;\s"]+)/iu.exec(header)?.[1]
  return plain === undefined ? undefined : fileNameOf(Buffer.from(plain, "latin1").toString("utf8"))
}
