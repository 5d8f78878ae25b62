/**
 * The rules for `custom`, the caller's own metadata (interface.md, commit request, rules 3 to 5; decisions.md, section 4).
 * It goes into the asset tree as it is, so what canonical dag-json cannot carry without change is refused, with its place.
 */
import { Effect, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import type { JsonObject } from "../json/JsonValue.ts"
import { compareUtf8 } from "../json/Utf8.ts"
import { parseStrictJsonText } from "./StrictJson.ts"
import { LONGEST_NAME, lengthProblem, surrogateProblem } from "./Text.ts"

/** How deep `custom` may nest; it is the first level itself. */
const DEEPEST = 32

/** A string may nest deeper, so that both forms of `custom` are refused with the same message and place. */
const STRING_LIMITS = { maxDepth: 64 }

/** How many characters the places of all problems may have: under one long key a small body can break thousands of rules. */
const LONGEST_PLACES = 32_768

interface Problem {
  readonly path: ReadonlyArray<string>
  readonly issue: string
}

/** Every rule that `custom` breaks, with its place inside `custom`; in the same order whatever the order of its keys. */
const problemsOf = (custom: JsonObject): ReadonlyArray<Problem> => {
  const listed: Array<Problem> = []
  let characters = 0
  for (const problem of walk(custom, [])) {
    if (characters > LONGEST_PLACES) {
      return [...listed, { path: [], issue: "breaks more rules than are listed here" }]
    }
    listed.push(problem)
    characters += problem.path.join("/").length
  }
  return [...listed, ...generatedByProblems(custom)]
}

function* walk(container: object, path: ReadonlyArray<string>): Generator<Problem> {
  if (path.length >= DEEPEST) {
    yield { path, issue: `must not nest deeper than ${DEEPEST} levels, custom itself being the first` }
    return
  }
  const isArray = Array.isArray(container)
  const keys = isArray ? Array.from(container.keys(), String) : Object.keys(container).sort(compareUtf8)
  const disputed = isArray ? undefined : disputedKeys(keys)
  if (disputed !== undefined) yield { path, issue: disputed }
  for (const key of keys) {
    const keyProblem = isArray ? undefined : problemOfKey(key)
    if (keyProblem !== undefined) yield { path: [...path, key], issue: keyProblem }
    const value: unknown = Reflect.get(container, key)
    if (isContainer(value)) {
      yield* walk(value, [...path, key])
    } else {
      const issue = problemOfScalar(value)
      if (issue !== undefined) yield { path: [...path, key], issue }
    }
  }
}

const problemOfKey = (key: string): string | undefined =>
  key === "/" ? 'must not have the key "/": dag-json reserves it for links and bytes' : surrogateProblem(key)

/** Codecs sort the keys of a map by their UTF-8 bytes, as dag-json says, or by UTF-16 units; a tree must be the same for all of them. */
const disputedKeys = (sorted: ReadonlyArray<string>): string | undefined => {
  const units = [...sorted].sort()
  const at = sorted.findIndex((key, index) => key !== units[index])
  if (at === -1) return undefined
  const [first, second] = [sorted[at], units[at]].map((key) => shown(String(key)))
  return `must not have both the keys ${first} and ${second}: programs disagree which of them comes first (UTF-8 or UTF-16 order), and so about the tree's CID; rename one`
}

/** What has no shape of its own is written as its code point, or nobody would see which key is meant. */
const shown = (key: string): string =>
  `"${(key.length > 60 ? `${key.slice(0, 60)}…` : key).toWellFormed().replaceAll(/[\p{C}\p{Z}\p{M}"]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)}"`

const problemOfScalar = (value: unknown): string | undefined => {
  if (typeof value === "string") return surrogateProblem(value)
  if (typeof value === "boolean" || value === null) return undefined
  if (typeof value !== "number") return "must be a JSON value"
  if (!Number.isFinite(value)) return "must be a number that a double can hold; write it as a string"
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? "must be an integer within ±9007199254740991 (2^53−1), for others lose digits; write it as a string"
    : undefined
}

const generatedByProblems = (custom: JsonObject): ReadonlyArray<Problem> => {
  const path = ["generatedBy"]
  const value = Object.hasOwn(custom, "generatedBy") ? custom.generatedBy : ""
  if (typeof value !== "string") return [{ path, issue: "must be a string: the name of the AI model" }]
  const issue = lengthProblem(value, LONGEST_NAME)
  return issue === undefined ? [] : [{ path, issue }]
}

const isContainer = (value: unknown): value is object => Array.isArray(value) || isJsonObject(value)

const isJsonObject = (value: unknown): value is JsonObject => {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

const EXPECTED = "must be a JSON object, or a string that holds one"

const objectIn = (text: string): Effect.Effect<JsonObject, SchemaIssue.Issue> => {
  const parsed = parseStrictJsonText(text, STRING_LIMITS)
  if (Result.isFailure(parsed)) return refuse(`${EXPECTED}; in this string: ${parsed.failure.message}`)
  return isJsonObject(parsed.success) ? Effect.succeed(parsed.success) : refuse(`${EXPECTED}; this string holds none`)
}

const refuse = (message: string) => Effect.fail(new SchemaIssue.InvalidValue({ message }))

/** Rule 4: an `assetSourceType` inside `custom` is ignored, whatever it holds. */
const withoutSourceType = (custom: JsonObject): JsonObject =>
  Object.hasOwn(custom, "assetSourceType")
    ? Object.fromEntries(Object.entries(custom).filter(([key]) => key !== "assetSourceType"))
    : custom

/** `custom`: a JSON object, or a string that holds one; decoded it is the object without `assetSourceType`. */
export const CustomMetadata = Schema.Union([
  Schema.Record(Schema.String, Schema.Unknown).annotate({ message: EXPECTED }),
  Schema.String.annotate({ message: EXPECTED })
]).pipe(
  Schema.decodeTo(Schema.declare(isJsonObject, { message: EXPECTED }).check(Schema.makeFilter(problemsOf)), {
    decode: SchemaGetter.transformEffect((given: { readonly [key: string]: unknown } | string) =>
      Effect.map(typeof given === "string" ? objectIn(given) : Effect.succeed(given as JsonObject), withoutSourceType)
    ),
    encode: SchemaGetter.transform((custom: JsonObject) => custom)
  })
)
