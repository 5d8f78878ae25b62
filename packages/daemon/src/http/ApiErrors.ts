/**
 * The one table from error to HTTP answer (decisions.md, section 7). Every answer of status 400 and above is a problem of
 * RFC 9457; `code` is stable and is what programs read, `detail` is for the person who looks at it.
 */
import type {
  CommitError,
  FieldProblem,
  IdempotencyKeyInUse,
  InsufficientFunds,
  LedgerUnavailable,
  MalformedJson,
  SpendingLimitReached,
  StorageUnavailable
} from "@treemark/core"
import { Schema } from "effect"
import type { AccountDisabled, InvalidToken } from "../accounts/AccessTokens.ts"
import type { AccountNotFound } from "../accounts/Accounts.ts"
import type { PairingUnknown } from "../accounts/Pairing.ts"
import type { ScopeMissing } from "../accounts/Scopes.ts"
import type { CodeRefused, SessionOver } from "../accounts/Sessions.ts"
import type { IdempotencyKeyReused } from "../books/Idempotency.ts"
import type { RegistrationConflict } from "../content/Assets.ts"
import type { GatewayError } from "../content/Gateway.ts"
import type { StorageQuotaReached } from "../content/StorageQuota.ts"

/** Every code with its status and its title. */
export const PROBLEMS = {
  bad_request: { status: 400, title: "The request is not well-formed HTTP" },
  malformed_json: { status: 400, title: "The body is not valid JSON" },
  invalid_fields: { status: 400, title: "Fields of the request break rules" },
  asset_not_registered: { status: 400, title: "The asset is not registered" },
  missing_token: { status: 401, title: "An access token is needed" },
  invalid_token: { status: 401, title: "The access token is not valid" },
  session_over: { status: 401, title: "The console's session is over" },
  code_refused: { status: 401, title: "The sign-in code does not work" },
  insufficient_funds: { status: 403, title: "Neither credits nor tokens cover the call" },
  spending_limit_reached: { status: 403, title: "The token's limit for the day is reached" },
  account_disabled: { status: 403, title: "The account is disabled" },
  scope_missing: { status: 403, title: "The token may not do this" },
  host_not_allowed: { status: 403, title: "The Host is not served" },
  origin_not_allowed: { status: 403, title: "The Origin may not call" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  request_timeout: { status: 408, title: "The request came too slowly" },
  idempotency_key_in_use: { status: 409, title: "A call with this Idempotency-Key is still running" },
  registration_conflict: { status: 409, title: "The asset is registered with another sha256" },
  not_cached: { status: 412, title: "Only what is here was asked for, and it is not" },
  payload_too_large: { status: 413, title: "The body is too large" },
  storage_quota_reached: { status: 413, title: "The account has no room for the file" },
  unsupported_media_type: { status: 415, title: "The Content-Type is not supported" },
  range_not_satisfiable: { status: 416, title: "The range is outside the content" },
  expectation_failed: { status: 417, title: "The expectation is not supported" },
  idempotency_key_reused: { status: 422, title: "The Idempotency-Key was used with another body" },
  too_many_requests: { status: 429, title: "Too many requests" },
  headers_too_large: { status: 431, title: "The request's headers are too large" },
  ledger_unavailable: { status: 500, title: "The ledger did not answer as needed" },
  storage_unavailable: { status: 500, title: "The store cannot be used" },
  commit_pending: { status: 500, title: "The outcome of the commit is not known yet" },
  internal: { status: 500, title: "An error of the service" },
  not_implemented: { status: 501, title: "The path leads where no gateway answers" },
  not_ready: { status: 503, title: "Not all operations can be served" },
  overloaded: { status: 503, title: "Too many calls wait" }
} as const satisfies { readonly [code: string]: { readonly status: number; readonly title: string } }

export type ProblemCode = keyof typeof PROBLEMS

/** A problem before it is written: what differs from call to call. */
export interface ApiProblem {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors?: ReadonlyArray<Pick<FieldProblem, "path" | "message">>
  readonly headers?: { readonly [name: string]: string }
  /** Of `commit_pending`: `GET /commits/{id}` tells where that commit stands. */
  readonly commitId?: string
}

const RefusedFields = {
  code: Schema.Literals(Object.keys(PROBLEMS) as ReadonlyArray<ProblemCode>),
  detail: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String).pipe(Schema.optionalKey)
}

/** The edge refuses a request before any use case sees it. Its type says with which code, so that an operation's answers can be told from it. */
export class Refused<Code extends ProblemCode = ProblemCode> extends Schema.TaggedError<Refused>()(
  "Refused",
  RefusedFields
) {
  declare readonly code: Code

  constructor(problem: Omit<ApiProblem, "errors" | "commitId"> & { readonly code: Code }) {
    super(problem)
  }

  override get message() {
    return this.detail
  }
}

/** Every failure that an operation can end with. */
export type ApiError =
  | Refused
  | CommitError
  | InsufficientFunds
  | SpendingLimitReached
  | MalformedJson
  | InvalidToken
  | AccountDisabled
  | AccountNotFound
  | CodeRefused
  | SessionOver
  | PairingUnknown
  | ScopeMissing
  | IdempotencyKeyInUse
  | IdempotencyKeyReused
  | RegistrationConflict
  | StorageQuotaReached
  | LedgerUnavailable
  | StorageUnavailable
  | GatewayError

const CODES = {
  InvalidFields: "invalid_fields",
  AssetNotRegistered: "asset_not_registered",
  InsufficientFunds: "insufficient_funds",
  SpendingLimitReached: "spending_limit_reached",
  SignerUnavailable: "internal",
  LedgerUnavailable: "ledger_unavailable",
  CommitPending: "commit_pending",
  StorageUnavailable: "storage_unavailable",
  MalformedJson: "malformed_json",
  InvalidToken: "invalid_token",
  AccountDisabled: "account_disabled",
  AccountNotFound: "invalid_token",
  CodeRefused: "code_refused",
  SessionOver: "session_over",
  PairingUnknown: "not_found",
  ScopeMissing: "scope_missing",
  IdempotencyKeyInUse: "idempotency_key_in_use",
  IdempotencyKeyReused: "idempotency_key_reused",
  RegistrationConflict: "registration_conflict",
  StorageQuotaReached: "storage_quota_reached",
  NotACid: "invalid_fields",
  UnsupportedHash: "invalid_fields",
  UnsupportedFormat: "invalid_fields",
  BlockNotFound: "not_found",
  NotCached: "not_cached",
  PathNotFound: "not_found",
  PathInsideBlock: "not_implemented",
  RangeNotSatisfiable: "range_not_satisfiable"
} as const satisfies { readonly [tag in Exclude<ApiError["_tag"], "Refused">]: ProblemCode }

/** The failures that become problems of these codes. */
export type FailureOf<Code extends ProblemCode> =
  | Refused<Code>
  | Extract<
      ApiError,
      {
        readonly _tag: {
          [Tag in keyof typeof CODES]: (typeof CODES)[Tag] extends Code ? Tag : never
        }[keyof typeof CODES]
      }
    >

/** The table: which problem an error is. Messages of these errors are written for callers and hold no secret. */
export const problemOf = (error: ApiError): ApiProblem => {
  switch (error._tag) {
    case "Refused":
      return error
    case "InvalidFields":
      return { code: "invalid_fields", detail: error.message, errors: error.problems }
    case "CommitPending":
      return { code: "commit_pending", detail: error.message, commitId: error.commitId }
    case "NotACid":
    case "UnsupportedHash":
      return invalid("/cid", error.message)
    case "UnsupportedFormat":
      return invalid(`/${error.parameter}`, error.message)
    case "RangeNotSatisfiable":
      return {
        code: "range_not_satisfiable",
        detail: error.message,
        headers: { "content-range": `bytes */${error.size}` }
      }
    default:
      return { code: CODES[error._tag], detail: error.message }
  }
}

const invalid = (path: string, message: string): ApiProblem => ({
  code: "invalid_fields",
  detail: message,
  errors: [{ path, message }]
})

/** URI of a problem's type: `urn:treemark:problem:insufficient_funds`. */
export const problemType = (code: ProblemCode): string => `urn:treemark:problem:${code}`

/** The JSON of an answer of status 400 and above. */
export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ProblemCode
  readonly requestId: string
  readonly commitId?: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

/** Writes a problem of the request `requestId`. */
export const problemBody = ({ code, commitId, detail, errors }: ApiProblem, requestId: string): ProblemBody => ({
  type: problemType(code),
  title: PROBLEMS[code].title,
  status: PROBLEMS[code].status,
  detail,
  code,
  requestId,
  ...(commitId === undefined ? {} : { commitId }),
  ...(errors === undefined ? {} : { errors: errors.map(({ path, message }) => ({ path, message })) })
})
