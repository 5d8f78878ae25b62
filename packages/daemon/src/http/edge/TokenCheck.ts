/**
 * Fills `TokenAuth`: from `Authorization: token X`, or else the session of the console's page, to the caller, whose own rate limit applies
 * from here on.
 */
import { Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { AccessTokens } from "../../accounts/AccessTokens.ts"
import { requireScope, type Scope } from "../../accounts/Scopes.ts"
import { Sessions } from "../../accounts/Sessions.ts"
import { Refused } from "../ApiErrors.ts"
import { foreignCall, sessionIn } from "../console/SessionCookie.ts"
import { CurrentCaller, TokenAuth } from "../TokenAuth.ts"
import { KnownCaller } from "./Classes.ts"
import { refuse } from "./Problems.ts"
import { RateLimit } from "./RateLimit.ts"

/** What a token must be allowed for an operation: to read costs nothing but what the question itself is priced at. */
const scopeOf = ({ identifier }: { readonly identifier: string }): Scope =>
  identifier === "commit" ? "commit" : identifier === "registerAsset" ? "register" : "read"

const missing = new Refused({
  code: "missing_token",
  detail:
    "This operation needs an access token in the header `Authorization: token <ACCESS_TOKEN>`; it was missing or of another scheme. The operator makes one with: treemarkd account create --name NAME."
})

export const layer: Layer.Layer<TokenAuth, never, AccessTokens | RateLimit | Sessions> = Layer.effect(
  TokenAuth,
  Effect.gen(function* () {
    const tokens = yield* AccessTokens
    const rateLimit = yield* RateLimit
    const sessions = yield* Sessions

    const callerOfSession = Effect.fnUntraced(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const session = sessionIn(request)
      if (session === undefined) return yield* missing
      const foreign = foreignCall(request, session)
      return foreign === undefined ? yield* sessions.authenticate(session) : yield* foreign
    })

    /** An empty credential is how a missing header, or one of another scheme, arrives. */
    const callerOf = Effect.fnUntraced(function* (credential: Redacted.Redacted<string>, needed: Scope) {
      const known = yield* KnownCaller
      const token = Redacted.value(credential)
      const asked = token === "" ? callerOfSession() : tokens.authenticate(credential)
      const caller = known?.credential === token && token !== "" ? known.caller : yield* asked
      yield* requireScope(caller, needed)
      yield* rateLimit.take("account", caller.accountId)
      return caller
    })

    return {
      token: (operation, { credential, endpoint }) =>
        Effect.matchEffect(callerOf(credential, scopeOf(endpoint)), {
          onFailure: refuse,
          onSuccess: (caller) =>
            operation.pipe(
              Effect.provideService(CurrentCaller, caller),
              Effect.annotateLogs({ accountId: caller.accountId })
            )
        })
    }
  })
)
