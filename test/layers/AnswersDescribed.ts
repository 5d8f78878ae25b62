/**
 * In every test file, of both projects: what a daemon answers to this process is heard as it passes (Node tells of it, whichever client a test uses),
 * and a test that got an answer which the OpenAPI document does not describe fails. Answers of a daemon are known by their `x-request-id`.
 */
import { subscribe } from "node:diagnostics_channel"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import type { ClientRequest, IncomingMessage } from "node:http"
import { join } from "node:path"
import { afterAll, afterEach, assert } from "vitest"
import { BUILT } from "./Built.ts"
import { disagreement, type Heard, mediaType, type OpenApiDocument } from "./Described.ts"

const LARGEST_LOOKED_AT = 262_144
const ID = /^req_[0-9a-f]{32}$/

interface State {
  heard: Array<Heard>
  isListening: boolean
  document?: Promise<OpenApiDocument>
}

/** Kept for the whole process: files of one project share it, and each runs this module again. */
const KEPT = Symbol.for("treemark/test/answers")
const kept = globalThis as { [KEPT]?: State }
const state = kept[KEPT] ?? { heard: [], isListening: false }
kept[KEPT] = state

const isJson = (headers: Heard["headers"]) => mediaType(headers["content-type"])?.endsWith("json") === true

/** Collects the body of an answer as it passes; the one who reads it reads it as before. */
const makeBody = (headers: Heard["headers"]) => {
  let kept: Array<Uint8Array> | undefined = isJson(headers) ? [] : undefined
  let size = 0
  return {
    add: (chunk: Uint8Array) => {
      size += chunk.length
      if (size > LARGEST_LOOKED_AT) kept = undefined
      kept?.push(chunk)
    },
    text: () => (kept === undefined ? undefined : Buffer.concat(kept).toString("utf8"))
  }
}

/** Clients of node:http. */
const hearNode = (message: unknown): void => {
  const { request, response } = message as { request: ClientRequest; response: IncomingMessage }
  const { headers, statusCode = 0 } = response
  if (!ID.test(String(headers["x-request-id"]))) return
  const body = makeBody(headers)
  const push = response.push.bind(response)
  response.push = (chunk: Uint8Array | null, encoding?: BufferEncoding) => {
    if (chunk === null) {
      const { method, path: target } = request
      state.heard.push({ method, target, status: statusCode, headers, body: body.text() })
    } else body.add(chunk)
    return push(chunk, encoding)
  }
}

/** Clients of fetch. */
interface Fetched {
  readonly request: { readonly method: string; readonly path: string }
  readonly response: { readonly statusCode: number; readonly headers: ReadonlyArray<Buffer> }
  readonly chunk: Uint8Array
}
const fetched = new WeakMap<
  object,
  { readonly heard: Omit<Heard, "body">; readonly body: ReturnType<typeof makeBody> }
>()

const hearFetch = {
  "undici:request:headers": ({ request, response }: Fetched) => {
    const headers: Record<string, string> = {}
    for (let index = 0; index + 1 < response.headers.length; index += 2) {
      headers[String(response.headers[index]).toLowerCase()] = String(response.headers[index + 1])
    }
    if (!ID.test(String(headers["x-request-id"]))) return
    const heard = { method: request.method, target: request.path, status: response.statusCode, headers }
    fetched.set(request, { heard, body: makeBody(headers) })
  },
  "undici:request:bodyChunkReceived": ({ chunk, request }: Fetched) => fetched.get(request)?.body.add(chunk),
  "undici:request:trailers": ({ request }: Fetched) => {
    const found = fetched.get(request)
    if (found !== undefined) state.heard.push({ ...found.heard, body: found.body.text() })
  }
}

if (!state.isListening) {
  state.isListening = true
  subscribe("http.client.response.finish", hearNode)
  for (const [name, hear] of Object.entries(hearFetch)) subscribe(name, (message) => hear(message as Fetched))
}

/** Of the daemon that was built for this run; where none was, of the sources. */
const load = async (): Promise<OpenApiDocument> => {
  const built = join(process.env[BUILT] ?? "", "openapi.json")
  if (existsSync(built)) return JSON.parse(await readFile(built, "utf8"))
  const [{ OpenApi }, { TreemarkApi }] = await Promise.all([
    import("effect/http-api"),
    import("../../packages/daemon/src/http/TreemarkApi.ts")
  ])
  return OpenApi.fromApi(TreemarkApi) as unknown as OpenApiDocument
}

/** What the answers that were heard since the last look have against the document. */
export const disagreements = async (): Promise<ReadonlyArray<string>> => {
  const heard = state.heard.splice(0)
  if (heard.length === 0) return []
  state.document ??= load()
  const document = await state.document
  return heard.map((one) => disagreement(document, one)).filter((found) => found !== undefined)
}

const look = async () =>
  assert.deepStrictEqual(await disagreements(), [], "answers that the OpenAPI document describes")

afterEach(look)
afterAll(look)
