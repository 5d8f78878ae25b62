/**
 * JSON-RPC 2.0 over a body that has been parsed already: single requests, batches, notifications. Nothing here throws;
 * every failure becomes an error object. https://www.jsonrpc.org/specification
 */
import { invalidRequest, methodNotFound, RpcError } from "./RpcError.ts"

/** Answers one call; rejects with an error that has `code` and `message`. */
export type Request = (call: { readonly method: string; readonly params?: unknown }) => Promise<unknown>

export interface JsonRpcOptions {
  /** Whether `treemark_` methods, which spend from the faucet, are served; false for anything that comes over HTTP. */
  readonly allowPrivate: boolean
}

const MAX_BATCH = 100
const PRIVATE_PREFIX = "treemark_"

type Id = string | number | null

const failure = (id: Id, error: unknown) => {
  const { code, data, message } =
    error instanceof RpcError ? error : new RpcError(-32603, error instanceof Error ? error.message : String(error))
  return { jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } }
}

const isId = (id: unknown): id is Id => id === null || typeof id === "string" || typeof id === "number"

const one = async (request: Request, body: unknown, { allowPrivate }: JsonRpcOptions): Promise<unknown> => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return failure(null, invalidRequest("invalid request: want an object with jsonrpc, id, method and params"))
  }
  const { id, jsonrpc, method, params } = body as Readonly<Record<string, unknown>>
  if (id !== undefined && !isId(id))
    return failure(null, invalidRequest("invalid request: id must be text or a number"))
  if (jsonrpc !== "2.0" || typeof method !== "string") {
    return failure(id ?? null, invalidRequest('invalid request: want jsonrpc "2.0" and a method name'))
  }
  const answered = await (!allowPrivate && method.startsWith(PRIVATE_PREFIX)
    ? Promise.reject(methodNotFound(method))
    : request({ method, params })
  ).then(
    (result) => ({ jsonrpc: "2.0", id: id ?? null, result }),
    (error: unknown) => failure(id ?? null, error)
  )
  return id === undefined ? undefined : answered
}

/**
 * Answers a parsed JSON-RPC body; `undefined` when it asks for no answer (notifications only). A batch holds at most
 * 100 requests, which run side by side and are answered in their order.
 */
export const handleJsonRpc = async (request: Request, body: unknown, options: JsonRpcOptions): Promise<unknown> => {
  if (!Array.isArray(body)) return one(request, body, options)
  if (body.length === 0) return failure(null, invalidRequest("empty batch"))
  if (body.length > MAX_BATCH)
    return failure(null, invalidRequest(`batch too large: ${body.length}, want at most ${MAX_BATCH}`))
  const answers = await Promise.all(body.map((item) => one(request, item, options)))
  const wanted = answers.filter((answer) => answer !== undefined)
  return wanted.length === 0 ? undefined : wanted
}
