/**
 * The session of the console's page: a cookie that no script reads (`HttpOnly`) and no other site sends (`SameSite=Strict`). A browser sends
 * cookies of 127.0.0.1 to every port there, so the name holds the port; and a page on another port counts as the same site, so a call counts
 * as the page's own only when the browser says so (`Sec-Fetch-Site`, `Origin`) and it carries a token that only the page was told.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { SessionText } from "../../accounts/Sessions.ts"
import { Refused } from "../ApiErrors.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The header with what `GET /console/session` told the page. */
export const CSRF_HEADER = "treemark-csrf"

const nameFor = ({ headers: { host = "" } }: Request): string => `treemark_${/:(\d+)$/.exec(host)?.[1] ?? "session"}`

/** The session that the request's cookie holds, if it has one. */
export const sessionIn = (request: Request): SessionText | undefined => {
  const text = request.cookies[nameFor(request)]
  return text === undefined || text === "" ? undefined : Redacted.make(text)
}

/** Sets the cookie; without a session it is taken back. */
export const setCookie = (request: Request, session: SessionText | undefined): { readonly "set-cookie": string } => {
  const value = session === undefined ? "; Max-Age=0" : ""
  const text = session === undefined ? "" : Redacted.value(session)
  return { "set-cookie": `${nameFor(request)}=${text}; Path=/; HttpOnly; SameSite=Strict${value}` }
}

/** What the page puts into {@link CSRF_HEADER}: it follows from the session, and the session does not follow from it. */
export const csrfOf = (session: SessionText): string =>
  createHmac("sha256", Redacted.value(session)).update("treemark console").digest("base64url")

const elsewhere = new Refused({
  code: "origin_not_allowed",
  detail:
    "A session of the console counts only in the console's own page, and this call did not come from there. Nothing was done. A program calls with an access token in the header `Authorization: token <ACCESS_TOKEN>`."
})

/** Why the request is not one of the page itself, whatever session it has; `undefined` when it is. */
export const foreignPage = ({ headers, method }: Request): Refused | undefined => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin") return elsewhere
  const { host, origin } = headers
  const isOwn = origin !== undefined && [`http://${host}`, `https://${host}`].includes(origin)
  // Browsers leave Origin out where a page reads from its own server, and nowhere else.
  const mayLackOrigin = method === "GET" || method === "HEAD"
  return isOwn || (origin === undefined && mayLackOrigin) ? undefined : elsewhere
}

/** Like {@link foreignPage}, for calls that use the session: they carry the page's token too. */
export const foreignCall = (request: Request, session: SessionText): Refused | undefined => {
  const expected = Buffer.from(csrfOf(session))
  const sent = Buffer.from(request.headers[CSRF_HEADER] ?? "")
  const isTold = sent.length === expected.length && timingSafeEqual(sent, expected)
  return isTold ? foreignPage(request) : elsewhere
}
