/**
 * The problems of an operation, said once: the OpenAPI document shows them, one schema per status with its codes; the operation's failures have
 * to be among them (its type says so, `edge/Problems`), and what it answers is encoded by the same schema.
 */
import { Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { PROBLEMS, type ProblemBody, type ProblemCode, problemType } from "./ApiErrors.ts"

const FieldError = Schema.Struct({
  path: Schema.String.annotate({ description: "JSON Pointer (RFC 6901) of the field" }),
  message: Schema.String.annotate({ description: "What would be right" })
})

/** Answered by every path, whatever is asked. */
const ANYWHERE = [
  "bad_request",
  "invalid_fields",
  "request_timeout",
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

/** What any operation may answer. */
export type AnywhereCode = (typeof ANYWHERE)[number]

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
  "malformed_json",
  "invalid_fields",
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

type ProblemSchema = Schema.Codec<ProblemBody>

/** The error answers of an operation: those of every path, and those with these codes. */
export interface Problems<Code extends ProblemCode> {
  readonly codes: ReadonlyArray<Code>
  readonly schemas: ReadonlyArray<ProblemSchema>
  /** The body of a problem as JSON has it; dies when the operation has no such problem. */
  readonly encode: (body: ProblemBody) => Effect.Effect<ProblemBody>
}

export const problemsOf = <const Code extends ProblemCode>(codes: ReadonlyArray<Code>): Problems<Code> => {
  const byStatus = Map.groupBy<number, ProblemCode>([...ANYWHERE, ...codes], (code) => PROBLEMS[code].status)
  const ordered = [...byStatus].sort(([a], [b]) => a - b)
  const schemas = new Map(ordered.map(([status, same]) => [status, schemaOf(status, [...new Set(same)])] as const))
  const encode = (body: ProblemBody) =>
    Effect.orDie(Schema.encodeEffect(schemas.get(body.status) ?? Schema.Never)(body as never))
  return { codes, schemas: [...schemas.values()], encode }
}

const schemaOf = (status: number, codes: ReadonlyArray<ProblemCode>): ProblemSchema =>
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
