/** `/openapi.json`, and `/docs`, a page that shows it: nothing is fetched from elsewhere, so it works offline. */
import { Effect, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiSwagger, OpenApi } from "effect/http-api"
import { TreemarkApi } from "../TreemarkApi.ts"

/** Scripts and styles stand in the page itself; it may talk to this server and to nobody else. */
const DOCS_CSP =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The token may be pasted alone: the page puts the scheme's word before it. */
const WITH_SCHEME =
  "requestInterceptor: (request) => { const given = request.headers.Authorization; if (given && !/^token /i.test(given)) request.headers.Authorization = 'token ' + given; return request },"

const withScheme = (page: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  if (page.body._tag !== "Uint8Array") return page
  const html = new TextDecoder().decode(page.body.body)
  const mark = 'dom_id: "#swagger-ui",'
  return HttpServerResponse.text(
    html.replace(mark, () => `${mark} ${WITH_SCHEME}`),
    { contentType: "text/html" }
  )
}

const openapi = Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(TreemarkApi)))

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const scope = yield* Scope.Scope
    // The page is almost 2 MB of script, loaded when somebody asks for it and not when the daemon starts.
    const docs = yield* HttpRouter.toHttpEffect(HttpApiSwagger.layer(TreemarkApi, { path: "/docs" })).pipe(
      Scope.provide(scope),
      Effect.cached
    )
    yield* router.add("GET", "/openapi.json", yield* Effect.cached(openapi))
    yield* router.add(
      "GET",
      "/docs",
      Effect.flatten(docs).pipe(
        Effect.map(withScheme),
        Effect.map(HttpServerResponse.setHeader("content-security-policy", DOCS_CSP)),
        Effect.orDie
      )
    )
  })
)
