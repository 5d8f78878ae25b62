/**
 * Signing in and out, for the console's page alone: `POST /console/session` turns a code into the cookie, `GET` tells the page who is signed
 * in, `POST /console/session/end` signs out, here or everywhere.
 */
import type { Caller } from "@treemark/core"
import { Effect, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Sessions, type SessionText } from "../../accounts/Sessions.ts"
import { Refused } from "../ApiErrors.ts"
import { refusing } from "../edge/Problems.ts"
import { consoleBody } from "./ConsoleBody.ts"
import { csrfOf, foreignCall, foreignPage, sessionIn, setCookie } from "./SessionCookie.ts"

const notSignedIn = new Refused({
  code: "session_over",
  detail: "Nobody is signed in in this browser. Sign in with the address that this prints: npx @treemark/daemon open"
})

/** The page's caller, for an address that only the page asks. */
export const pageCaller = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const session = sessionIn(request)
  if (session === undefined) return yield* notSignedIn
  const foreign = foreignCall(request, session)
  if (foreign !== undefined) return yield* foreign
  return { session, caller: yield* (yield* Sessions).authenticate(session) }
})

const shown = ({ accountId, name, serviceName, wallet }: Caller, session: SessionText) => ({
  account: { id: accountId, name, serviceName, wallet },
  csrf: csrfOf(session)
})

const begin = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const foreign = foreignPage(request)
  if (foreign !== undefined) return yield* foreign
  const { code } = yield* consoleBody(Schema.Struct({ code: Schema.String }))
  const sessions = yield* Sessions
  const session = yield* sessions.signIn(Redacted.make(code))
  const caller = yield* sessions.authenticate(session)
  return HttpServerResponse.jsonUnsafe(shown(caller, session), { headers: setCookie(request, session) })
}).pipe(refusing)

const show = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const foreign = foreignPage(request)
  if (foreign !== undefined) return yield* foreign
  const session = sessionIn(request)
  if (session === undefined) return yield* notSignedIn
  return HttpServerResponse.jsonUnsafe(shown(yield* (yield* Sessions).authenticate(session), session))
}).pipe(refusing)

const end = Effect.gen(function* () {
  const { caller, session } = yield* pageCaller
  const { everywhere } = yield* consoleBody(Schema.Struct({ everywhere: Schema.Boolean }))
  const sessions = yield* Sessions
  yield* everywhere ? sessions.endAll(caller.accountId) : sessions.end(session)
  const request = yield* HttpServerRequest.HttpServerRequest
  return HttpServerResponse.empty({ status: 204, headers: setCookie(request, undefined) })
}).pipe(refusing)

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    yield* router.add("POST", "/console/session", begin)
    yield* router.add("GET", "/console/session", show)
    yield* router.add("POST", "/console/session/end", end)
  })
)
