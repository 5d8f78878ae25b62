/** Which class a request is of, whose it is, and which are the same question: what `Admission` and `Shared` go by. */
import type { Caller } from "@treemark/core"
import { Context, Effect, Option, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { AccessTokens } from "../../accounts/AccessTokens.ts"
import type { Sessions } from "../../accounts/Sessions.ts"
import { sessionIn } from "../console/SessionCookie.ts"
import type { AdmissionClass } from "./Admission.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Who calls, where the edge has looked it up already; `credential` is the token it looked up, empty for a session. */
export const KnownCaller = Context.Reference<{ readonly credential: string; readonly caller: Caller } | undefined>(
  "@treemark/daemon/http/edge/Classes/KnownCaller",
  { defaultValue: () => undefined }
)

export interface Classed {
  readonly kind: AdmissionClass
  /** Among whom the class is shared fairly: the account, else the address. */
  readonly who: string
  readonly known: (typeof KnownCaller)["Service"]
}

/** Calls that are charged. */
const PAID = new Set(["POST /commit", "POST /balance/all-networks"])

/** Answered whatever else is going on: whoever asks wants to know just that. */
const ALWAYS = new Set(["/health", "/ready", "/version"])

export const isAlwaysAnswered = (path: string): boolean => ALWAYS.has(path)

/** A token, or a session of the console, that does not hold is none here; that it does not is told by the operation in its turn. */
export const classOf = (
  request: Request,
  path: string,
  callers: { readonly tokens: AccessTokens["Service"]; readonly sessions: Sessions["Service"] }
): Effect.Effect<Classed> => {
  const address = Option.getOrElse(request.remoteAddress, () => "?")
  const token = /^token +(\S+)$/iu.exec(request.headers.authorization ?? "")?.[1]
  const session = token === undefined ? sessionIn(request) : undefined
  const open: Classed = { kind: "open", who: address, known: undefined }
  if (token === undefined && session === undefined) return Effect.succeed(open)
  const caller =
    session === undefined
      ? Effect.option(callers.tokens.authenticate(Redacted.make(token ?? "")))
      : Effect.option(callers.sessions.authenticate(session))
  return Effect.map(
    caller,
    Option.match({
      onNone: () => open,
      onSome: (found): Classed => ({
        kind: PAID.has(`${request.method} ${path.replace(/\/$/u, "")}`) ? "paid" : "token",
        who: found.accountId,
        known: { credential: token ?? "", caller: found }
      })
    })
  )
}

const PRIVATE = ["authorization", "cookie", "range", "if-none-match", "if-modified-since", "if-range"]

/** The same for all who ask the same, undefined for what is nobody else's: the history of an asset is asked for by crowds. */
export const sharedKey = ({ headers, method, url }: Request): string | undefined =>
  method === "GET" && url.startsWith("/assets/") && PRIVATE.every((name) => headers[name] === undefined)
    ? `${url} ${headers.accept ?? ""}`
    : undefined
