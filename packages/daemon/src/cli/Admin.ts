/**
 * How a command reaches the daemon: over the unix socket of a running one, or, when none runs, by opening the store itself and
 * calling the very same handlers in process.
 */
import { NodeHttpClient } from "@effect/platform-node"
import { Context, Effect, Layer, Option, Schema, type Stream } from "effect"
import { FetchHttpClient, HttpBody, HttpClient, HttpClientRequest, HttpClientResponse, HttpRouter } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Accounts } from "../accounts/Accounts.ts"
import { AdminApi, AdminRefused, REGISTER_PATH } from "../admin/AdminApi.ts"
import { adminRoutes } from "../admin/AdminHandlers.ts"
import { refuse } from "../admin/AdminRefused.ts"
import { readDaemonFile } from "../admin/DaemonFile.ts"
import { Assets, RegisteredAsset } from "../content/Assets.ts"
import { servicesInProcess } from "../Server.ts"
import { Settings, layer as settingsLayer } from "../Settings.ts"
import { CommandFailed, EXIT } from "./Failures.ts"

/** Nobody resolves this name: it only completes the URL of a request that goes to the socket or stays in the process. */
const BASE_URL = "http://treemark"

export class Admin extends Context.Service<
  Admin,
  {
    readonly client: HttpApiClient.ForApi<typeof AdminApi>
    /** Registers a file as it streams in: to the daemon, or straight into the store. */
    readonly register: (file: {
      readonly bytes: Stream.Stream<Uint8Array, { readonly _tag: string; readonly message: string }>
      readonly fileName: string
      readonly contentType: string | undefined
      readonly size: number
      /** Whose it is; undefined: nobody's. */
      readonly account?: string
    }) => Effect.Effect<RegisteredAsset, { readonly _tag: string; readonly message: string }>
    /** Whether a running daemon answers. */
    readonly remote: boolean
  }
>()("@treemark/daemon/cli/Admin") {
  /** A running daemon's socket if there is one, else the store itself. */
  static readonly layer = (home: string | undefined) =>
    Layer.unwrap(
      Effect.gen(function* () {
        const settings = yield* Settings
        const running = yield* readDaemonFile(settings.home)
        return Option.isSome(running) ? overSocket(running.value.socket) : inProcess
      })
    ).pipe(Layer.provide(settingsLayer(home === undefined ? {} : { home })))

  /** Only a running daemon; without one the command fails and says how to start it. */
  static readonly layerRunning = (home: string | undefined) =>
    Layer.unwrap(
      Effect.gen(function* () {
        const settings = yield* Settings
        const running = yield* readDaemonFile(settings.home)
        if (Option.isSome(running)) return overSocket(running.value.socket)
        return yield* new CommandFailed({
          code: "not_running",
          message: `No daemon runs on ${settings.home}. Start one with: treemarkd start`,
          exitCode: EXIT.unavailable
        })
      })
    ).pipe(Layer.provide(settingsLayer(home === undefined ? {} : { home })))
}

const RegisterAnswer = Schema.Union([RegisteredAsset, AdminRefused])

const overSocket = (socketPath: string) =>
  Layer.effect(
    Admin,
    Effect.gen(function* () {
      const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, HttpClientRequest.prependUrl(BASE_URL))
      const client = yield* HttpApiClient.makeWith(AdminApi, { httpClient: http })
      const register: Admin["Service"]["register"] = ({ account, bytes, contentType, fileName, size }) =>
        http
          .execute(
            HttpClientRequest.post(REGISTER_PATH).pipe(
              HttpClientRequest.setUrlParams({ fileName, ...(account === undefined ? {} : { account }) }),
              HttpClientRequest.setBody(HttpBody.stream(bytes, contentType ?? "application/octet-stream", size))
            )
          )
          .pipe(
            Effect.flatMap(HttpClientResponse.schemaBodyJson(RegisterAnswer)),
            Effect.flatMap((answer) => (answer instanceof AdminRefused ? Effect.fail(answer) : Effect.succeed(answer)))
          )
      return Admin.of({ client, register, remote: true })
    })
  ).pipe(Layer.provide(NodeHttpClient.layerNodeHttpOptions({ socketPath })))

/** The handlers behind a `fetch` that never leaves the process. The services are built first, so that what fails there is told as it is. */
const inProcess = Layer.effect(
  Admin,
  Effect.gen(function* () {
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
    const register: Admin["Service"]["register"] = ({ account, bytes, contentType, fileName }) =>
      Effect.flatMap(account === undefined ? Effect.succeed(undefined) : accounts.find(account), (owner) =>
        assets.register({ bytes, fileName, contentType, accountId: owner?.id })
      ).pipe(Effect.mapError(refuse))
    return Admin.of({ client, register, remote: false })
  })
).pipe(Layer.provide(FetchHttpClient.layer))
