/**
 * What changed between two JSON values: for people as a list of places with their values before and after, for programs as a JSON Patch
 * (RFC 6902) that makes the one of the other. Places are JSON pointers (RFC 6901). The order of an object's keys is no change. Pure;
 * the two values may be hostile, but not deeper than the reader lets them be (64).
 */
import type { JsonValue } from "../json/JsonValue.ts"

export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string }

/** One operation with the value it meets. `before` is undefined where there was none, `after` where there is none any more. */
export interface Change {
  readonly path: string
  readonly before: JsonValue | undefined
  readonly after: JsonValue | undefined
}

/**
 * The changes that make `to` of `from`, in the order in which they are applied: the place of an element is the one it has at that moment.
 * Elements that start and end two arrays alike are kept; those between are compared pairwise, and the rest is removed or added.
 */
export const changesOf = (from: JsonValue, to: JsonValue): ReadonlyArray<Change> => [...changesAt("", from, to)]

/** The same as a JSON Patch. */
export const jsonPatchOf = (from: JsonValue, to: JsonValue): ReadonlyArray<PatchOperation> =>
  changesOf(from, to).map(({ path, before, after }): PatchOperation => {
    if (after === undefined) return { op: "remove", path }
    return { op: before === undefined ? "add" : "replace", path, value: after }
  })

function* changesAt(path: string, before: JsonValue, after: JsonValue): Generator<Change> {
  if (isArray(before) && isArray(after)) yield* arrayChanges(path, before, after)
  else if (isObject(before) && isObject(after)) yield* objectChanges(path, before, after)
  else if (!isSame(before, after)) yield { path, before, after }
}

function* objectChanges(path: string, before: JsonMap, after: JsonMap): Generator<Change> {
  for (const key of Object.keys(before)) {
    const place = `${path}/${escaped(key)}`
    if (Object.hasOwn(after, key)) yield* changesAt(place, before[key]!, after[key]!)
    else yield { path: place, before: before[key], after: undefined }
  }
  for (const key of Object.keys(after)) {
    if (!Object.hasOwn(before, key)) yield { path: `${path}/${escaped(key)}`, before: undefined, after: after[key] }
  }
}

function* arrayChanges(
  path: string,
  before: ReadonlyArray<JsonValue>,
  after: ReadonlyArray<JsonValue>
): Generator<Change> {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && isSame(before[start]!, after[start]!)) start++
  let end = 0
  while (end < shorter - start && isSame(before.at(-1 - end)!, after.at(-1 - end)!)) end++
  const paired = shorter - end
  for (let at = start; at < paired; at++) yield* changesAt(`${path}/${at}`, before[at]!, after[at]!)
  for (let at = before.length - end - 1; at >= paired; at--) {
    yield { path: `${path}/${at}`, before: before[at], after: undefined }
  }
  for (let at = paired; at < after.length - end; at++) {
    yield { path: `${path}/${at}`, before: undefined, after: after[at] }
  }
}

type JsonMap = { readonly [key: string]: JsonValue }

const isArray: (value: JsonValue) => value is ReadonlyArray<JsonValue> = Array.isArray

const isObject = (value: JsonValue): value is JsonMap => typeof value === "object" && value !== null && !isArray(value)

const isSame = (left: JsonValue, right: JsonValue): boolean => {
  if (isArray(left) && isArray(right)) {
    return left.length === right.length && left.every((value, at) => isSame(value, right[at]!))
  }
  if (!isObject(left) || !isObject(right)) return left === right
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(left[key]!, right[key]!))
  )
}

/** RFC 6901, section 3. */
const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")
