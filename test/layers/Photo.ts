/** A JPEG of no pixels whose EXIF says when and by whom it was taken: what `treemarkd add` reads. */

const ASCII = 2
const LONG = 4

interface Taken {
  readonly artist?: string
  /** `2024:05:01 12:00:00`. */
  readonly taken?: string
  /** `+02:00`. */
  readonly zone?: string
  /** Makes the bytes another file's. */
  readonly comment?: string
}

export const photoOf = ({ artist = "", comment = "", taken = "", zone = "" }: Taken): Buffer => {
  const exif = Buffer.concat([Buffer.from("Exif\0\0"), tiffOf(artist, taken, zone)])
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, exif),
    segment(0xfe, Buffer.from(comment)),
    Buffer.from([0xff, 0xd9])
  ])
}

const segment = (marker: number, body: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}

/** Big-endian TIFF: the first directory with the artist and a pointer, the EXIF directory, then the texts. */
const tiffOf = (artist: string, taken: string, zone: string): Buffer => {
  const [main, exif] = [8, 8 + 2 + 2 * 12 + 4]
  const texts = [artist, taken, zone].map((text) => Buffer.from(`${text}\0`.padEnd(8, "\0")))
  const start = exif + 2 + 2 * 12 + 4
  const place = (index: number) => start + texts.slice(0, index).reduce((sum, text) => sum + text.length, 0)
  const text = (tag: number, index: number) => entry(tag, ASCII, texts[index]?.length ?? 0, place(index))
  const head = Buffer.from("MM\0\x2a\0\0\0\0", "latin1")
  head.writeUInt32BE(main, 4)
  return Buffer.concat([
    head,
    directory([text(0x013b, 0), entry(0x8769, LONG, 1, exif)]),
    directory([text(0x9003, 1), text(0x9011, 2)]),
    ...texts
  ])
}

const directory = (entries: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat([Buffer.from([0, entries.length]), ...entries, Buffer.alloc(4)])

const entry = (tag: number, type: number, count: number, value: number): Buffer => {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt16BE(tag, 0)
  bytes.writeUInt16BE(type, 2)
  bytes.writeUInt32BE(count, 4)
  bytes.writeUInt32BE(value, 8)
  return bytes
}
