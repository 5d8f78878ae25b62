/**
 * The listeners over the services: HTTP for callers, the administration socket for commands, and (in process, without any
 * listener) the same administration API for a command that found no daemon.
 */
import { chmod, rm } from "node:fs/promises"
import { createServer } from "node:http"
import { createServer as createSocket, type Server } from "node:net"
import { NodeHttpServer, NodeServices } from "@effect/platform-node"
import { Clock, Context, DateTime, Deferred, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import packageJson from "../package.json" with { type: "json" }
import { Pairing } from "./accounts/Pairing.ts"
import { Sessions } from "./accounts/Sessions.ts"
import { adminRoutes, DaemonControl } from "./admin/AdminHandlers.ts"
import { ConsoleAddress, consoleAddress } from "./admin/ConsoleHandlers.ts"
import { announce, socketPath } from "./admin/DaemonFile.ts"
import * as Settlement from "./books/Settlement.ts"
import { LedgerIndex } from "./commits/LedgerIndex.ts"
import { AuthorWatch } from "./commits/watch/AuthorWatch.ts"
import { LocalChains, OpenChains } from "./devchain/LocalChains.ts"
import { Explorer } from "./evm/Explorer.ts"
import { Allowed, PairedOrigins } from "./http/edge/HostGuard.ts"
import { ListenFailed, listener, serveOn } from "./http/edge/Listeners.ts"
import { ShutdownGrace } from "./http/edge/Shutdown.ts"
import { EmbeddedRpc } from "./http/embedded-rpc/EmbeddedRpcPort.ts"
import { ExplorerData } from "./http/explorer/ExplorerData.ts"
import { mainApp, operationApp } from "./http/HttpApp.ts"
import { metricsRoute } from "./http/service/MetricsRoute.ts"
import * as MetricsLook from "./MetricsLook.ts"
import * as NodeLooking from "./NodeLooking.ts"
import * as Readiness from "./ReadinessChecks.ts"
import { PublicUrl, servicesLayer } from "./Services.ts"
import { Settings } from "./Settings.ts"

/** The addresses a running daemon answers at: `main`, and one for each operation with a listener of its own. */
export class RunningAddresses extends Context.Service<RunningAddresses, { readonly [name: string]: string }>()(
  "@treemark/daemon/Server/RunningAddresses"
) {}

interface Address {
  readonly host: string
  readonly port: number
}

interface Settled extends Address {
  readonly vacated: Effect.Effect<void>
}

/**
 * Where to listen. Port 0 is settled before anything is opened, because commit records name the URL that trees are fetched from; until the
 * listener opens it is kept from other programs, and whoever calls there is turned away.
 */
const settled = Effect.fnUntraced(function* (asked: Address) {
  if (asked.port !== 0) return { ...asked, vacated: Effect.void } satisfies Settled
  const keeper = yield* Effect.acquireRelease(keep(asked), vacate)
  const address = keeper.address()
  const port = typeof address === "object" && address !== null ? address.port : asked.port
  return { ...asked, port, vacated: vacate(keeper) } satisfies Settled
})

const keep = (asked: Address) =>
  Effect.callback<Server, ListenFailed>((resume) => {
    const keeper = createSocket((caller) => caller.destroy())
    keeper.once("error", (cause) => resume(Effect.fail(new ListenFailed({ ...asked, reason: cause.message }))))
    keeper.listen(0, asked.host, () => resume(Effect.succeed(keeper)))
  })

const vacate = (keeper: Server) => Effect.callback<void>((resume) => void keeper.close(() => resume(Effect.void)))

const urlOf = ({ host, port }: Address): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** What readers call this service: the setting, else the main listener's own address. */
const publicUrl = (settings: Settings["Service"], main: string) =>
  Layer.succeed(PublicUrl, Option.match(settings.publicUrl, { onNone: () => main, onSome: (url) => url.origin }))

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

/** What the administration API stands on when a command found no daemon and opens the store in its own process. */
export const servicesInProcess = (settings: Settings["Service"]) =>
  Layer.mergeAll(control({}), servicesLayer, Layer.succeed(ConsoleAddress, "")).pipe(
    Layer.provide(publicUrl(settings, urlOf(settings))),
    Layer.provide(Layer.succeed(OpenChains, "when asked")),
    Layer.provide(Layer.succeed(Settings, settings)),
    Layer.provideMerge(Layer.merge(NodeServices.layer, HttpServer.layerServices))
  )

/** Nobody else may open what a daemon makes: its socket is private from the moment it is there. */
const PRIVATE = 0o077

/** The socket that commands speak to; what a killed daemon left in its place is removed, since this process owns the store. */
const adminListener = ({ home, shutdownGrace }: Settings["Service"]) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const path = socketPath(home)
      yield* Effect.promise(() => rm(path, { force: true }))
      process.umask(PRIVATE)
      return HttpRouter.serve(Layer.merge(adminRoutes, metricsRoute), {
        disableLogger: true,
        disableListenLog: true
      }).pipe(
        Layer.tap(() => Effect.promise(() => chmod(path, 0o600))),
        Layer.provide(NodeHttpServer.layer(createServer, { path, gracefulShutdownTimeout: shutdownGrace }))
      )
    })
  )

/** What only the embedded chains have: their JSON-RPC and the explorer page over it. */
const localOnly = Layer.unwrap(
  Effect.gen(function* () {
    const { chains } = yield* LocalChains
    if (Object.keys(chains).length === 0) return Layer.empty
    const rpc = Layer.succeed(EmbeddedRpc, {
      handle: (role, body, caller) => {
        const chain = chains[role]
        const error = { code: -32601, message: `${role} is not embedded here` }
        return chain === undefined
          ? Effect.succeed(JSON.stringify({ jsonrpc: "2.0", id: null, error }))
          : Effect.promise((signal) => chain.handleJsonRpc(body, { caller, signal }))
      }
    })
    const explorer = Layer.effect(
      ExplorerData,
      Effect.map(Explorer, ({ transaction }) => ({ transaction }))
    )
    return Layer.merge(rpc, explorer)
  })
)

/** A page of another origin may call once a tool of that origin was paired, for as long as its token lives. */
const pairedOrigins = Layer.effect(
  PairedOrigins,
  Effect.map(Pairing, ({ allowsOrigin }) => ({
    has: (origin: string) => Effect.orElseSucceed(allowsOrigin(origin), () => false)
  }))
)

/** The operation listeners that the settings ask for, beside the main one. */
const operationListeners = (settings: Settings["Service"]) => {
  const asked = [
    ["balance-mainnet", settings.listenBalanceMainnet],
    ["balance-all-networks", settings.listenBalanceAllNetworks],
    ["commit", settings.listenCommit]
  ] as const
  return asked.flatMap(([operation, address]) =>
    Option.toArray(Option.map(address, (text) => ({ operation, asked: splitAddress(text) })))
  )
}

const splitAddress = (text: string): Address => {
  const colon = text.lastIndexOf(":")
  return { host: text.slice(0, colon).replace(/^\[|\]$/gu, ""), port: Number(text.slice(colon + 1)) }
}

/** `GET /metrics` alone, where the settings ask for it: it tells nobody's secrets, but is not for everybody either. */
const metricsListener = (settings: Settings["Service"]) =>
  Option.match(settings.metricsAddress, {
    onNone: () => Layer.empty,
    onSome: (address) => serveOn(metricsRoute).pipe(Layer.provide(listener(splitAddress(address))))
  })

/** The daemon with all its listeners; `RunningAddresses` is there when each of them accepts calls. */
export const serverLayer = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const mainAddress = yield* settled({ host: settings.host, port: settings.port })
    const main = urlOf(mainAddress)
    const operations = yield* Effect.forEach(operationListeners(settings), ({ operation, asked }) =>
      Effect.map(settled(asked), (address) => ({ operation, address }))
    )
    const addresses = {
      main,
      ...Object.fromEntries(operations.map(({ operation, address }) => [operation, urlOf(address)]))
    }
    const listeners = operations.reduce(
      (all, { operation, address }) =>
        Layer.merge(all, serveOn(operationApp(operation)).pipe(Layer.provide(listener(address)))),
      serveOn(mainApp).pipe(Layer.provide(listener(mainAddress)))
    )
    const announced = Layer.effectDiscard(
      Effect.gen(function* () {
        const startedAt = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
        yield* announce(settings.home, { pid: process.pid, socket: socketPath(settings.home), addresses, startedAt })
      })
    )
    return announced.pipe(
      Layer.provideMerge(Layer.mergeAll(listeners, adminListener(settings), metricsListener(settings))),
      Layer.provideMerge(Layer.merge(control(addresses), Layer.succeed(ConsoleAddress, consoleAddress(main)))),
      Layer.provide(Layer.mergeAll(localOnly, Layer.provideMerge(MetricsLook.layer, Readiness.layer), pairedOrigins)),
      Layer.provide(Layer.provide(NodeLooking.layer, control(addresses))),
      Layer.provide(Layer.mergeAll(Settlement.layerLoop, LedgerIndex.layerFollowing, AuthorWatch.layerFollowing)),
      Layer.provideMerge(Layer.effect(Sessions, Sessions)),
      Layer.provide(servicesLayer),
      Layer.provide(publicUrl(settings, main)),
      Layer.provide(Layer.succeed(ShutdownGrace, settings.shutdownGrace)),
      Layer.provide(Layer.succeed(Allowed, { hosts: settings.allowedHosts, origins: settings.allowedOrigins })),
      Layer.provideMerge(Layer.succeed(RunningAddresses, addresses))
    )
  })
)
