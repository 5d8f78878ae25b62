/**
 * What the OpenAPI document needs beside what the definitions say: the token as generated clients and pages can send it, where the service
 * is, examples that are real, and what every answer carries (headers, 404 of paths, 405 of methods, ranges). Applied to the document that is
 * served and to the one inside /docs.
 */
import { ANSWERS, REQUESTS } from "./OpenApiExamples.ts"
import { FILE_NAME, UPLOAD } from "./OpenApiUpload.ts"

type Json = Record<string, unknown>
interface Operation extends Json {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<Json>
  readonly requestBody?: { readonly content: Record<string, Json> }
  readonly responses: Record<string, Json & { readonly content?: Record<string, Json> }>
}
type Paths = Record<string, Record<string, Operation>>

/** The header as it is sent, word and token: OpenAPI has no other scheme whose name is the word `token`. */
const TOKEN = {
  type: "apiKey",
  in: "header",
  name: "Authorization",
  description:
    "The word `token`, a space, and the access token that was shown when the account was created: `token tmk_…`. The page /docs adds the word itself."
}

const header = (description: string, type = "string") => ({ description, schema: { type } })

/** Of every answer: at the answers themselves the one that people read, and all of them once, among the components. */
const EVERY = { "X-Request-Id": header("Names this request in the daemon's log and in a problem's `requestId`") }
const EVERY_OTHER = {
  "Cache-Control": header("`no-store`, but for content by its CID, which never changes"),
  Vary: header("Which request headers the answer depends on; `Origin` is always one"),
  "Content-Security-Policy": header("Nothing of the answer may run in a page"),
  "Cross-Origin-Resource-Policy": header("`same-origin`, but for content by its CID"),
  "Referrer-Policy": header("`no-referrer`"),
  "X-Content-Type-Options": header("`nosniff`"),
  "X-Frame-Options": header("`DENY`"),
  "Access-Control-Allow-Origin": header("To pages of origins that may call: theirs"),
  "Access-Control-Allow-Methods": header("To the same"),
  "Access-Control-Allow-Headers": header("To the same"),
  "Access-Control-Expose-Headers": header("To the same: the headers that a page may read")
}

/** Of answers with a status, whatever was asked. */
const OF_STATUS: Readonly<Record<string, Json>> = {
  "401": { "WWW-Authenticate": header('`token realm="treemark"`') },
  "405": { Allow: header("The methods that are served at this address") },
  "415": { "Accept-Encoding": header("`identity`, where the body came compressed") },
  "416": { "Content-Range": header("How many bytes there are, such as `bytes */146515`") },
  "429": { "Retry-After": header("Seconds to wait before the next call", "integer") },
  "503": { "Retry-After": header("Seconds to wait before the next call", "integer") }
}

const PAID = {
  "Idempotency-Replayed": header("`true` when this answer was given before to the same Idempotency-Key"),
  "Treemark-Receipt": header("The signed receipt of what was charged, in compact form")
}

const CONTENT = {
  ETag: header("Of the CID and the format; sent back in If-None-Match it gives 304"),
  "Cache-Control": header("What a CID names never changes"),
  "Accept-Ranges": header("`bytes` for files, `none` for a CAR"),
  "Content-Disposition": header("What to call it, and whether to save it (RFC 6266)"),
  "Content-Location": header("The address of this form, where Accept chose it"),
  Vary: header("Which request headers the answer depends on"),
  "X-Ipfs-Path": header("The path that was answered"),
  "X-Ipfs-Roots": header("The CIDs that the path leads through, with commas between")
}

const TAGS: Readonly<Record<string, string>> = {
  account: "Credits, wallet and movements of the caller",
  assets: "What is registered, and its history on the ledger",
  balanceAllNetworks: "A wallet's balance on all networks; 0.01 a call",
  balanceMainnet: "A wallet's balance on the mainnet; free",
  commit: "Commits with signed asset trees; 0.1 and the gas that was used",
  commits: "Where a commit stands, and what becomes of the caller's assets as it happens",
  gateway: "Content by its CID, as files, blocks, CAR and dag-json",
  service: "Which daemon this is, and whether it can serve"
}

/** Of good answers of an operation. */
const OF_OPERATION: Readonly<Record<string, Json>> = {
  balanceAllNetworks: PAID,
  commit: { ...PAID, "Preference-Applied": header("`return=quote` when a quote was asked for and given") },
  ipfs: CONTENT
}

/** Text in a query that is a number or a truth value to whoever writes it. */
const QUERY_TYPES: Readonly<Record<string, Json>> = {
  limit: { type: "integer", minimum: 1, maximum: 1000 },
  testnet: { type: "boolean", default: false }
}

const PATH_EXAMPLES: Readonly<Record<string, string>> = {
  assetCid: "bafkreihl35vfvhw4ehgdu3zrtzg3h5s4xvgxvzrmzusi63mazbmseppozq",
  cid: "bafkreihl35vfvhw4ehgdu3zrtzg3h5s4xvgxvzrmzusi63mazbmseppozq",
  id: "cmt_1f0c2a9be4d1"
}

/** The finished document. */
export const finishedDocument = (document: Json): Json => {
  const components = document.components as Json
  const paths = Object.fromEntries(
    Object.entries(document.paths as Paths).flatMap(([path, methods]) =>
      path === "/ipfs/{cid}" ? gatewayPaths(path, gatewayMethods(methods)) : [[path, mapValues(methods, finished)]]
    )
  )
  return withPlainChoices({
    ...document,
    tags: (document.tags as ReadonlyArray<Json>).map((tag) => ({ ...tag, description: TAGS[String(tag.name)] })),
    servers: [
      { url: "/", description: "Where this document was read" },
      { url: "http://127.0.0.1:7053", description: "A daemon with its usual settings" }
    ],
    paths,
    components: { ...components, headers: { ...EVERY, ...EVERY_OTHER }, securitySchemes: { token: TOKEN } }
  }) as Json
}

/** Without what only Effect reads, and no `anyOf` of one choice: linters refuse those. */
const withPlainChoices = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withPlainChoices)
  if (typeof value !== "object" || value === null) return value
  const { anyOf, "x-effect-stream": _, ...rest } = value as Json
  const plain = mapValues(rest, withPlainChoices)
  if (!Array.isArray(anyOf)) return plain
  const only = anyOf.length === 1 ? withPlainChoices(anyOf[0]) : undefined
  return only === undefined ? { ...plain, anyOf: anyOf.map(withPlainChoices) } : { ...(only as Json), ...plain }
}

const mapValues = <A, B>(record: Readonly<Record<string, A>>, use: (value: A, key: string) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, use(value, key)]))

const finished = (defined: Operation): Operation => {
  const isUpload = defined.operationId === "registerAsset"
  const operation = isUpload
    ? { ...defined, parameters: [...(defined.parameters ?? []), FILE_NAME], requestBody: UPLOAD }
    : defined
  const { operationId } = operation
  const body = operation.requestBody
  return {
    ...operation,
    parameters: (operation.parameters ?? []).map(parameter),
    ...(body === undefined
      ? {}
      : { requestBody: { ...body, content: withExample(body.content, REQUESTS[operationId]) } }),
    responses: mapValues(operation.responses, (response, status) => answer(operationId, status, response))
  }
}

const parameter = (one: Json): Json => {
  const name = String(one.name)
  if (one.in === "query" && QUERY_TYPES[name] !== undefined) return { ...one, schema: QUERY_TYPES[name] }
  return one.in === "path" && PATH_EXAMPLES[name] !== undefined ? { ...one, example: PATH_EXAMPLES[name] } : one
}

const answer = (operationId: string, status: string, response: Operation["responses"][string]) => {
  const isGood = status.startsWith("2")
  const headers = { ...EVERY, ...OF_STATUS[status], ...(isGood ? OF_OPERATION[operationId] : {}) }
  const { content } = response
  const example = isGood ? ANSWERS[operationId] : undefined
  return { ...response, headers, ...(content === undefined ? {} : { content: withExample(content, example) }) }
}

const withExample = (content: Record<string, Json>, example: unknown): Record<string, Json> =>
  example === undefined
    ? content
    : mapValues(content, (media, type) => (type.endsWith("json") ? { ...media, example } : media))

const inQuery = (name: string, description: string, schema: Json = { type: "string" }) => ({
  name,
  in: "query",
  required: false,
  description,
  schema
})

/** As https://specs.ipfs.tech/http-gateways/trustless-gateway/ names them. */
const GATEWAY_QUERY: ReadonlyArray<Json> = [
  inQuery("format", "The block, the graph, or an asset tree; without it the file", {
    type: "string",
    enum: ["raw", "car", "dag-json", "json"]
  }),
  inQuery(
    "dag-scope",
    "Of a CAR: the root alone, what it takes to read the file or list the folder, or the whole graph",
    {
      type: "string",
      enum: ["block", "entity", "all"],
      default: "all"
    }
  ),
  inQuery(
    "entity-bytes",
    "Of a CAR: only the blocks of these bytes of the file, both ends counted, such as `0:1023` or `-1024:*`",
    {
      type: "string",
      pattern: "^-?[0-9]{1,15}:(-?[0-9]{1,15}|[*])$"
    }
  ),
  inQuery("car-version", "Of a CAR", { type: "string", enum: ["1"] }),
  inQuery("car-order", "Of a CAR: its order of blocks, `unk` for any", { type: "string", enum: ["dfs", "unk"] }),
  inQuery("car-dups", "Of a CAR: whether a block that occurs again is sent again", {
    type: "string",
    enum: ["y", "n"]
  }),
  inQuery("filename", "What to call it when it is saved"),
  inQuery("download", "`true`: to be saved, not shown", { type: "boolean" })
]

const BELOW = {
  name: "path",
  in: "path",
  required: true,
  description: "Names in folders, or members of dag-json that are links, with `/` between",
  schema: { type: "string" },
  example: "photos/cat.jpg"
}

const BELOW_SUMMARIES: Readonly<Record<string, string>> = {
  ipfs: "Content below a CID",
  ipfsHead: "Whether content below a CID is here, and how large it is"
}

/** The same below a CID; only there a path can end inside of a block. */
const gatewayPaths = (path: string, methods: Record<string, Operation>) => {
  const root = mapValues(methods, (one): Operation => {
    const { "501": _, ...responses } = one.responses
    return { ...one, responses }
  })
  const below = mapValues(methods, (one): Operation => {
    const [cid, ...others] = one.parameters ?? []
    return {
      ...one,
      operationId: one.operationId.replace("ipfs", "ipfsPath"),
      summary: BELOW_SUMMARIES[one.operationId] ?? one.summary,
      parameters: [...(cid === undefined ? [] : [cid]), BELOW, ...others]
    }
  })
  return [
    [path, root],
    [`${path}/{path}`, below]
  ] as const
}

/** Content is given in ranges, not again to whoever has it, and as its headers alone. */
const gatewayMethods = (methods: Record<string, Operation>): Record<string, Operation> => {
  const get = methods.get === undefined ? undefined : finished(methods.get)
  if (get === undefined) return mapValues(methods, finished)
  const asked = (name: string, description: string) => ({ name, in: "header", required: false, ...header(description) })
  const parameters = [
    ...(get.parameters ?? []),
    ...GATEWAY_QUERY,
    asked("Accept", "A form, as by `format`, which goes before it"),
    asked("Cache-Control", "`only-if-cached`: what is not here is 412"),
    asked("Range", "A range of the file's bytes, such as `bytes=0-1023`; answered with 206"),
    asked("If-Range", "The ETag that the range is of; of another file all is answered"),
    asked("If-None-Match", "ETags that are here already; answered with 304")
  ]
  const { "200": whole, ...problems } = get.responses
  const headers = { ...EVERY, ...CONTENT }
  const ranged = { ...headers, "Content-Range": header("Which bytes of how many, such as `bytes 0-1023/146515`") }
  const unchanged = { description: "Not changed: what If-None-Match named is what there is", headers }
  return {
    ...mapValues(methods, finished),
    get: {
      ...get,
      parameters,
      responses: {
        "200": { description: "The content", ...whole },
        "206": { ...whole, description: "The range that was asked for", headers: ranged },
        "304": unchanged,
        ...problems
      }
    },
    head: {
      ...get,
      operationId: "ipfsHead",
      summary: "Whether content is here, and how large it is",
      parameters: parameters.filter(({ name }) => name !== "Range" && name !== "If-Range"),
      responses: {
        "200": { description: "It is here", headers: { ...headers, "Content-Length": header("Its bytes", "integer") } },
        "304": unchanged,
        ...mapValues(problems, ({ content: _, ...response }) => response)
      }
    }
  }
}
