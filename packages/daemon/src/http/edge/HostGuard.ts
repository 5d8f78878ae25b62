/**
 * Who may talk to this server by which name. A page of another site can make a browser call 127.0.0.1 (cross-site requests) or
 * make its own name point there (DNS rebinding), so `Host` must be a loopback name or one that is configured, and `Origin`,
 * which browsers send with every such call, must be this server itself or one that is configured.
 */
import { Context, Effect } from "effect"
import type { ApiProblem } from "../ApiErrors.ts"

/** Further names that are served: `hosts` as `name` (any port) or `name:port`, `origins` as `https://app.example`. */
export const Allowed = Context.Reference<{
  readonly hosts: ReadonlyArray<string>
  readonly origins: ReadonlyArray<string>
}>("@treemark/daemon/http/edge/HostGuard/Allowed", { defaultValue: () => ({ hosts: [], origins: [] }) })

/** Origins whose pages or extensions somebody approved while pairing. The server itself is not among them, and needs not be. */
export const PairedOrigins = Context.Reference<{ readonly has: (origin: string) => Effect.Effect<boolean> }>(
  "@treemark/daemon/http/edge/HostGuard/PairedOrigins",
  { defaultValue: () => ({ has: () => Effect.succeed(false) }) }
)

/** What the guard looks at. */
export interface Caller {
  readonly host: string | undefined
  readonly origin: string | undefined
  /** The port this request came in on. */
  readonly port: number | undefined
}

/** Why the request is refused; `undefined` when it may pass. */
export const guardProblem = (caller: Caller, allowed: typeof Allowed.Service): ApiProblem | undefined => {
  if (caller.host === undefined || caller.host === "") {
    return {
      code: "bad_request",
      detail: "The request has no Host header. Send the name and port it is meant for (RFC 9112)."
    }
  }
  if (!isServedHost(caller.host, allowed.hosts)) {
    return {
      code: "host_not_allowed",
      detail: `This service does not answer to the name ${quoted(caller.host)}. Call it at 127.0.0.1 or localhost, or let its operator add the name to allowed_hosts.`
    }
  }
  if (caller.origin === undefined || isServedOrigin(caller.origin, caller, allowed.origins)) return undefined
  return {
    code: "origin_not_allowed",
    detail: `Pages of ${quoted(caller.origin)} may not call this service. Call it from a program, or let its operator add the origin to allowed_origins.`
  }
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?$/i
const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/i

const isServedHost = (host: string, hosts: ReadonlyArray<string>): boolean => {
  const name = HOST.exec(host)?.[1]
  if (name === undefined) return false
  if (LOOPBACK.test(name)) return true
  return hosts.some((allowed) => [host, name].some((form) => form.toLowerCase() === allowed.toLowerCase()))
}

const isServedOrigin = (origin: string, { host, port }: Caller, origins: ReadonlyArray<string>): boolean => {
  if (origins.includes(origin)) return true
  const match = /^https?:\/\/(.+)$/i.exec(origin)
  const authority = match?.[1]?.toLowerCase()
  if (authority === undefined) return false
  if (authority === host?.toLowerCase()) return true
  const [, name = "", asked = "80"] = HOST.exec(authority) ?? []
  return LOOPBACK.test(name) && Number(asked) === port
}

/** Headers may hold anything; what is shown is short and printable. */
const quoted = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
