/** The part of JSON Schema 2020-12 that our published schemas use; an unknown keyword is an error, so none is ever passed over. */

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
type Schema = { readonly [keyword: string]: Json }

const ANNOTATIONS = new Set(["$schema", "$id", "$defs", "title", "description", "contentEncoding"])

/** What in `value` breaks `schema`, as `path: rule`; empty when nothing does. */
export const schemaProblems = (root: Schema, value: unknown): ReadonlyArray<string> => {
  const problems: Array<string> = []

  const check = (schema: Schema, at: unknown, path: string): void => {
    for (const [keyword, rule] of Object.entries(schema)) {
      if (ANNOTATIONS.has(keyword)) continue
      const holds = KEYWORDS[keyword]
      if (holds === undefined) throw new Error(`JsonSchema.ts does not know the keyword ${keyword}`)
      if (!holds(rule, at, path, schema)) problems.push(`${path}: ${keyword}`)
    }
  }

  const within = (schema: Schema, at: unknown, path: string): boolean => {
    const before = problems.length
    check(schema, at, path)
    return problems.splice(before).length === 0
  }

  const KEYWORDS: { readonly [keyword: string]: (rule: Json, at: unknown, path: string, schema: Schema) => boolean } = {
    $ref: (rule, at, path) => {
      const name = String(rule).replace("#/$defs/", "")
      check((root.$defs as { [name: string]: Schema })[name]!, at, path)
      return true
    },
    const: (rule, at) => at === rule,
    enum: (rule, at) => (rule as ReadonlyArray<unknown>).includes(at),
    type: (rule, at) => [rule].flat().some((type) => hasType(String(type), at)),
    pattern: (rule, at) => typeof at !== "string" || new RegExp(String(rule), "u").test(at),
    minimum: (rule, at) => typeof at !== "number" || at >= Number(rule),
    anyOf: (rule, at, path) => (rule as ReadonlyArray<Schema>).some((one) => within(one, at, path)),
    items: (rule, at, path) => {
      if (Array.isArray(at)) for (const [index, item] of at.entries()) check(rule as Schema, item, `${path}/${index}`)
      return true
    },
    required: (rule, at) => !isObject(at) || (rule as ReadonlyArray<string>).every((name) => Object.hasOwn(at, name)),
    properties: (rule, at, path) => {
      if (!isObject(at)) return true
      for (const [name, schema] of Object.entries(rule as { [name: string]: Schema })) {
        if (Object.hasOwn(at, name)) check(schema, at[name], `${path}/${name}`)
      }
      return true
    },
    additionalProperties: (rule, at, _path, schema) =>
      rule !== false ||
      !isObject(at) ||
      Object.keys(at).every((name) => Object.hasOwn(schema.properties as object, name))
  }

  check(root, value, "")
  return problems
}

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const hasType = (type: string, value: unknown): boolean => {
  if (type === "null") return value === null
  if (type === "array") return Array.isArray(value)
  if (type === "object") return isObject(value)
  if (type === "integer") return Number.isInteger(value)
  return typeof value === type
}
