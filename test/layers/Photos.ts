/** Pictures for tests, made byte by byte: photos with what cameras write beside the picture, and pictures that claim what they are not. */
import { crc32, deflateSync } from "node:zlib"

/** As much of a JPEG as readers of its size look at. */
export const smallJpeg = (width: number, height: number): Uint8Array => {
  const frame = [0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]
  return Uint8Array.from([0xff, 0xd8, ...frame, 0xff, 0xda, 0, 2, 1, 2, 3, 0xff, 0xd9])
}

interface Photo {
  readonly small: Uint8Array
  readonly little?: boolean
  readonly orientation?: number
  /** Where and how long the small picture is said to be; as it is by default. */
  readonly from?: number
  readonly length?: number
}

/** A JPEG whose Exif part holds `small`. */
export const photoWith = ({ from = 64, length, little = true, orientation = 1, small }: Photo): Uint8Array => {
  const tiff = Buffer.alloc(64 + small.length)
  const word = (value: number, at: number) => (little ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at))
  const long = (value: number, at: number) => (little ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at))
  tiff.write(little ? "II" : "MM", 0)
  word(42, 2)
  long(8, 4)
  word(1, 8)
  word(0x0112, 10)
  word(3, 12)
  long(1, 14)
  word(orientation, 18)
  long(26, 22)
  word(2, 26)
  for (const [at, tag, value] of [
    [28, 0x0201, from],
    [40, 0x0202, length ?? small.length]
  ] as const) {
    word(tag, at)
    word(4, at + 2)
    long(1, at + 4)
    long(value, at + 8)
  }
  tiff.set(small, 64)
  const size = 8 + tiff.length
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe1, size >> 8, size & 255]),
    Buffer.from("Exif\0\0"),
    tiff,
    Buffer.from([0xff, 0xd9])
  ])
}

const chunk = (type: string, data: Uint8Array): Buffer => {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([size, named, sum])
}

/** A PNG of one colour, `shade`. `claimed`: the size that its head names, when that is another than it has. */
export const png = (side: number, shade: number, claimed = side): Buffer => {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(claimed, 0)
  head.writeUInt32BE(claimed, 4)
  head[8] = 8
  const rows = Buffer.alloc((side + 1) * side, shade)
  for (let row = 0; row < side; row++) rows[row * (side + 1)] = 0
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0))
  ])
}
