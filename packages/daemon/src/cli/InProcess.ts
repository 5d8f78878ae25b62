/** How a command works when no daemon runs: it opens the store itself, and calls the very same handlers in its own process. */
import { Context, Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpRouter } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Accounts } from "../accounts/Accounts.ts"
import { AdminApi } from "../admin/AdminApi.ts"
import { adminRoutes } from "../admin/AdminHandlers.ts"
import { refuse } from "../admin/AdminRefused.ts"
import { Assets } from "../content/Assets.ts"
import { servicesInProcess } from "../Server.ts"
import { Settings } from "../Settings.ts"
import type { FileToRegister } from "./FileToRegister.ts"

/** Nobody resolves this name: it only completes the URL of a request that stays in the process. */
const BASE_URL = "http://treemark"

/** The handlers behind a `fetch` that never leaves the process. The services are built first, so that what fails there is told as it is. */
export const openInProcess = Effect.gen(function* () {
  const settings = yield* Settings
  const services = yield* Layer.build(servicesInProcess(settings))
  const routes = adminRoutes.pipe(Layer.provide(Layer.succeedContext(services)))
  const { handler, dispose } = HttpRouter.toWebHandler(routes, { disableLogger: true })
  yield* Effect.addFinalizer(() => Effect.promise(dispose))
  const stayInside: typeof fetch = (input, init) => handler(new Request(input, init))
  const http = (yield* HttpClient.HttpClient).pipe(
    HttpClient.mapRequest(HttpClientRequest.prependUrl(BASE_URL)),
    HttpClient.transform((effect) => Effect.provideService(effect, FetchHttpClient.Fetch, stayInside))
  )
  const client = yield* HttpApiClient.makeWith(AdminApi, { httpClient: http })
  const assets = Context.get(services, Assets)
  const accounts = Context.get(services, Accounts)
  const register = ({ account, bytes, contentType, fileName }: FileToRegister) =>
    Effect.flatMap(account === undefined ? Effect.succeed(undefined) : accounts.find(account), (owner) =>
      assets.register({ bytes, fileName, contentType, accountId: owner?.id })
    ).pipe(Effect.mapError(refuse))
  return { client, register, remote: false }
}).pipe(Effect.provide(FetchHttpClient.layer))
