/** How a problem becomes an answer: `application/problem+json` (RFC 9457) with the id of the request it belongs to. */
import { randomUUID } from "node:crypto"
import { LedgerUnavailable } from "@treemark/core"
import { Context, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import {
  type ApiError,
  type ApiProblem,
  type FailureOf,
  PROBLEMS,
  type ProblemBody,
  type ProblemCode,
  problemBody,
  problemOf
} from "../ApiErrors.ts"
import type { AnywhereCode, Problems } from "../ProblemSchemas.ts"

/** The id of the request that runs: in every answer's `X-Request-Id`, in every problem, and on every line of the log. */
export const RequestId = Context.Reference<string>("@treemark/daemon/http/edge/RequestId", {
  defaultValue: () => "none"
})

/** A new id: `req_` and a random UUID without dashes. */
export const makeRequestId = (): string => `req_${randomUUID().replaceAll("-", "")}`

export const PROBLEM_TYPE = "application/problem+json"

/** Headers that belong to a status whatever the problem. */
const STATUS_HEADERS: { readonly [status: number]: { readonly [name: string]: string } } = {
  401: { "www-authenticate": 'token realm="treemark"' },
  408: { connection: "close" },
  413: { connection: "close" }
}

/** The answer for a problem; of an operation it is encoded as that has it. */
export const problemResponse = Effect.fnUntraced(function* (
  problem: ApiProblem,
  encode: (body: ProblemBody) => Effect.Effect<ProblemBody> = Effect.succeed
) {
  const { status } = PROBLEMS[problem.code]
  return HttpServerResponse.jsonUnsafe(yield* encode(problemBody(problem, yield* RequestId)), {
    status,
    contentType: PROBLEM_TYPE,
    headers: { ...STATUS_HEADERS[status], ...problem.headers }
  })
})

/** The answer that the table names for `error`. What is the service's own fault is logged. */
export const refuse = (
  error: ApiError,
  encode?: (body: ProblemBody) => Effect.Effect<ProblemBody>
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const problem = problemOf(error)
  const answer = problemResponse(problem, encode)
  return PROBLEMS[problem.code].status >= 500 ? Effect.andThen(Effect.logError(error.message, error), answer) : answer
}

/** Ends the work behind an address that is no operation: each of its failures becomes its answer. */
export const refusing = <A, E extends ApiError, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> => Effect.catch(self, (error) => refuse(error))

/** Ends an operation: each of its failures becomes its answer, and has to be one of `problems`. */
export const refusingAs =
  <Code extends ProblemCode>({ encode }: Problems<Code>) =>
  <A, E extends FailureOf<Code | AnywhereCode>, R>(
    self: Effect.Effect<A, E, R>
  ): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> =>
    Effect.catch(self, (error) => refuse(error, encode))

/** Of a charged call that ended with the ledger's refusal: by then what was held for it is given back, and its caller is told so. */
export const nothingCharged = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.mapError(self, (error) =>
    error instanceof LedgerUnavailable
      ? (new LedgerUnavailable({
          network: error.network,
          reason: `${error.reason} Nothing was recorded and nothing was charged.`
        }) as E & LedgerUnavailable)
      : error
  )
