/**
 * Calls of the daemon, and of nothing else. The session is a cookie that this program cannot read; what the daemon told it for this page
 * (`csrf`) is kept in memory alone and goes with every call.
 */

/** Who is signed in. */
export interface Session {
  readonly account: {
    readonly id: string
    readonly name: string
    readonly serviceName: string
    readonly wallet: string
  }
  readonly csrf: string
}

/** A call that did not end well, as the daemon told it (RFC 9457); `unreachable` when it did not answer at all. */
export class Problem extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, detail: string) {
    super(detail)
    this.status = status
    this.code = code
  }
}

let csrf: string | undefined
let onOver: () => void = () => undefined

/** Calls back when a call finds that the session is over. */
export const whenOver = (callback: () => void): void => {
  onOver = callback
}

interface Call {
  readonly method?: "GET" | "POST"
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const problemOf = async (answer: Response): Promise<Problem> => {
  try {
    const { code, detail, errors } = (await answer.json()) as {
      readonly code: string
      readonly detail: string
      readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
    }
    const fields = (errors ?? []).map(({ message, path }) => `${path.slice(1)} ${message}.`)
    return new Problem(answer.status, code, [detail, ...fields].join(" "))
  } catch {
    return new Problem(answer.status, "unreadable", answer.statusText)
  }
}

/** The answer of a call that ended well; throws a {@link Problem}. */
export const answerTo = async (
  path: string,
  { method = "GET", body, headers = {}, signal }: Call = {}
): Promise<Response> => {
  const isJson = body !== undefined && !(body instanceof Blob) && !(body instanceof FormData)
  const answer = await fetch(path, {
    method,
    headers: {
      ...(csrf === undefined ? {} : { "treemark-csrf": csrf }),
      ...(isJson ? { "content-type": "application/json" } : {}),
      ...headers
    },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as Blob | FormData) }),
    ...(signal === undefined ? {} : { signal }),
    credentials: "same-origin",
    redirect: "error",
    cache: "no-store"
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error
    throw new Problem(0, "unreachable", "")
  })
  if (answer.ok) return answer
  const problem = await problemOf(answer)
  if (problem.code === "session_over" || problem.code === "missing_token") onOver()
  throw problem
}

export const ask = async <A>(path: string, call?: Call): Promise<A> => (await (await answerTo(path, call)).json()) as A

const taken = (session: Session): Session => {
  csrf = session.csrf
  return session
}

/** The session that this browser has; undefined when it has none. */
export const currentSession = async (): Promise<Session | undefined> => {
  try {
    return taken(await ask<Session>("/console/session"))
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return undefined
    throw error
  }
}

export const signIn = async (code: string): Promise<Session> =>
  taken(await ask<Session>("/console/session", { method: "POST", body: { code } }))

export const signOut = async (everywhere: boolean): Promise<void> => {
  await answerTo("/console/session/end", { method: "POST", body: { everywhere } })
  csrf = undefined
}
