/**
 * JSON files of other people, read strictly for the verifier: UTF-8, one object, no key twice in one object, nesting at most 64, no half
 * surrogate pairs, a bounded number of values. What programs write goes the short way (PlainJson.ts), all else through the strict reader.
 */
import { isJsonObject, type JsonObject } from "./JsonValue.ts"
import { readPlainObject } from "./PlainJson.ts"
import { shown } from "./Shown.ts"
import { type JsonRefusal, placeIn, readStrictJson } from "./StrictReader.ts"
import { utf8Text } from "./Utf8.ts"

export type JsonRefusalCode = "not_utf8" | "not_json" | "duplicate_key" | "too_deep" | "not_object"

export type JsonReading =
  | {
      readonly ok: true
      readonly value: JsonObject
      readonly text: string
      /** Every number is known to be a whole one of at most 15 digits, so that none was rounded. */
      readonly isExact: boolean
    }
  | { readonly ok: false; readonly code: JsonRefusalCode; readonly message: string }

const MAX_DEPTH = 64

const MOST_MARKS = 1_000_000

/** The object in `bytes`, or why they are refused. The caller bounds the size; `mostMarks` is for files that are allowed more, or less, than most. */
export const readJsonObject = (bytes: Uint8Array, mostMarks = MOST_MARKS): JsonReading => {
  const text = utf8Text(bytes)
  return text === undefined ? refuse("not_utf8", "its bytes are not UTF-8.") : readJsonObjectText(text, mostMarks)
}

/** The object in `text`; same refusals as {@link readJsonObject}. */
export const readJsonObjectText = (text: string, mostMarks = MOST_MARKS): JsonReading => {
  const plain = readPlainObject(text)
  if (plain !== undefined) return { ok: true, text, ...plain }
  const read = readStrictJson(text, { maxDepth: MAX_DEPTH, mostMarks })
  if (!read.ok) return refusalOf(read, text, mostMarks)
  return isJsonObject(read.value)
    ? { ok: true, value: read.value, text, isExact: false }
    : refuse("not_object", "its JSON is not an object.")
}

const refuse = (code: JsonRefusalCode, message: string): JsonReading & { ok: false } => ({ ok: false, code, message })

const refusalOf = (refusal: JsonRefusal, text: string, mostMarks: number): JsonReading & { ok: false } => {
  const { at, fault, key = "", message } = refusal
  switch (fault) {
    case "too_deep":
      return refuse("too_deep", `its JSON nests deeper than ${MAX_DEPTH} levels.`)
    case "duplicate_key":
      return refuse("duplicate_key", `the key ${JSON.stringify(shown(key))} occurs twice in one object.`)
    case "half_surrogate":
      return refuse("not_json", `the text at character ${at + 1} holds half a surrogate pair.`)
    case "too_many": {
      const marks = `${mostMarks} commas, colons and brackets`
      return refuse("not_json", `its JSON holds more values than any file of its kind (${marks}).`)
    }
    case "syntax":
      return refuse("not_json", `it is not JSON (${message}: ${placeIn(text, at)}).`)
  }
}
