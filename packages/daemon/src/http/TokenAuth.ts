/** `Authorization: token <ACCESS_TOKEN>` (interface.md, "Authentication"); what comes after it knows its caller. */
import type { Caller } from "@treemark/core"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"

/** The account that the request's token belongs to. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("@treemark/daemon/http/CurrentCaller") {}

const token = HttpApiSecurity.http({ scheme: "token" }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "The header `Authorization: token <ACCESS_TOKEN>`; the token is the one shown when the account was created"
  )
)

export class TokenAuth extends HttpApiMiddleware.Service<TokenAuth, { provides: CurrentCaller }>()(
  "@treemark/daemon/http/TokenAuth",
  { security: { token } }
) {}
