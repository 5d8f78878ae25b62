/** Bodies of the three operations are read whole, at most 64 KiB, before anything else of the request is looked at. */
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

/** Bytes a JSON body may have (decisions.md, section 4). */
export const LARGEST_JSON_BODY = 65_536

/** The request's body as it came, with its headers. */
export class RequestBody extends Context.Service<
  RequestBody,
  { readonly bytes: Uint8Array; readonly headers: { readonly [name: string]: string | undefined } }
>()("@treemark/daemon/http/RequestBody") {}

export class SmallBody extends HttpApiMiddleware.Service<SmallBody, { provides: RequestBody }>()(
  "@treemark/daemon/http/SmallBody"
) {}
