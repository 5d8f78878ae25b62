/**
 * Which methods each path has, so that a wrong method is 405 with `Allow` (RFC 9110, section 15.5.6) and not 404. Routes are
 * noted while they are added to the router, so the index cannot differ from it.
 */
import { Context, Effect, Layer } from "effect"
import { FindMyWay, HttpRouter } from "effect/http"

/** How paths are matched; the router of every listener is given the same. What is too long for a CID is told so by who reads it. */
export const ROUTER_CONFIG = {
  caseSensitive: true,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: false,
  maxParamLength: 16_384
}

export class RouteIndex extends Context.Service<
  RouteIndex,
  {
    /** The value of `Allow` for the path of `url`; `undefined` when there is no such path. */
    readonly allow: (url: string) => string | undefined
    /** Method and path of the route as it was added, such as `GET /ipfs/:cid`; `undefined` when there is none. */
    readonly route: (method: string, url: string) => string | undefined
  }
>()("@treemark/daemon/http/edge/RouteIndex") {
  /** The router of the listener, and the index of what is added to it through this layer. */
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const paths = FindMyWay.make<{ readonly path: string; readonly methods: Set<string> }>(ROUTER_CONFIG)
      const known = new Map<string, Set<string>>()
      const note = (method: string, path: HttpRouter.PathInput) => {
        const methods = known.get(path) ?? new Set(["OPTIONS"])
        if (!known.has(path)) paths.all(path, { path, methods })
        known.set(path, methods.add(method))
        if (method === "GET") methods.add("HEAD")
      }
      const indexed = HttpRouter.HttpRouter.of({
        ...router,
        add: (method, path, handler, options) => {
          note(method, path)
          return router.add(method, path, handler, options)
        },
        addAll: (routes) => {
          for (const { method, path } of routes) note(method, path)
          return router.addAll(routes)
        }
      })
      const allow = (url: string) => {
        const found = paths.find("GET", url)?.handler
        return found === undefined ? undefined : [...found.methods].sort().join(", ")
      }
      const route = (method: string, url: string) => {
        const found = paths.find("GET", url)?.handler
        return found?.methods.has(method) === true ? `${method} ${found.path}` : undefined
      }
      return Context.make(HttpRouter.HttpRouter, indexed).pipe(Context.add(RouteIndex, { allow, route }))
    })
  )
}
