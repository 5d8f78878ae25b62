/**
 * Whether an answer is as the OpenAPI document says: its status, its headers, its type and its JSON. `AnswersDescribed` asks it of every answer
 * that a test gets from a daemon. What the document does not speak of (pages, the console's own addresses, other methods) is none of its business.
 */

/** An answer as it came. `body` is its JSON text; undefined when it is something else, or too large to look at. */
export interface Heard {
  readonly method: string
  readonly target: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string | undefined
}

type Schema = Readonly<Record<string, unknown>>
interface Response {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}
interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Response>>
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    /** Of every answer. */
    readonly headers: Readonly<Record<string, unknown>>
  }
}

/** Headers of HTTP itself; the type is looked at by itself. */
const FRAMING = ["date", "connection", "keep-alive", "transfer-encoding", "content-length", "content-type"]

/** What is said of a value by nobody who checks it. */
const REMARKS = ["description", "title", "examples", "format"]

/** At an address that is not served, such as any but `/` on a listener of one operation, no operation answers. */
const NOTHING_HERE = '"detail":"There is nothing at this address.'

/** What the document does not say of the answer, or says otherwise; undefined when they agree. */
export const disagreement = (document: OpenApiDocument, heard: Heard): string | undefined => {
  if (heard.body?.includes(NOTHING_HERE) === true) return undefined
  const path = heard.target.split(/[?#]/u, 1)[0]!.replace(/(.)\/$/u, "$1")
  if (path === "/") return ownListener(document, heard)
  const found = Object.entries(document.paths).find(([template]) => patternOf(template).test(path))
  const operation = found === undefined ? undefined : methodOf(found[1], heard.method)
  return operation === undefined ? undefined : differs(document, operation, heard)
}

/** `/ipfs/{cid}/{path}` is of any depth: it is what stands last. */
const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replace(/\{path\}$/u, ".+").replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u")

/** HEAD is answered wherever GET is. */
const methodOf = (methods: Readonly<Record<string, Operation>>, method: string): Operation | undefined =>
  methods[method.toLowerCase()] ?? (method === "HEAD" ? methods.get : undefined)

/** A listener of one operation has it at `/`; which one it is, its address does not say. */
const ownListener = (document: OpenApiDocument, heard: Heard): string | undefined => {
  if (heard.method !== "POST" || heard.status === 404 || heard.status === 405) return undefined
  const differences = ["/balance/mainnet", "/balance/all-networks", "/commit"].map((path) =>
    differs(document, document.paths[path]!.post!, heard)
  )
  return differences.includes(undefined) ? undefined : differences.join("; or ")
}

const differs = (document: OpenApiDocument, operation: Operation, heard: Heard): string | undefined => {
  const { headers, method, status, target } = heard
  const about = `${operation.operationId} (${method} ${target}) answered ${status}`
  const response = operation.responses[String(status)]
  if (response === undefined) return `${about}, a status that it does not have. ${heard.body ?? ""}`
  const known = [...Object.keys(response.headers ?? {}), ...Object.keys(document.components.headers), ...FRAMING]
  const names = new Set(known.map((name) => name.toLowerCase()))
  const unknown = Object.keys(headers).filter((name) => !names.has(name.toLowerCase()))
  if (unknown.length > 0) return `${about} with headers that it does not have: ${unknown.join(", ")}`
  const type = mediaType(headers["content-type"])
  if (type === undefined || method === "HEAD") return undefined
  const content = response.content?.[type] ?? response.content?.["*/*"]
  if (content === undefined) return `${about} as ${type}, which it does not`
  if (heard.body === undefined || response.content?.[type] === undefined) return undefined
  const wrong = violation(document, content.schema, JSON.parse(heard.body), "")
  return wrong === undefined ? undefined : `${about} with JSON that is otherwise: ${wrong}`
}

export const mediaType = (contentType: unknown): string | undefined =>
  typeof contentType === "string" ? contentType.split(";", 1)[0]!.trim().toLowerCase() : undefined

type Rule = (about: {
  readonly said: unknown
  readonly value: unknown
  readonly schema: Schema
  readonly place: string
  readonly at: (schema: Schema, value: unknown, place: string) => string | undefined
}) => string | boolean | undefined

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
  integer: Number.isSafeInteger,
  ...Object.fromEntries(
    ["string", "number", "boolean"].map((type) => [type, (value: unknown) => typeof value === type] as const)
  )
}

/** The keywords of JSON Schema that the document uses: false, or what is wrong, where a value breaks the rule. */
const RULES: Readonly<Record<string, Rule>> = {
  type: ({ said, value }) => TYPES[String(said)]!(value),
  enum: ({ said, value }) => (said as ReadonlyArray<unknown>).includes(value),
  pattern: ({ said, value }) => typeof value !== "string" || new RegExp(String(said), "u").test(value),
  minimum: ({ said, value }) => typeof value !== "number" || value >= Number(said),
  maximum: ({ said, value }) => typeof value !== "number" || value <= Number(said),
  minLength: ({ said, value }) => typeof value !== "string" || [...value].length >= Number(said),
  maxLength: ({ said, value }) => typeof value !== "string" || [...value].length <= Number(said),
  anyOf: ({ at, place, said, value }) =>
    (said as ReadonlyArray<Schema>).some((one) => at(one, value, place) === undefined),
  items: ({ at, place, said, value }) =>
    Array.isArray(value)
      ? value.map((one, index) => at(said as Schema, one, `${place}/${index}`)).find((found) => found !== undefined)
      : true,
  required: ({ said, value }) => {
    const missing = isObject(value) ? (said as ReadonlyArray<string>).filter((name) => !(name in value)) : []
    return missing.length === 0 || `lacks ${missing.join(", ")}`
  },
  properties: ({ at, place, said, value }) =>
    isObject(value)
      ? Object.entries(said as Readonly<Record<string, Schema>>)
          .map(([name, one]) => (name in value ? at(one, value[name], `${place}/${name}`) : undefined))
          .find((found) => found !== undefined)
      : true,
  additionalProperties: ({ at, place, said, schema, value }) => {
    if (!isObject(value) || said === true) return true
    const others = Object.keys(value).filter((name) => !(name in ((schema.properties ?? {}) as Schema)))
    if (said === false) return others.length === 0 || `has besides ${others.join(", ")}`
    return others
      .map((name) => at(said as Schema, value[name], `${place}/${name}`))
      .find((found) => found !== undefined)
  }
}

const violation = (document: OpenApiDocument, schema: Schema, value: unknown, place: string): string | undefined => {
  const at: Parameters<Rule>[0]["at"] = (one, inner, where) => violation(document, one, inner, where)
  if (typeof schema.$ref === "string") {
    return at(document.components.schemas[schema.$ref.replace("#/components/schemas/", "")]!, value, place)
  }
  for (const [keyword, said] of Object.entries(schema)) {
    if (REMARKS.includes(keyword)) continue
    const rule = RULES[keyword]
    if (rule === undefined) throw new Error(`Described.ts does not know the keyword ${keyword} of JSON Schema`)
    const found = rule({ said, value, schema, place, at })
    if (typeof found === "string") return found.startsWith("at ") ? found : `at ${place || "/"}: ${found}`
    if (found === false) return `at ${place || "/"}: ${JSON.stringify(value)?.slice(0, 200)} breaks ${keyword}`
  }
  return undefined
}
