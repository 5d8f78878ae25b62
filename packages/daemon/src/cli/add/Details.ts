/**
 * When and by whom a file was made, by the EXIF and XMP in it (JPEG, TIFF, HEIC, AVIF, PNG). A camera that says no time zone is taken to
 * have been in this computer's. What cannot be read says nothing: the file is committed all the same.
 */
/** Where EXIF and XMP stand, in nearly every file. */
export const HEAD_BYTES = 4 << 20

export interface Details {
  /** Unix seconds. */
  readonly created: number | undefined
  readonly creator: string | undefined
}

/** The latest second a request takes. */
const LATEST = 253_402_300_799

export const detailsOf = async (head: Buffer): Promise<Details> => {
  const tags = await parse(head)
  return {
    created:
      secondsOf(tags.DateTimeOriginal, tags.OffsetTimeOriginal ?? tags.OffsetTime) ??
      secondsOf(tags.DateCreated, undefined) ??
      secondsOf(tags.CreateDate, tags.OffsetTimeDigitized ?? tags.OffsetTime),
    creator: nameOf(tags.creator) ?? nameOf(tags.Artist)
  }
}

const parse = async (head: Buffer): Promise<Readonly<Record<string, unknown>>> => {
  try {
    // As large as all the rest of the command, and of no use to any other.
    const { default: exifr } = await import("exifr")
    const tags: unknown = await exifr.parse(head, {
      xmp: true,
      gps: false,
      reviveValues: false,
      translateValues: false
    })
    return typeof tags === "object" && tags !== null ? (tags as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** EXIF writes `2026:05:01 12:00:00`, XMP ISO 8601. */
const MOMENT = /^(\d{4})[:-](\d\d)[:-](\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/u

/** Unix seconds of a moment; undefined for what is none, such as the zeros of a camera whose clock was never set. */
export const secondsOf = (moment: unknown, offset: unknown): number | undefined => {
  const match = typeof moment === "string" ? MOMENT.exec(clean(moment)) : null
  if (match === null) return undefined
  const [, year, month, day, hour = "00", minute = "00", second = "00", own] = match
  const zone = own ?? (typeof offset === "string" && /^(?:Z|[+-]\d\d:?\d\d)$/u.test(clean(offset)) ? clean(offset) : "")
  const withColon = zone.replace(/^([+-]\d\d)(\d\d)$/u, "$1:$2")
  const seconds = Math.floor(Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${withColon}`) / 1000)
  return Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= LATEST && month !== "00" ? seconds : undefined
}

const clean = (text: string): string => text.replaceAll("\0", "").trim()

/** The first name of a list. */
const nameOf = (value: unknown): string | undefined => {
  const first: unknown = Array.isArray(value) ? value[0] : value
  const text = typeof first === "string" ? clean(first).replaceAll(/\s+/gu, " ") : ""
  return text === "" ? undefined : text
}
