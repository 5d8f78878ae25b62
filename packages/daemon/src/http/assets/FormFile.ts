/**
 * A file that comes as a form (RFC 7578), as published clients of these networks send it: the one part `asset_file` or `file`. Any other form is
 * refused, also when that shows only after the file: its bytes end with a failure then, and nothing is registered.
 */
import { Effect, Pull, Stream } from "effect"
import type { HttpServerRequest, Multipart } from "effect/http"
import { fileNameOf } from "../../content/FileName.ts"
import { Refused } from "../ApiErrors.ts"

export interface SentFile {
  readonly bytes: Stream.Stream<Uint8Array, Refused<"bad_request" | "unsupported_media_type">>
  readonly name: string | undefined
  readonly contentType: string | undefined
}

const NAMES = new Set(["asset_file", "file"])

export const isForm = (contentType: string | undefined): boolean => /^multipart\//iu.test(contentType?.trim() ?? "")

export const broken = new Refused({
  code: "bad_request",
  detail: "The upload broke off before its end, so nothing was registered. Send the file again."
})

const otherForm = (problem: string) =>
  new Refused({
    code: "unsupported_media_type",
    detail: `${problem} Send the file as the whole body with its own Content-Type (curl --data-binary @FILE -H "Content-Type: image/png"), or as multipart/form-data whose only part is the file, named asset_file or file. Nothing was registered.`
  })

/** Reads a form up to its file; the scope holds what is left of it. */
export const fileOfForm = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  if (!/^multipart\/form-data[ \t]*;/iu.test(request.headers["content-type"]?.trim() ?? "")) {
    return yield* otherForm("Of the multipart types only multipart/form-data is read.")
  }
  const [first, rest] = yield* firstPart(request.multipartStream)
  if (first === undefined) return yield* otherForm("The form is empty.")
  if (first._tag !== "File" || !NAMES.has(first.key)) {
    return yield* otherForm(
      `The form has a part named ${JSON.stringify(first.key.slice(0, 100))}, which is not the file.`
    )
  }
  const others = Stream.flatMap(rest, (part) =>
    Stream.fail(otherForm(`Beside the file the form has a part named ${JSON.stringify(part.key.slice(0, 100))}.`))
  )
  return {
    bytes: Stream.concat(
      Stream.mapError(first.content, () => broken),
      others
    ),
    name: fileNameOf(first.name),
    contentType: first.contentType
  } satisfies SentFile
})

/** The first part, and a stream of those after it. */
const firstPart = Effect.fnUntraced(function* (parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>) {
  const pull = yield* Stream.toPull(
    Stream.rechunk(
      Stream.mapError(parts, () => broken),
      1
    )
  )
  const [first] = yield* Pull.catchDone(pull, () => Effect.succeed([] as ReadonlyArray<Multipart.Part>))
  return [first, Stream.fromPull(Effect.succeed(pull))] as const
})
