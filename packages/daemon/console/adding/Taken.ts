/**
 * When a photo was taken, out of the Exif part of a JPEG (DateTimeOriginal, tag 0x9003, with its offset 0x9011 where the camera wrote one);
 * else when its file was changed last. Bytes of strangers: whatever does not fit is as if it were not there.
 */

const LOOKED_AT = 131_072
const [EXIF_FOLDER, ORIGINAL, OFFSET] = [0x8769, 0x9003, 0x9011]

/** Unix seconds. */
export const createdAt = async (file: File): Promise<number> => {
  const taken = await readTaken(file).catch(() => undefined)
  return Math.max(0, Math.floor((taken ?? file.lastModified) / 1000))
}

const readTaken = async (file: File): Promise<number | undefined> => {
  const view = new DataView(await file.slice(0, LOOKED_AT).arrayBuffer())
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined
  for (let at = 2; at + 10 <= view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at)
    if (marker === 0xffe1 && view.getUint32(at + 4) === 0x45786966) return inExif(view, at + 10)
    if (marker >> 8 !== 0xff || marker === 0xffda) return undefined
  }
  return undefined
}

const inExif = (view: DataView, start: number): number | undefined => {
  const little = view.getUint16(start) === 0x4949
  const word = (at: number) => view.getUint16(start + at, little)
  const long = (at: number) => view.getUint32(start + at, little)
  /** Where each entry of a folder stands, by its tag. */
  const folder = (at: number) =>
    new Map(Array.from({ length: Math.min(word(at), 500) }, (_, n) => [word(at + 2 + 12 * n), at + 2 + 12 * n]))
  const text = (entry: number | undefined): string => {
    if (entry === undefined || word(entry + 2) !== 2) return ""
    const length = Math.min(long(entry + 4), 40)
    const from = start + (length > 4 ? long(entry + 8) : entry + 8)
    return String.fromCharCode(...new Uint8Array(view.buffer, from, length)).replace(/\0.*$/s, "")
  }
  const pointer = folder(long(4)).get(EXIF_FOLDER)
  if (pointer === undefined) return undefined
  const exif = folder(long(pointer + 8))
  return momentOf(text(exif.get(ORIGINAL)), text(exif.get(OFFSET)))
}

/** Cameras write local time, most of them without saying where they were: then it is taken as this device's. */
const momentOf = (original: string, offset: string): number | undefined => {
  const [, date, time] = /^(\d{4}:\d{2}:\d{2}) (\d{2}:\d{2}:\d{2})/.exec(original) ?? []
  if (date === undefined) return undefined
  const moment = Date.parse(`${date.replaceAll(":", "-")}T${time}${/^[+-]\d{2}:\d{2}$/.test(offset) ? offset : ""}`)
  return Number.isNaN(moment) ? undefined : moment
}
