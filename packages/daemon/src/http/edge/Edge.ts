/**
 * The one middleware around every route of a listener: host and origin, rate, then the route; whatever comes out of it (nothing
 * found, wrong method, a bug) leaves as a whole answer with a request id and security headers.
 */
import { Cause, Clock, Effect, Option, type Types } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { AccessTokens } from "../../accounts/AccessTokens.ts"
import { Sessions } from "../../accounts/Sessions.ts"
import { makeShared } from "../../evm/Shared.ts"
import { note, requestSeconds, requests, shared as sharedAnswers } from "../../telemetry/Metrics.ts"
import { type ApiProblem, PROBLEMS, type ProblemCode, Refused } from "../ApiErrors.ts"
import { unknownPage, wantsPage } from "../console/UnknownPage.ts"
import { Admission } from "./Admission.ts"
import { classOf, isAlwaysAnswered, KnownCaller, sharedKey } from "./Classes.ts"
import { Allowed, guardProblem, PairedOrigins } from "./HostGuard.ts"
import { hasUnreadBody, hostHeaders, localPort } from "./NodeRequest.ts"
import { makeRequestId, problemResponse, RequestId, refuse, refusing } from "./Problems.ts"
import { RateLimit } from "./RateLimit.ts"
import { repeatedQuery } from "./RepeatedQuery.ts"
import { RouteIndex } from "./RouteIndex.ts"
import { Stopping } from "./Shutdown.ts"

type Answer = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest

/** `root`: the one path of this listener's routes that is served, at `/`; nothing else is there. */
export const edge = (options: { readonly root?: string } = {}) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const index = yield* RouteIndex
      const rateLimit = yield* RateLimit
      const allowed = yield* Allowed
      const paired = yield* PairedOrigins
      const { isStopping } = yield* Stopping
      const admission = yield* Admission
      const callers = { tokens: yield* AccessTokens, sessions: yield* Sessions }
      const shared = makeShared<Answer, Refused | Types.unhandled>()

      /** The origins whose pages may make this call: those of the settings, and its own if a tool of that origin was paired, or asks to be. */
      const originsOf = Effect.fnUntraced(function* ({ headers: { origin }, url }: Request) {
        if (origin === undefined || allowed.origins.includes(origin)) return allowed.origins
        const isAsking = options.root === undefined && PAIRING_PATHS.has(pathOf(url))
        return isAsking || (yield* paired.has(origin)) ? [...allowed.origins, origin] : allowed.origins
      })

      /** What stands between a request and its route. */
      const admit = Effect.fnUntraced(function* (request: Request, origins: ReadonlyArray<string>) {
        const [host, ...others] = hostHeaders(request)
        const guarded =
          others.length > 0
            ? twoHosts
            : guardProblem({ host, origin: request.headers.origin, port: localPort(request) }, { ...allowed, origins })
        if (guarded !== undefined) return yield* problemResponse(guarded)
        if (isStopping()) return yield* problemResponse(stopping)
        return yield* refusing(
          Effect.as(
            rateLimit.take(
              "address",
              Option.getOrElse(request.remoteAddress, () => "?")
            ),
            undefined
          )
        )
      })

      /** No route matched, or the body could not be read; everything else that fails here is a bug. */
      const recover = (
        request: Request,
        cause: Cause.Cause<Types.unhandled>
      ): Effect.Effect<Answer, Types.unhandled> => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
        const error: unknown = Cause.squash(cause)
        if (HttpServerResponse.isHttpServerResponse(error)) return Effect.succeed(error)
        if (HttpServerError.isHttpServerError(error)) {
          if (error.reason._tag === "RouteNotFound") return unrouted(request)
          if (error.reason._tag === "RequestParseError") return problemResponse(unreadable)
        }
        if (HttpApiError.HttpApiSchemaError.is(error) && error.kind === "Query") {
          return problemResponse(repeatedQuery(request.url))
        }
        return Effect.andThen(Effect.logError("A request failed by a bug.", cause), problemResponse(internal))
      }

      const unrouted = (request: Request): Effect.Effect<Answer> => {
        const allow = index.allow(request.url)
        if (allow === undefined) {
          if (wantsPage(request)) return Effect.succeed(unknownPage)
          // An address that would be known if it could be decoded.
          const isMistyped = index.allow(request.url.replaceAll("%", "_")) !== undefined
          return problemResponse(isMistyped ? badEncoding : notFound)
        }
        if (request.method === "OPTIONS") {
          return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { allow } }))
        }
        const detail = `${request.method} is not served at this address. Use ${allow.replaceAll(", ", " or ")}.`
        return problemResponse({ code: "method_not_allowed", detail, headers: { allow } })
      }

      /** The route, when its turn has come; one for all who ask the same at the same time. */
      const inTurn = Effect.fnUntraced(
        function* (request: Request, routed: Effect.Effect<Answer, Types.unhandled>) {
          const path = pathOf(request.url)
          if (isAlwaysAnswered(path)) return yield* routed
          const { kind, known, who } = yield* classOf(request, path, callers)
          const turn = admission.turn(kind, who, Effect.provideService(routed, KnownCaller, known))
          const key = sharedKey(request)
          if (key === undefined) return yield* turn
          const { isShared, value } = yield* shared.ask(key, turn)
          // A problem names the request it is of, and what is streamed can be read once.
          if (isShared && (value.status >= 400 || !isRepeatable(value))) return yield* turn
          if (isShared) note(sharedAnswers, 1)
          return value
        },
        Effect.catchIf(isRefused, refuse)
      )

      const told = (request: Request, sent: Answer, milliseconds: number) => {
        const operation = index.route(request.method, request.url) ?? "none"
        note(requests, 1, { operation, status: String(sent.status) })
        note(requestSeconds, milliseconds / 1000, { operation })
        return Effect.logDebug(`${request.method} ${pathOf(request.url)} ${sent.status} ${milliseconds} ms`)
      }

      return (route: Effect.Effect<Answer, Types.unhandled>) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const requestId = makeRequestId()
          const startedAt = yield* Clock.currentTimeMillis
          const origins = yield* originsOf(request)
          const asked = options.root === undefined ? request : rooted(request, options.root)
          const answer = yield* Effect.gen(function* () {
            const refused = yield* admit(request, origins)
            if (refused !== undefined) return refused
            if (asked === undefined) return yield* problemResponse(notFound)
            const routed = route.pipe(
              Effect.provideService(HttpServerRequest.HttpServerRequest, asked),
              Effect.catchCause((cause) => recover(asked, cause)),
              Effect.flatMap(filled)
            )
            return yield* inTurn(asked, routed)
          }).pipe(
            Effect.tap((sent) =>
              Effect.flatMap(Clock.currentTimeMillis, (now) => told(request, sent, now - startedAt))
            ),
            Effect.provideService(RequestId, requestId),
            Effect.annotateLogs({ requestId })
          )
          return finished(answer, { request, requestId, origins, isLast: isStopping() })
        })
    }),
    { global: true }
  )

/** The request as its route sees it, for a listener that serves one operation at `/`; `undefined` for any other path. */
const rooted = (request: Request, root: string): Request | undefined =>
  pathOf(request.url) === "/" ? request.modify({ url: root + request.url.slice(1) }) : undefined

const isRefused = (error: unknown): error is Refused => error instanceof Refused

const isRepeatable = ({ body }: Answer): boolean => body._tag === "Uint8Array" || body._tag === "Empty"

/** Where a page asks to be paired, which no page is before. What is answered there is a code that somebody has to approve. */
const PAIRING_PATHS = new Set(["/oauth/device_authorization", "/oauth/token"])

const pathOf = (url: string): string => url.split(/[?#;]/, 1)[0]!

/** Answers of status 400 and above that came without a body get one. */
const filled = (answer: Answer): Effect.Effect<Answer> => {
  if (answer.status < 400 || answer.body._tag !== "Empty") return Effect.succeed(answer)
  const code = Object.entries(PROBLEMS).find(([, { status }]) => status === answer.status)?.[0]
  if (code === undefined) return Effect.succeed(answer)
  return problemResponse({ code: code as ProblemCode, detail: `${PROBLEMS[code as ProblemCode].title}.` })
}

const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store"
}

const finished = (
  answer: Answer,
  about: {
    readonly request: Request
    readonly requestId: string
    readonly origins: ReadonlyArray<string>
    /** The connection ends with this answer. */
    readonly isLast: boolean
  }
): Answer => {
  const { origin } = about.request.headers
  return HttpServerResponse.setHeaders(answer, {
    ...SECURITY_HEADERS,
    ...(origin !== undefined && about.origins.includes(origin) ? corsHeaders(origin) : {}),
    ...answer.headers,
    // Pages of origins that may read an answer get other headers: what a cache kept for one origin must not go to the next.
    vary: [answer.headers.vary, "origin"].filter((name) => name !== undefined).join(", "),
    "x-request-id": about.requestId,
    // What is left of the body is not waited for: a slow one would hold the connection.
    ...(about.isLast || hasUnreadBody(about.request) ? { connection: "close" } : {})
  })
}

/** For pages of configured origins alone; by default no page of another origin can read an answer. */
const corsHeaders = (origin: string) => ({
  "access-control-allow-origin": origin,
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers":
    "authorization, cache-control, content-disposition, content-type, idempotency-key, if-none-match, if-range, prefer, range",
  "access-control-expose-headers":
    "accept-ranges, content-disposition, content-location, content-range, etag, idempotency-replayed, preference-applied, retry-after, treemark-receipt, x-ipfs-path, x-ipfs-roots, x-request-id"
})

const notFound: ApiProblem = {
  code: "not_found",
  detail: "There is nothing at this address. The addresses are listed at /docs of the main listener."
}

const badEncoding: ApiProblem = {
  code: "bad_request",
  detail: "The address holds a % that does not begin an encoded character (RFC 3986). Write it as %25, or leave it out."
}

const stopping: ApiProblem = {
  code: "not_ready",
  detail: "The daemon is stopping and takes no new work. Nothing was done or charged; call again once it is back.",
  headers: { "retry-after": "5" }
}

const internal: ApiProblem = {
  code: "internal",
  detail:
    "The service failed in a way it should not. Nothing was charged for a call that fails. The daemon's log has the cause under this requestId."
}

const unreadable: ApiProblem = {
  code: "bad_request",
  detail: "The body broke off or is not framed as HTTP/1.1 says. Send the request again, whole."
}

const twoHosts: ApiProblem = {
  code: "bad_request",
  detail: "The request has more than one Host header. Send one (RFC 9112)."
}
