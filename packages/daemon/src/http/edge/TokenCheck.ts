/** Fills `TokenAuth`: from `Authorization: token X` to the caller, whose own rate limit applies from here on. */
import { Effect, Layer, Redacted } from "effect"
import { AccessTokens } from "../../accounts/AccessTokens.ts"
import { Refused } from "../ApiErrors.ts"
import { CurrentCaller, TokenAuth } from "../TokenAuth.ts"
import { refuse } from "./Problems.ts"
import { RateLimit } from "./RateLimit.ts"

const missing = new Refused({
  code: "missing_token",
  detail:
    "This operation needs an access token in the header `Authorization: token <ACCESS_TOKEN>`; it was missing or of another scheme. The operator makes one with: treemarkd account create --name NAME."
})

export const layer: Layer.Layer<TokenAuth, never, AccessTokens | RateLimit> = Layer.effect(
  TokenAuth,
  Effect.gen(function* () {
    const tokens = yield* AccessTokens
    const rateLimit = yield* RateLimit

    /** An empty credential is how a missing header, or one of another scheme, arrives. */
    const callerOf = Effect.fnUntraced(function* (credential: Redacted.Redacted<string>) {
      if (Redacted.value(credential) === "") return yield* missing
      const caller = yield* tokens.authenticate(credential)
      yield* rateLimit.take("account", caller.accountId)
      return caller
    })

    return {
      token: (operation, { credential }) =>
        Effect.matchEffect(callerOf(credential), {
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
