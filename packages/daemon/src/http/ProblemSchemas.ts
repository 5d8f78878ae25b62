/** Problems as the OpenAPI document shows them: one schema per status, with the codes that an operation can answer. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { PROBLEMS, type ProblemBody, type ProblemCode, problemType } from "./ApiErrors.ts"

const FieldError = Schema.Struct({
  path: Schema.String.annotate({ description: "JSON Pointer (RFC 6901) of the field" }),
  message: Schema.String.annotate({ description: "What would be right" })
})

/** Answered by every path, whatever is asked. */
const ANYWHERE = [
  "host_not_allowed",
  "origin_not_allowed",
  "method_not_allowed",
  "expectation_failed",
  "too_many_requests",
  "headers_too_large",
  "internal",
  "not_ready",
  "overloaded"
] as const

/** Answered where a token is needed. */
export const TOKEN_PROBLEMS = [
  "missing_token",
  "invalid_token",
  "session_over",
  "account_disabled",
  "scope_missing",
  "storage_unavailable"
] as const

/** Answered where the body is JSON. */
export const BODY_PROBLEMS = [
  "bad_request",
  "malformed_json",
  "invalid_fields",
  "request_timeout",
  "payload_too_large",
  "unsupported_media_type"
] as const

/** Answered by calls that are charged. */
export const CHARGE_PROBLEMS = [
  "insufficient_funds",
  "spending_limit_reached",
  "idempotency_key_in_use",
  "idempotency_key_reused",
  "ledger_unavailable"
] as const

/** The error answers of an endpoint: those of every path, and `codes`. */
export const problems = (codes: ReadonlyArray<ProblemCode>) => {
  const byStatus = Map.groupBy([...ANYWHERE, ...codes], (code) => PROBLEMS[code].status)
  return [...byStatus].sort(([a], [b]) => a - b).map(([status, same]) => schemaOf(status, [...new Set(same)]))
}

const schemaOf = (status: number, codes: ReadonlyArray<ProblemCode>): Schema.Codec<ProblemBody> =>
  Schema.Struct({
    type: Schema.Literals(codes.map(problemType)),
    title: Schema.String,
    status: Schema.Literal(status),
    detail: Schema.String.annotate({ description: "What happened, what it means, what to do" }),
    code: Schema.Literals(codes).annotate({ description: "Stable; what programs read" }),
    requestId: Schema.String.annotate({ description: "Also in the header X-Request-Id and in the daemon's log" }),
    commitId: Schema.optionalKey(
      Schema.String.annotate({ description: "Of commit_pending: GET /commits/{id} tells where that commit stands" })
    ),
    errors: Schema.optionalKey(Schema.Array(FieldError))
  })
    .annotate({ description: codes.map((code) => `${code}: ${PROBLEMS[code].title}`).join(". ") })
    .pipe(HttpApiSchema.status(status), HttpApiSchema.asJson({ contentType: "application/problem+json" }))
