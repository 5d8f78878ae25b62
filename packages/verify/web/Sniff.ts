/**
 * What a file is by its first bytes, from a short list of kinds that a browser shows without running anything; what the tree, the name or
 * the sender call it does not count. Markup of any kind (HTML, SVG, XML) is text here: shown as written, never drawn.
 */

export interface Sniffed {
  readonly kind: "image" | "video" | "audio" | "text"
  readonly type: string
}

interface Mark {
  readonly at: number
  readonly text: string
}

const marks = (...all: ReadonlyArray<readonly [at: number, text: string]>): ReadonlyArray<Mark> =>
  all.map(([at, text]) => ({ at, text }))

/** Bytes as Latin-1 text, by type; all marks of an entry must stand there. */
const KNOWN: ReadonlyArray<readonly [Sniffed["kind"], type: string, ReadonlyArray<Mark>]> = [
  ["image", "image/png", marks([0, "\x89PNG\r\n\x1a\n"])],
  ["image", "image/jpeg", marks([0, "\xff\xd8\xff"])],
  ["image", "image/gif", marks([0, "GIF8"])],
  ["image", "image/webp", marks([0, "RIFF"], [8, "WEBPVP8"])],
  ["image", "image/avif", marks([4, "ftypavif"])],
  ["audio", "audio/wav", marks([0, "RIFF"], [8, "WAVE"])],
  ["audio", "audio/mpeg", marks([0, "ID3"])],
  ["audio", "audio/flac", marks([0, "fLaC"])],
  ["audio", "audio/ogg", marks([0, "OggS"], [28, "OpusHead"])],
  ["audio", "audio/ogg", marks([0, "OggS"], [29, "vorbis"])],
  ["audio", "audio/mp4", marks([4, "ftypM4A"])],
  ["video", "video/webm", marks([0, "\x1aE\xdf\xa3"])],
  ["video", "video/mp4", marks([4, "ftyp"])]
]

/** Bytes that {@link sniff} looks at. */
export const SNIFFED_BYTES = 64 * 1024

/** The kind of a file by its first {@link SNIFFED_BYTES}; undefined for what is not shown. `isWhole`: these are all its bytes. */
export const sniff = (head: Uint8Array, isWhole: boolean): Sniffed | undefined => {
  const start = String.fromCharCode(...head.subarray(0, 64))
  const known = KNOWN.find(([, , all]) => all.every(({ at, text }) => start.startsWith(text, at)))
  if (known !== undefined) return { kind: known[0], type: known[1] }
  return head.length > 0 && isText(head, isWhole) ? { kind: "text", type: "text/plain" } : undefined
}

const isText = (head: Uint8Array, isWhole: boolean): boolean => {
  try {
    // A stream, because the last character may be cut.
    return !new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: !isWhole }).includes("\0")
  } catch {
    return false
  }
}
