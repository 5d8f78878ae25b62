/** A JSON value, and what can be asked of one that somebody else wrote. Only own members count, never the prototype's. */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | ReadonlyArray<JsonValue>
  | { readonly [key: string]: JsonValue }

/** An object as JSON has it. */
export type JsonObject = { readonly [member: string]: JsonValue }

/** Whether a parsed JSON value is an object (not null, not an array). */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The member `name` of `object` when it is a string. */
export const textMember = (object: JsonObject | undefined, name: string): string | undefined => {
  const value = object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined
  return typeof value === "string" ? value : undefined
}
