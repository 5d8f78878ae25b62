/**
 * JSON-RPC 2.0 for callers from outside, over a body that has been parsed already: single requests, batches, notifications. Answers are
 * text, because results come as text from the thread that makes them. Every failure becomes an error object.
 * https://www.jsonrpc.org/specification
 */
import { LIMITS, type OutsideRequest } from "./OutsideQueue.ts"
import { invalidRequest, limitExceeded, methodNotFound, partsOf } from "./RpcError.ts"

/** Answers one call in JSON text; rejects with an `RpcError`. */
export type Answer = (method: string, params: unknown, request: OutsideRequest) => Promise<string>

export interface OutsideCaller {
  /** Who asks: an address or a token. */
  readonly caller: string
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

const MAX_BATCH = 100

/** Methods that spend from the faucet or write files are the daemon's own. */
const PRIVATE_PREFIX = "treemark_"

type Id = string | number | null

const failure = (id: Id, error: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, error: partsOf(error) })

const isId = (id: unknown): id is Id => id === null || typeof id === "string" || typeof id === "number"

const one = async (answer: Answer, body: unknown, request: OutsideRequest): Promise<string | undefined> => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return failure(null, invalidRequest("invalid request: want an object with jsonrpc, id, method and params"))
  }
  const { id, jsonrpc, method, params } = body as Readonly<Record<string, unknown>>
  if (id !== undefined && !isId(id))
    return failure(null, invalidRequest("invalid request: id must be text or a number"))
  if (jsonrpc !== "2.0" || typeof method !== "string") {
    return failure(id ?? null, invalidRequest('invalid request: want jsonrpc "2.0" and a method name'))
  }
  const answered = await (method.startsWith(PRIVATE_PREFIX)
    ? Promise.reject(methodNotFound(method))
    : answer(method, params, request)
  ).then(
    (result) => {
      request.characters += result.length
      return request.characters > LIMITS.answer
        ? failure(
            id ?? null,
            limitExceeded(`the answers are longer than ${LIMITS.answer} characters; ask for less at once`)
          )
        : `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"result":${result}}`
    },
    (error: unknown) => failure(id ?? null, error)
  )
  return id === undefined ? undefined : answered
}

/**
 * Answers a parsed JSON-RPC body; `undefined` when it asks for no answer (notifications only). A batch holds at most
 * 100 requests, which are answered in their order.
 */
export const handleJsonRpc = async (
  answer: Answer,
  body: unknown,
  caller: OutsideCaller
): Promise<string | undefined> => {
  const request: OutsideRequest = { ...caller, spentMillis: 0, characters: 0 }
  if (!Array.isArray(body)) return one(answer, body, request)
  if (body.length === 0) return failure(null, invalidRequest("empty batch"))
  if (body.length > MAX_BATCH)
    return failure(null, invalidRequest(`batch too large: ${body.length}, want at most ${MAX_BATCH}`))
  const answers = await Promise.all(body.map((item) => one(answer, item, request)))
  const wanted = answers.filter((text) => text !== undefined)
  return wanted.length === 0 ? undefined : `[${wanted.join(",")}]`
}
