/**
 * One call of a daemon, repeated while that is safe and may help: calls that change nothing, registrations (the same file gives the same
 * answer) and paid calls under their idempotency key. What the daemon says about when to come back (Retry-After) is kept to.
 */
import { errorOf, TreemarkError } from "./TreemarkError.ts"

export interface Connection {
  readonly url: string
  readonly token: string | undefined
  readonly fetch: typeof fetch
  /** Milliseconds for which a call is repeated, its first try included. */
  readonly patience: number
}

/** What any call may be given. */
export interface CallOptions {
  /** Ends the call; what a daemon has begun goes on. */
  readonly signal?: AbortSignal | undefined
}

export interface Call extends CallOptions {
  readonly method: "GET" | "POST"
  /** Below the daemon's address, with its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit | undefined
  readonly idempotencyKey?: string | undefined
  /** A body that is gone once it was sent. */
  readonly isOnce?: boolean
}

/** The JSON of an answer below 400. @throws TreemarkError; what `signal` was aborted with. */
export const call = async <A>(connection: Connection, asked: Call): Promise<A> => {
  const deadline = Date.now() + connection.patience
  for (let attempt = 1; ; attempt++) {
    const outcome = await once<A>(connection, asked)
    if ("answer" in outcome) return outcome.answer
    const wait = outcome.retryAfter ?? backoff(attempt)
    const isUseful = outcome.error.code in WAITED_FOR || attempt < MOST_ATTEMPTS
    if (asked.isOnce === true || !isWorthAnotherTry(outcome.error) || !isUseful || Date.now() + wait > deadline) {
      throw outcome.error
    }
    await pause(wait, asked.signal)
  }
}

type Outcome<A> = { readonly answer: A } | { readonly error: TreemarkError; readonly retryAfter?: number | undefined }

const once = async <A>({ fetch, token, url }: Connection, asked: Call): Promise<Outcome<A>> => {
  const { idempotencyKey, method, path, signal } = asked
  const headers = new Headers(asked.headers)
  if (token !== undefined) headers.set("authorization", `token ${token}`)
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey)
  let response: Response
  let body: unknown
  try {
    const init = { method, headers, body: asked.body ?? null, signal: signal ?? null }
    response = await fetch(`${url}${path}`, asked.isOnce === true ? ({ ...init, duplex: "half" } as RequestInit) : init)
    body = await jsonOf(response)
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason
    const message = `No answer from ${url}: is a daemon running there (npx @treemark/daemon status)?`
    return { error: new TreemarkError(message, { status: 0, code: "unreachable", idempotencyKey, cause }) }
  }
  if (response.ok && body !== undefined) return { answer: body as A }
  return { error: errorOf(response, body, idempotencyKey), retryAfter: retryAfterOf(response) }
}

/** `undefined` for what is no JSON. An answer that breaks off is thrown, as if none had come. */
const jsonOf = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Ends that are sure to come, however long they take: the ledger decides, another call with the key ends, the rate falls. */
const WAITED_FOR: Readonly<Record<string, true>> = {
  commit_pending: true,
  idempotency_key_in_use: true,
  too_many_requests: true,
  not_ready: true
}

const PASSING: Readonly<Record<string, true>> = {
  ...WAITED_FOR,
  unreachable: true,
  request_timeout: true,
  ledger_unavailable: true,
  storage_unavailable: true,
  internal: true
}

const isWorthAnotherTry = ({ code, status }: TreemarkError): boolean =>
  code in PASSING || (code === "not_treemark" && status >= 502)

const MOST_ATTEMPTS = 5

/** 0.2 s, then twice as long each time up to 5 s, each a little shorter by chance, so that clients do not come back all at once. */
const backoff = (attempt: number): number => Math.min(5_000, 200 * 2 ** (attempt - 1)) * (1 - Math.random() / 4)

/** Seconds or a date. */
const retryAfterOf = (response: Response): number | undefined => {
  const header = response.headers.get("retry-after")
  if (header === null) return undefined
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

/** @throws what `signal` was aborted with. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener("abort", stop, { once: true })
  })
