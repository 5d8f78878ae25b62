/**
 * The MIME type of an asset: what was declared, else what the first bytes show, else what the file's name says, else
 * application/octet-stream. Text, JSON and SVG show nothing certain in their bytes, so there the name decides.
 */
import { FieldProblem, InvalidFields, MediaType } from "@treemark/core"
import { Effect, Option, Schema } from "effect"
import { Mime } from "effect/http"

/** How many of a file's first bytes are looked at. */
export const BYTES_LOOKED_AT = 4_100

const UNKNOWN = "application/octet-stream"

/** What HTTP clients send when nobody chose a type; curl's default for `--data-binary` is the second. */
const UNDECLARED = new Set([UNKNOWN, "application/x-www-form-urlencoded"])

/** Formats that others are built on: a name such as drawing.svg or report.docx says more than these bytes. */
const CONTAINERS = new Set(["application/xml", "application/zip", "application/x-cfb"])

const isMediaType = Schema.is(MediaType)

/** The declared type, trimmed; none when nobody chose one. Fails when it is not a MIME type. */
export const declaredMediaType = (
  contentType: string | undefined
): Effect.Effect<Option.Option<string>, InvalidFields> => {
  const declared = contentType?.trim() ?? ""
  if (declared === "" || UNDECLARED.has(declared.split(";", 1)[0]!.trimEnd().toLowerCase())) return Effect.succeedNone
  return isMediaType(declared) ? Effect.succeedSome(declared) : Effect.fail(notAMediaType)
}

const notAMediaType = new InvalidFields({
  problems: [
    new FieldProblem({
      path: "/encodingFormat",
      message: "(the declared Content-Type) must be a MIME type, such as image/jpeg or text/plain; charset=utf-8"
    })
  ]
})

/** The type that a file's first bytes and its name show. */
export const detectMediaType = Effect.fn("MediaType.detectMediaType")(function* (
  firstBytes: Uint8Array,
  fileName: string | undefined
) {
  const named = fileName === undefined ? undefined : Option.getOrUndefined(Mime.getType(fileName))
  // Hostile bytes may make the detector throw; they are of no known type then.
  const shown = yield* Effect.tryPromise(async () => (await import("file-type")).fileTypeFromBuffer(firstBytes)).pipe(
    Effect.orElseSucceed(() => undefined)
  )
  if (shown === undefined) return named ?? UNKNOWN
  return CONTAINERS.has(shown.mime) ? (named ?? shown.mime) : shown.mime
})
