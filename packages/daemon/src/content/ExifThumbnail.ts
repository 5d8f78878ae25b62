/**
 * The small picture that cameras put into a photo (JPEG, Exif, IFD 1): copied out byte for byte, never decoded here. Bytes of strangers:
 * whatever does not fit is as if there were none, and what names more pixels than such a picture has is not passed on.
 */

/** Bytes of a photo's beginning that are looked at: the Exif part stands among the first segments, and a segment has 64 KiB at most. */
export const EXIF_HEAD = 196_608

const MOST_PIXELS = 1024 * 1024
const [ORIENTATION, JPEG_FROM, JPEG_LENGTH] = [0x0112, 0x0201, 0x0202]

/** The small picture as a JPEG that stands upright like the photo; undefined when `head` holds none. */
export const exifThumbnail = (head: Uint8Array): Uint8Array | undefined => {
  try {
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
    const start = exifStart(view)
    return start === undefined ? undefined : inExif(view, start)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Where the TIFF header of the Exif segment stands. */
const exifStart = (view: DataView): number | undefined => {
  if (view.getUint16(0) !== 0xffd8) return undefined
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at)
    if (marker === 0xffe1 && view.getUint32(at + 4) === 0x45786966) return at + 10
    if (marker >> 8 !== 0xff || marker === 0xffda) return undefined
  }
}

const inExif = (view: DataView, start: number): Uint8Array | undefined => {
  const little = view.getUint16(start) === 0x4949
  const word = (at: number) => view.getUint16(start + at, little)
  const long = (at: number) => view.getUint32(start + at, little)
  /** Values by tag of the folder at `at`, as short or long numbers, and where the next folder stands. */
  const folder = (at: number) => {
    const count = word(at)
    const values = new Map<number, number>()
    for (let entry = at + 2; entry < at + 2 + 12 * Math.min(count, 200); entry += 12) {
      values.set(word(entry), word(entry + 2) === 3 ? word(entry + 8) : long(entry + 8))
    }
    return { values, next: long(at + 2 + 12 * count) }
  }
  const photo = folder(long(4))
  if (photo.next === 0) return undefined
  const small = folder(photo.next).values
  const [from, length] = [small.get(JPEG_FROM), small.get(JPEG_LENGTH)]
  if (from === undefined || length === undefined || length > 65_536) return undefined
  const at = view.byteOffset + start + from
  if (start + from + length > view.byteLength) return undefined
  const picture = new Uint8Array(view.buffer, at, length)
  const pixels = pixelsOf(new DataView(view.buffer, at, length))
  if (pixels === undefined || pixels === 0 || pixels > MOST_PIXELS) return undefined
  return upright(picture, photo.values.get(ORIENTATION) ?? 1)
}

/** Pixels that the frame header of a JPEG names. */
const pixelsOf = (view: DataView): number | undefined => {
  if (view.getUint16(0) !== 0xffd8) return undefined
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at)
    if (marker >> 8 !== 0xff || marker === 0xffda) return undefined
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker)
    if (isFrame) return view.getUint16(at + 5) * view.getUint16(at + 7)
  }
}

/** The picture with an Exif segment of its own, which says no more than how it is turned. */
const upright = (picture: Uint8Array, orientation: number): Uint8Array => {
  const turned = orientation >= 1 && orientation <= 8 ? orientation : 1
  const exif = [0x45, 0x78, 0x69, 0x66, 0, 0]
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, turned, 0, 0, 0, 0, 0, 0]
  const body = [...exif, ...tiff]
  return Uint8Array.from([0xff, 0xd8, 0xff, 0xe1, 0, body.length + 2, ...body, ...picture.subarray(2)])
}
