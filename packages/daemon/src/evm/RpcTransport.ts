/**
 * JSON-RPC 2.0 over HTTP as an EIP-1193 `request` function: a timeout per try, and a few more tries where trying again is safe.
 * Reads are repeated on 429 and 503 (after `Retry-After`), other 5xx, resets and timeouts. A send is repeated only on 429, which says that
 * it was not looked at; else whoever sends decides. A URL may hold a key, so texts name the host only.
 */
import { Duration, Effect, Random, Redacted, Result, Schema } from "effect"
import { RpcFailure } from "./RpcFailure.ts"

/** EIP-1193. Rejects with {@link RpcFailure}, or with an error that has `code` and `message` where another party provides it. */
export type Request = (call: { readonly method: string; readonly params?: unknown }) => Promise<unknown>

export interface HttpRpcOptions {
  readonly network: string
  readonly url: Redacted.Redacted<string>
  /** For each try; 10 s by default. */
  readonly timeout?: Duration.Duration
  /** Further tries of a read, and of a send that a busy node turned away; 3 by default. */
  readonly retries?: number
}

const FIRST_PAUSE_MS = 100
/** A node that asks for a longer pause is answered for with a failure at once. */
const LONGEST_PAUSE_MS = 5_000
/** The request never left: nobody was there to take it. */
const NOT_CONNECTED = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT"
]

const Answer = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({
      error: Schema.Struct({ code: Schema.Number, message: Schema.String, data: Schema.optional(Schema.Unknown) })
    }),
    Schema.Struct({ result: Schema.Unknown })
  ])
)
const decodeAnswer = Schema.decodeUnknownResult(Answer)

/** A failed try; `pauseMs` is how long to wait at least before another one, undefined when another one cannot help. */
interface FailedTry {
  readonly failure: RpcFailure
  readonly pauseMs: number | undefined
  /** The node turned the request away unseen, because it has too many. */
  readonly isTurnedAway?: boolean
}

/** A `request` over HTTP. `url` is an absolute http(s) URL; user and password in it are sent as Basic authentication. */
export const httpRequest = (options: HttpRpcOptions): Request => {
  const { network, retries = 3, timeout = Duration.seconds(10) } = options
  const node = new URL(Redacted.value(options.url))
  const headers = headersFor(node)
  const endpoint = new URL(node)
  endpoint.username = ""
  endpoint.password = ""
  let lastId = 0

  const failed = (outcome: RpcFailure["outcome"], detail: string, pauseMs?: number): FailedTry => ({
    failure: new RpcFailure({ network, outcome, detail: `the node at ${node.host} ${detail}` }),
    pauseMs
  })

  const once = (body: string): Effect.Effect<unknown, FailedTry> =>
    Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(endpoint, { method: "POST", headers, body, signal, redirect: "error" })
        return { status: response.status, retryAfter: response.headers.get("retry-after"), text: await response.text() }
      },
      catch: (error) => {
        const code = codeOf(error)
        return NOT_CONNECTED.includes(code)
          ? failed("not-sent", `cannot be reached (${code}).`, 0)
          : failed("unknown", `broke the connection off (${code}).`, 0)
      }
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.fail(failed("unknown", `did not answer within ${Duration.format(timeout)}.`, 0))
      }),
      Effect.flatMap(({ status, retryAfter, text }) => {
        const answer = Result.getOrUndefined(decodeAnswer(text))
        if (answer !== undefined && "error" in answer) {
          const { code, data, message } = answer.error
          const failure = new RpcFailure({ network, outcome: "refused", code, data, detail: message })
          const isTurnedAway = status === 429 || code === 429
          return Effect.fail({ failure, pauseMs: isTurnedAway ? pauseOf(retryAfter) : undefined, isTurnedAway })
        }
        if (status === 429) {
          const busy = failed("not-sent", "asks for fewer requests (HTTP 429): try again later.", pauseOf(retryAfter))
          return Effect.fail({ ...busy, isTurnedAway: true })
        }
        if (status === 413)
          return Effect.fail(failed("refused", "answered HTTP 413: it was asked for too much at once."))
        if (status >= 500) return Effect.fail(failed("unknown", `answered HTTP ${status}.`, pauseOf(retryAfter)))
        if (status !== 200) {
          return Effect.fail(failed("not-sent", `answered HTTP ${status}: check the network's rpc URL and its key.`))
        }
        return answer === undefined
          ? Effect.fail(failed("unknown", "answered with something that is not JSON-RPC: check the network's rpc URL."))
          : Effect.succeed(answer.result)
      })
    )

  const call = Effect.fnUntraced(function* (method: string, params: unknown) {
    const isSend = method.startsWith("eth_send")
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params: params ?? [] })
    for (let made = 1; ; made++) {
      const result = yield* Effect.result(once(body))
      if (Result.isSuccess(result)) return result.success
      const { failure, isTurnedAway = false, pauseMs } = result.failure
      const isFinal = made > retries || (isSend && !isTurnedAway)
      if (pauseMs === undefined || pauseMs > LONGEST_PAUSE_MS || isFinal) return yield* failure
      const backoff = FIRST_PAUSE_MS * 2 ** (made - 1) * (0.5 + (yield* Random.next))
      yield* Effect.sleep(Duration.millis(Math.max(pauseMs, backoff)))
    }
  })
  return ({ method, params }) => Effect.runPromise(call(method, params))
}

/**
 * `request` that asks for the chain id before anything else, once: with another chain every call is refused as `wrong-chain`.
 * A failed question is asked again with the next call, and counts as `not-sent` for the call that waited for it.
 */
export const onChain = (network: string, chainId: number, request: Request): Request => {
  let checked: Promise<void> | undefined
  const check = async (): Promise<void> => {
    try {
      const served = Number(await request({ method: "eth_chainId" }))
      if (served === chainId) return
      throw new RpcFailure({
        network,
        outcome: "wrong-chain",
        detail: `its node serves chain ${served}, and the profile says chain ${chainId}. Correct the rpc URL or the chain id in the settings.`
      })
    } catch (error) {
      checked = undefined
      const { detail, outcome } = asFailure(network, error)
      throw new RpcFailure({ network, outcome: outcome === "wrong-chain" ? outcome : "not-sent", detail })
    }
  }
  return async (call) => {
    checked ??= check()
    await checked
    try {
      return await request(call)
    } catch (error) {
      throw asFailure(network, error)
    }
  }
}

/** EIP-1193: disconnected from all chains, or from this one. */
const DISCONNECTED = [4900, 4901]

const asFailure = (network: string, error: unknown): RpcFailure => {
  if (error instanceof RpcFailure) return error
  const { code, data, message } = error as {
    readonly code?: unknown
    readonly data?: unknown
    readonly message?: string
  }
  const detail = message ?? String(error)
  if (typeof code !== "number") return new RpcFailure({ network, outcome: "unknown", detail })
  return new RpcFailure({ network, outcome: DISCONNECTED.includes(code) ? "unknown" : "refused", code, data, detail })
}

const headersFor = (node: URL): Record<string, string> => {
  const headers: Record<string, string> = { "content-type": "application/json", accept: "application/json" }
  if (node.username === "" && node.password === "") return headers
  const credentials = `${decodeURIComponent(node.username)}:${decodeURIComponent(node.password)}`
  return { ...headers, authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }
}

/** The system's code under an error of fetch. */
const codeOf = (error: unknown): string => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { readonly code?: unknown }
    if (typeof code === "string") return code
  }
  return error instanceof Error ? error.name : "unknown cause"
}

/** `Retry-After` in seconds as milliseconds; 0 without one. A date (the header's other form) is read as no wish. */
const pauseOf = (retryAfter: string | null): number =>
  retryAfter !== null && /^\d+$/u.test(retryAfter) ? Number(retryAfter) * 1_000 : 0
