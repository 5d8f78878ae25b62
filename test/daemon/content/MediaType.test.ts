/** The MIME type of an asset, from what was declared, its first bytes and its name. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { InvalidFields } from "@treemark/core"
import { Effect, Option } from "effect"
import { declaredMediaType, detectMediaType } from "../../../packages/daemon/src/content/MediaType.ts"

const sample = readFileSync(new URL("../../../packages/daemon/sample/espresso.png", import.meta.url)).subarray(0, 4_100)
const words = (text: string) => new TextEncoder().encode(text)
const zip = Uint8Array.from([
  0x50, 0x4b, 0x03, 0x04, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 97
])

describe("the type of an asset", () => {
  it.effect("is read off the first bytes, whatever the name says", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* detectMediaType(sample, undefined), "image/png")
      assert.strictEqual(yield* detectMediaType(sample, "photo.jpg"), "image/png")
      assert.strictEqual(yield* detectMediaType(words("%PDF-1.7\n"), undefined), "application/pdf")
    })
  )

  it.effect("is the name's where the bytes show nothing certain", () =>
    Effect.gen(function* () {
      const svg = words('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')
      for (const [bytes, name, type] of [
        [words("hello\n"), "note.txt", "text/plain"],
        [words("{}"), "data.JSON", "application/json"],
        [words("# Title"), "readme.md", "text/markdown"],
        [words("<svg/>"), "drawing.svg", "image/svg+xml"],
        [svg, "drawing.svg", "image/svg+xml"],
        [svg, undefined, "application/xml"],
        [zip, "book.epub", "application/epub+zip"],
        [zip, "archive", "application/zip"]
      ] as const) {
        assert.strictEqual(yield* detectMediaType(bytes, name), type, name)
      }
    })
  )

  it.effect("is application/octet-stream when neither bytes nor name tell", () =>
    Effect.gen(function* () {
      for (const name of [undefined, "", "noextension", "odd.zzzz", "../../etc/passwd"]) {
        assert.strictEqual(yield* detectMediaType(words("hello"), name), "application/octet-stream")
      }
      assert.strictEqual(yield* detectMediaType(new Uint8Array(), undefined), "application/octet-stream")
    })
  )

  it.effect("is the declared one, parameters included", () =>
    Effect.gen(function* () {
      for (const type of ["image/jpeg", "text/plain; charset=utf-8", "application/vnd.api+json"]) {
        assert.deepStrictEqual(yield* declaredMediaType(` ${type} `), Option.some(type))
      }
    })
  )

  it.effect("counts as not declared when no client chose it", () =>
    Effect.gen(function* () {
      for (const type of [
        undefined,
        "",
        "application/octet-stream",
        "Application/Octet-Stream; x=1",
        "application/x-www-form-urlencoded"
      ]) {
        assert.deepStrictEqual(yield* declaredMediaType(type), Option.none())
      }
    })
  )

  it.effect("is refused when what was declared is no MIME type", () =>
    Effect.gen(function* () {
      for (const type of ["jpeg", "image/", "image/png\r\nX-Evil: 1", "text/html; charset", "a/b/c"]) {
        const error = yield* Effect.flip(declaredMediaType(type))
        assert.instanceOf(error, InvalidFields)
        assert.include(error.message, "image/jpeg")
      }
    })
  )
})
