/** The strict reader of JSON for request bodies: bytes that are not UTF-8 and whatever the reader refuses become one error that names the place. */
import { Result, Schema } from "effect"
import type { JsonValue } from "../json/JsonValue.ts"
import { type JsonLimits, placeIn, readStrictJson } from "../json/StrictReader.ts"
import { firstBadByte, utf8Text } from "../json/Utf8.ts"

/** Why a text is not strict JSON, and where. `code` is the one of the HTTP answer. */
export class MalformedJson extends Schema.TaggedError<MalformedJson>()("MalformedJson", {
  problem: Schema.String,
  place: Schema.String
}) {
  readonly code = "malformed_json"
  override get message() {
    return `${this.problem} (${this.place}).`
  }
}

/** The limit for request bodies. */
const BODY_LIMITS: JsonLimits = { maxDepth: 64 }

/** The value in `bytes` (JSON in UTF-8), or why they are refused. A key `__proto__` becomes a property like any other. */
export const parseStrictJson = (
  bytes: Uint8Array,
  limits: JsonLimits = BODY_LIMITS
): Result.Result<JsonValue, MalformedJson> => {
  const text = utf8Text(bytes)
  if (text !== undefined) return parseStrictJsonText(text, limits)
  const place = `near byte ${firstBadByte(bytes) + 1}`
  return Result.fail(new MalformedJson({ problem: "The JSON is not UTF-8", place }))
}

/** The value in `text`, with the same refusals as {@link parseStrictJson}. */
export const parseStrictJsonText = (
  text: string,
  limits: JsonLimits = BODY_LIMITS
): Result.Result<JsonValue, MalformedJson> => {
  const read = readStrictJson(text, limits)
  return read.ok
    ? Result.succeed(read.value)
    : Result.fail(new MalformedJson({ problem: read.message, place: placeIn(text, read.at) }))
}
