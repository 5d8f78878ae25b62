/**
 * Which file this is, told from its content alone, for an answer in plain words when it stands in the wrong place. It decides nothing: what is
 * read as a proof, a checkpoint or anything else is decided by the reader of that format.
 */
import { PROOF_BLOCK } from "../ProofPage.ts"
import { isText, latin1, mediaIn, SNIFFED_BYTES } from "./Sniff.ts"

export type FileKind =
  | "empty"
  | "picture"
  | "film"
  | "sound"
  | "pdf"
  | "archive"
  | "car"
  | "proof"
  | "proof-page"
  | "checkpoint"
  | "history"
  | "statement"
  | "record"
  | "tree"
  | "authors"
  | "web-page"
  | "cut-json"
  | "json"
  | "text"
  | "marked-text"
  | "binary"

export interface FileLook {
  readonly kind: FileKind
  /** What people call it, with its article: "a JPEG picture". */
  readonly name: string
}

/** The kind of the file with these bytes. Looks at the first 64 KiB, and for the name of a format at all of a text. */
export const lookAt = (bytes: Uint8Array): FileLook => {
  if (bytes.length === 0) return { kind: "empty", name: "an empty file" }
  const head = bytes.subarray(0, SNIFFED_BYTES)
  const media = mediaIn(head)
  if (media !== undefined)
    return { kind: KINDS[media.kind], name: MEDIA_NAMES[media.type] ?? `a file of ${media.type}` }
  const container = CONTAINERS.find(({ start }) => latin1(head).startsWith(start))
  if (container !== undefined) return container
  if (isCarHead(head)) return { kind: "car", name: "a CAR file" }
  if (isText(head, bytes.length === head.length)) {
    const look = textLook(new TextDecoder().decode(bytes).trim())
    return latin1(head).startsWith(UTF8_MARK)
      ? { ...look, kind: "marked-text", name: `${look.name} that begins with a byte order mark` }
      : look
  }
  return /^(\xff\xfe|\xfe\xff)/.test(latin1(head))
    ? { kind: "marked-text", name: "a text file in UTF-16" }
    : { kind: "binary", name: "a file that is not text" }
}

const UTF8_MARK = "\xef\xbb\xbf"

const KINDS = { image: "picture", video: "film", audio: "sound" } as const

const MEDIA_NAMES: Readonly<Record<string, string>> = {
  "image/png": "a PNG picture",
  "image/jpeg": "a JPEG picture",
  "image/gif": "a GIF picture",
  "image/webp": "a WebP picture",
  "image/avif": "an AVIF picture",
  "image/heic": "a HEIC picture",
  "image/tiff": "a TIFF picture",
  "audio/wav": "a WAV recording",
  "audio/mpeg": "an MP3 recording",
  "audio/flac": "a FLAC recording",
  "audio/ogg": "an Ogg recording",
  "audio/mp4": "an M4A recording",
  "video/webm": "a WebM or Matroska film",
  "video/mp4": "an MP4 or QuickTime film"
}

const CONTAINERS: ReadonlyArray<FileLook & { readonly start: string }> = [
  { start: "%PDF-", kind: "pdf", name: "a PDF document" },
  { start: "PK\x03\x04", kind: "archive", name: "a zip archive (or a document that is one inside)" },
  { start: "\x1f\x8b", kind: "archive", name: "a file compressed with gzip" },
  { start: "\x28\xb5\x2f\xfd", kind: "archive", name: "a file compressed with zstd" },
  { start: "BZh", kind: "archive", name: "a file compressed with bzip2" },
  { start: "\xfd7zXZ\0", kind: "archive", name: "a file compressed with xz" },
  { start: "7z\xbc\xaf\x27\x1c", kind: "archive", name: "a 7z archive" },
  { start: "Rar!\x1a\x07", kind: "archive", name: "a RAR archive" },
  { start: "\x0a\xa1\x67version\x02", kind: "car", name: "a CAR file of version 2" }
]

/** A varint of one or two bytes, then the map with the roots: what a CAR of version 1 begins with, or one with roots after all. */
const isCarHead = (head: Uint8Array): boolean => /^.{1,3}\xa2\x65roots/s.test(latin1(head))

const textLook = (text: string): FileLook => {
  if (text === "") return { kind: "empty", name: "an empty file (nothing but blanks)" }
  if (text.startsWith("<")) {
    if (text.includes(PROOF_BLOCK)) return { kind: "proof-page", name: "a Treemark page" }
    return { kind: "web-page", name: /^<(svg|\?xml)/i.test(text) ? "an XML or SVG file" : "a web page" }
  }
  if (AUTHORS.test(text.slice(0, SNIFFED_BYTES))) return { kind: "authors", name: "an authors file" }
  if (!text.startsWith("{")) return { kind: "text", name: "a text file" }
  const format = FORMAT.exec(text)?.[1]
  const named = NAMED.find(([name]) => name === format)?.[1]
  if (!text.endsWith("}")) {
    return { kind: "cut-json", name: `${named?.name ?? "a JSON file"} that is cut off before its end` }
  }
  if (named !== undefined) return named
  if (text.includes('"assetTreeSignature"')) return { kind: "record", name: "a commit record" }
  return text.includes('"creatorWallet"')
    ? { kind: "tree", name: "an asset tree" }
    : { kind: "json", name: "another JSON file" }
}

/** The first line that is no comment begins with an address. */
const AUTHORS = /^(?:#[^\n]*\n\s*)*0x[0-9a-fA-F]{40}[ \t]+\S/

const FORMAT = /"mediaType": {0,8}"application\/vnd\.treemark\.(proof|checkpoint|history|statement)\+json/

const NAMED: ReadonlyArray<readonly [string, FileLook]> = [
  ["proof", { kind: "proof", name: "a proof" }],
  ["checkpoint", { kind: "checkpoint", name: "a checkpoint" }],
  ["history", { kind: "history", name: "the index of a history" }],
  ["statement", { kind: "statement", name: "a statement" }]
]
