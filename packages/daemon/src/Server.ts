/**
 * The listeners over the services: HTTP for callers, the administration socket for commands, and (in process, without any
 * listener) the same administration API for a command that found no daemon.
 */
import { chmod, rm } from "node:fs/promises"
import { createServer } from "node:http"
import { createServer as createSocket } from "node:net"
import { NodeHttpServer, NodeServices } from "@effect/platform-node"
import { Clock, Context, DateTime, Deferred, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import packageJson from "../package.json" with { type: "json" }
import { adminRoutes, DaemonControl } from "./admin/AdminHandlers.ts"
import { announce, socketPath } from "./admin/DaemonFile.ts"
import { EmbeddedRpc } from "./api/EmbeddedRpc.ts"
import { ExplorerData } from "./api/ExplorerData.ts"
import * as Settlement from "./books/Settlement.ts"
import { Allowed } from "./edge/HostGuard.ts"
import { ListenFailed, listener, serveOn } from "./edge/Listeners.ts"
import { mainApp, operationApp } from "./handlers/HttpApp.ts"
import { Explorer } from "./ledger/Explorer.ts"
import { LocalChains } from "./ledger/embedded/LocalChains.ts"
import * as Readiness from "./ReadinessChecks.ts"
import { PublicUrl, servicesLayer } from "./Services.ts"
import { Settings } from "./Settings.ts"

/** The addresses a running daemon answers at: `main`, and one for each operation with a listener of its own. */
export class RunningAddresses extends Context.Service<RunningAddresses, { readonly [name: string]: string }>()(
  "@treemark/daemon/Server/RunningAddresses"
) {}

/** The port to listen on. 0 is settled before anything is opened, because commit records name the URL that trees are fetched from. */
const portOf = (settings: Settings["Service"]) =>
  settings.port !== 0
    ? Effect.succeed(settings.port)
    : Effect.callback<number, ListenFailed>((resume) => {
        const probe = createSocket()
        probe.once("error", (cause) =>
          resume(Effect.fail(new ListenFailed({ host: settings.host, port: 0, reason: cause.message })))
        )
        probe.listen(0, settings.host, () => {
          const address = probe.address()
          const port = typeof address === "object" && address !== null ? address.port : settings.port
          probe.close(() => resume(Effect.succeed(port)))
        })
      })

const control = (addresses: { readonly [name: string]: string }) =>
  Layer.effect(
    DaemonControl,
    Effect.gen(function* () {
      const settings = yield* Settings
      const startedAt = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
      const { home, profile } = settings
      return {
        status: Effect.succeed({ version: packageJson.version, pid: process.pid, profile, home, addresses, startedAt }),
        stopRequested: yield* Deferred.make<void>()
      }
    })
  )

/** The administration API over services of this process, for a command that found no daemon. */
export const adminInProcess = (settings: Settings["Service"]) =>
  adminRoutes.pipe(
    Layer.provide(control({})),
    Layer.provide(servicesLayer),
    Layer.provide(Layer.succeed(PublicUrl, `http://${settings.host}:${settings.port}`)),
    Layer.provide(Layer.succeed(Settings, settings)),
    Layer.provide(Layer.merge(NodeServices.layer, HttpServer.layerServices))
  )

/** The socket that commands speak to; what a killed daemon left in its place is removed, since this process owns the store. */
const adminListener = (home: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const path = socketPath(home)
      yield* Effect.promise(() => rm(path, { force: true }))
      return HttpRouter.serve(adminRoutes, { disableLogger: true, disableListenLog: true }).pipe(
        Layer.tap(() => Effect.promise(() => chmod(path, 0o600))),
        Layer.provide(NodeHttpServer.layer(createServer, { path }))
      )
    })
  )

/** What only the embedded chains have: their JSON-RPC and the explorer page over it. */
const localOnly = Layer.unwrap(
  Effect.gen(function* () {
    const { chains } = yield* LocalChains
    if (Object.keys(chains).length === 0) return Layer.empty
    const rpc = Layer.succeed(EmbeddedRpc, {
      handle: (role, body) => {
        const chain = chains[role]
        return chain === undefined
          ? Effect.succeed({
              jsonrpc: "2.0",
              id: null,
              error: { code: -32601, message: `${role} is not embedded here` }
            })
          : Effect.promise(() => chain.handleJsonRpc(body, { allowPrivate: false }))
      }
    })
    const explorer = Layer.effect(
      ExplorerData,
      Effect.map(Explorer, ({ transaction }) => ({ transaction }))
    )
    return Layer.merge(rpc, explorer)
  })
)

/** The operation listeners that the settings ask for, beside the main one. */
const operationListeners = (settings: Settings["Service"]) => {
  const asked = [
    ["balance-mainnet", settings.listenBalanceMainnet],
    ["balance-all-networks", settings.listenBalanceAllNetworks],
    ["commit", settings.listenCommit]
  ] as const
  return asked.flatMap(([operation, address]) =>
    Option.toArray(Option.map(address, (text) => [operation, splitAddress(text)] as const))
  )
}

const splitAddress = (text: string) => {
  const colon = text.lastIndexOf(":")
  return { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) }
}

/** The daemon with all its listeners; `RunningAddresses` is there when each of them accepts calls. */
export const serverLayer = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const port = yield* portOf(settings)
    const main = `http://${settings.host}:${port}`
    const operations = operationListeners(settings)
    const addresses = {
      main,
      ...Object.fromEntries(operations.map(([operation, { host, port }]) => [operation, `http://${host}:${port}`]))
    }
    const listeners = operations.reduce(
      (all, [operation, address]) =>
        Layer.merge(all, serveOn(operationApp(operation)).pipe(Layer.provide(listener(address)))),
      serveOn(mainApp).pipe(Layer.provide(listener({ host: settings.host, port })))
    )
    const announced = Layer.effectDiscard(
      Effect.gen(function* () {
        const startedAt = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
        yield* announce(settings.home, { pid: process.pid, socket: socketPath(settings.home), addresses, startedAt })
      })
    )
    return announced.pipe(
      Layer.provideMerge(Layer.merge(listeners, adminListener(settings.home))),
      Layer.provideMerge(control(addresses)),
      Layer.provide(Layer.merge(localOnly, Readiness.layer)),
      Layer.provide(Layer.merge(Settlement.layer, Settlement.layerLoop.pipe(Layer.provide(Settlement.layer)))),
      Layer.provide(servicesLayer),
      Layer.provide(
        Layer.succeed(PublicUrl, Option.match(settings.publicUrl, { onNone: () => main, onSome: (url) => url.origin }))
      ),
      Layer.provide(Layer.succeed(Allowed, { hosts: settings.allowedHosts, origins: settings.allowedOrigins })),
      Layer.provideMerge(Layer.succeed(RunningAddresses, addresses))
    )
  })
)
