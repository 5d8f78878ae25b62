/**
 * How a command reaches the daemon: over the unix socket of a running one, or, when none runs, by opening the store itself and
 * calling the very same handlers in process.
 */
import { NodeHttpClient } from "@effect/platform-node"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { HttpBody, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { AdminApi, AdminRefused, REGISTER_PATH } from "../admin/AdminApi.ts"
import { readDaemonFile } from "../admin/DaemonFile.ts"
import { RegisteredAsset } from "../content/Assets.ts"
import { Settings, layer as settingsLayer } from "../Settings.ts"
import { CommandFailed, EXIT } from "./Failures.ts"
import type { FileToRegister } from "./FileToRegister.ts"

/** Nobody resolves this name: it only completes the URL of a request that goes to the socket or stays in the process. */
const BASE_URL = "http://treemark"

export class Admin extends Context.Service<
  Admin,
  {
    readonly client: HttpApiClient.ForApi<typeof AdminApi>
    /** Registers a file as it streams in: to the daemon, or straight into the store. */
    readonly register: (
      file: FileToRegister
    ) => Effect.Effect<RegisteredAsset, { readonly _tag: string; readonly message: string }>
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
        return Option.isSome(running) ? overSocket(running.value.socket) : inProcess()
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

/** The services are loaded by those commands alone that find no daemon. */
const inProcess = () =>
  Layer.effect(
    Admin,
    Effect.flatMap(
      Effect.promise(() => import("./InProcess.ts")),
      ({ openInProcess }) => openInProcess
    )
  )
