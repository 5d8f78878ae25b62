/** The one error of the client: what the daemon refused, or that it could not be reached. */

/** A field that breaks a rule: its place as a JSON pointer, and what would be right. */
export interface FieldError {
  readonly path: string
  readonly message: string
}

interface Details {
  readonly status: number
  readonly code: string
  readonly errors?: ReadonlyArray<FieldError> | undefined
  readonly requestId?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly cause?: unknown
}

/** Why a call failed: what the daemon said, or that it did not answer (`status` 0). `code` never changes and is what programs read. */
export class TreemarkError extends Error {
  override readonly name = "TreemarkError"
  /** Of the answer; 0 where none came. */
  readonly status: number
  /** Stable: one of those in docs/http-api.md, `unreachable` where no answer came, `not_treemark` where the answer is not a daemon's. */
  readonly code: string
  readonly errors: ReadonlyArray<FieldError>
  /** By it the daemon's log has this call. */
  readonly requestId: string | undefined
  /** Of a paid call: call again with this key and the same body, and nothing is done or charged twice. */
  readonly idempotencyKey: string | undefined

  constructor(message: string, details: Details) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.status = details.status
    this.code = details.code
    this.errors = details.errors ?? []
    this.requestId = details.requestId
    this.idempotencyKey = details.idempotencyKey
  }
}

/** The error that an answer of status 400 or above stands for: a problem of RFC 9457, an error of OAuth (RFC 6749), or neither. */
export const errorOf = (response: Response, body: unknown, idempotencyKey?: string): TreemarkError => {
  const problem: { readonly [member: string]: unknown } = typeof body === "object" && body !== null ? { ...body } : {}
  const text = (name: string): string | undefined =>
    typeof problem[name] === "string" ? (problem[name] as string) : undefined
  const code = text("code") ?? text("error")
  const message =
    text("detail") ??
    text("error_description") ??
    code ??
    `Status ${response.status} from ${response.url}, and no problem of a Treemark daemon: is the address right, and is there a proxy before it?`
  return new TreemarkError(message, {
    status: response.status,
    code: code ?? "not_treemark",
    errors: Array.isArray(problem.errors) ? problem.errors : [],
    requestId: text("requestId") ?? response.headers.get("x-request-id") ?? undefined,
    idempotencyKey
  })
}
