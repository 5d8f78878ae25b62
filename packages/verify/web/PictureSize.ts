/**
 * Width and height of a picture, read from its first bytes without decoding it: a small file can name a size that takes gigabytes to
 * draw, and is then not drawn. PNG, GIF, JPEG (SOF segments), WebP (VP8, VP8L, VP8X) and AVIF (the largest ispe box).
 */

/** Pixels in the picture; undefined when the head does not tell. `type` as src/files/Sniff.ts says. */
export const pixelsOf = (type: string, head: Uint8Array): number | undefined => {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  try {
    return READERS[type]?.(view)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

type Reader = (view: DataView) => number | undefined

const jpeg: Reader = (view) => {
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint8(at + 1) === 0xff) at++
    const marker = view.getUint8(at + 1)
    if (view.getUint8(at) !== 0xff) return undefined
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return view.getUint16(at + 5) * view.getUint16(at + 7)
  }
}

const webp: Reader = (view) => {
  switch (view.getUint8(15)) {
    case 0x20:
      return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff)
    case 0x4c: {
      const bits = view.getUint32(21, true)
      return ((bits & 0x3fff) + 1) * (((bits >> 14) & 0x3fff) + 1)
    }
    default:
      return ((view.getUint32(24, true) & 0xffffff) + 1) * ((view.getUint32(26, true) >>> 8) + 1)
  }
}

const ISPE = 0x69737065

const avif: Reader = (view) => {
  let largest: number | undefined
  for (let at = 0; at + 16 <= view.byteLength; at++) {
    if (view.getUint32(at) !== ISPE) continue
    largest = Math.max(largest ?? 0, view.getUint32(at + 8) * view.getUint32(at + 12))
  }
  return largest
}

const READERS: Readonly<Record<string, Reader>> = {
  "image/png": (view) => view.getUint32(16) * view.getUint32(20),
  "image/gif": (view) => view.getUint16(6, true) * view.getUint16(8, true),
  "image/jpeg": jpeg,
  "image/webp": webp,
  "image/avif": avif
}
