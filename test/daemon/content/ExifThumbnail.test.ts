/** The small picture in a photo's Exif part: copied out upright, and nothing else taken for one. */
import { assert, describe, it } from "@effect/vitest"
import { exifThumbnail } from "../../../packages/daemon/src/content/ExifThumbnail.ts"
import { photoWith, smallJpeg } from "../../layers/Photos.ts"

const orientationOf = (jpeg: Uint8Array): number | undefined => jpeg[31]

describe("the small picture of a photo", () => {
  it("is the one that stands in it, with how it is turned, in either order of bytes", () => {
    for (const little of [true, false]) {
      for (const orientation of [1, 6, 8]) {
        const small = smallJpeg(160, 120)
        const found = exifThumbnail(photoWith({ little, orientation, small }))!
        assert.strictEqual(orientationOf(found), orientation)
        assert.deepStrictEqual(found.subarray(-(small.length - 2)), small.subarray(2))
        assert.deepStrictEqual([...found.subarray(0, 4)], [0xff, 0xd8, 0xff, 0xe1])
      }
    }
  })

  it("is none where it names too many pixels, is none, is cut, or points elsewhere", () => {
    const small = smallJpeg(160, 120)
    const none = [
      new Uint8Array(0),
      new Uint8Array([0xff, 0xd8]),
      new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'/>"),
      photoWith({ small: smallJpeg(20_000, 20_000) }),
      photoWith({ small: smallJpeg(0, 120) }),
      photoWith({ small: new TextEncoder().encode("<script>alert(1)</script>") }),
      photoWith({ small, length: 60_000 }),
      photoWith({ small, from: 0xffff_fff0 }),
      photoWith({ small }).subarray(0, 60)
    ]
    for (const [at, bytes] of none.entries()) assert.isUndefined(exifThumbnail(bytes), String(at))
  })

  it("ends for every cut and every changed byte of a photo's beginning, within what it was given", () => {
    const photo = photoWith({ small: smallJpeg(160, 120) })
    for (let end = 0; end < photo.length; end++) exifThumbnail(photo.subarray(0, end))
    for (let at = 0; at < 120; at++) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Uint8Array.from(photo)
        changed[at] = value
        const found = exifThumbnail(changed)
        assert.isBelow(found?.length ?? 0, 65_600)
      }
    }
  })
})
