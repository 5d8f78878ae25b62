/**
 * What a file is by its first bytes, whatever its name, a tree or a sender call it. Runs anywhere: the page decides with it what it shows (only
 * kinds that a browser draws without running anything; markup is text, shown as written), and every door names with it what it was given.
 */

export type MediaKind = "image" | "video" | "audio"

export interface Sniffed {
  readonly kind: MediaKind | "text"
  readonly type: string
}

interface Mark {
  readonly at: number
  readonly text: string
}

const marks = (...all: ReadonlyArray<readonly [at: number, text: string]>): ReadonlyArray<Mark> =>
  all.map(([at, text]) => ({ at, text }))

/** Bytes as Latin-1 text, by type; all marks of an entry must stand there. The first entry that fits counts. */
const MEDIA: ReadonlyArray<readonly [kind: MediaKind, type: string, ReadonlyArray<Mark>]> = [
  ["image", "image/png", marks([0, "\x89PNG\r\n\x1a\n"])],
  ["image", "image/jpeg", marks([0, "\xff\xd8\xff"])],
  ["image", "image/gif", marks([0, "GIF8"])],
  ["image", "image/webp", marks([0, "RIFF"], [8, "WEBPVP8"])],
  ["image", "image/avif", marks([4, "ftypavif"])],
  ["image", "image/heic", marks([4, "ftyphei"])],
  ["image", "image/heic", marks([4, "ftypmif1"])],
  ["image", "image/tiff", marks([0, "II*\0"])],
  ["image", "image/tiff", marks([0, "MM\0*"])],
  ["audio", "audio/wav", marks([0, "RIFF"], [8, "WAVE"])],
  ["audio", "audio/mpeg", marks([0, "ID3"])],
  ["audio", "audio/flac", marks([0, "fLaC"])],
  ["audio", "audio/ogg", marks([0, "OggS"], [28, "OpusHead"])],
  ["audio", "audio/ogg", marks([0, "OggS"], [29, "vorbis"])],
  ["audio", "audio/mp4", marks([4, "ftypM4A"])],
  ["video", "video/webm", marks([0, "\x1aE\xdf\xa3"])],
  ["video", "video/mp4", marks([4, "ftyp"])]
]

/** Pictures that no browser draws. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["image/heic", "image/tiff"])

/** Bytes that {@link sniff} looks at. */
export const SNIFFED_BYTES = 64 * 1024

/** The kind of a file by its first {@link SNIFFED_BYTES}; undefined for what is not shown. `isWhole`: these are all its bytes. */
export const sniff = (head: Uint8Array, isWhole: boolean): Sniffed | undefined => {
  const media = mediaIn(head)
  if (media !== undefined) return NOT_SHOWN.has(media.type) ? undefined : media
  return head.length > 0 && isText(head, isWhole) ? { kind: "text", type: "text/plain" } : undefined
}

/** The picture, film or sound that starts with these bytes. */
export const mediaIn = (head: Uint8Array): { readonly kind: MediaKind; readonly type: string } | undefined => {
  const start = latin1(head)
  const known = MEDIA.find(([, , all]) => all.every(({ at, text }) => start.startsWith(text, at)))
  return known === undefined ? undefined : { kind: known[0], type: known[1] }
}

/** The first 64 bytes, a character each. */
export const latin1 = (head: Uint8Array): string => String.fromCharCode(...head.subarray(0, 64))

/** Whether the bytes read as text: UTF-8 without NUL. `isWhole`: these are all there are, so the last character may not be cut. */
export const isText = (head: Uint8Array, isWhole: boolean): boolean => {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: !isWhole }).includes("\0")
  } catch {
    return false
  }
}
