/**
 * The whole daemon as a test starts it: the product's own server over the settings of the environment, with its outside effects
 * watched (`WatchedEffects`) and its clock steered (`SteeredClock`) where the environment asks for it. Prints its addresses when ready.
 */
import { writeSync } from "node:fs"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Context, Deferred, Duration, Effect, Layer, Tracer } from "effect"
import { DaemonControl } from "../../packages/daemon/src/admin/AdminHandlers.ts"
import { SettlementInterval } from "../../packages/daemon/src/books/Settlement.ts"
import { logging, logToStandardError } from "../../packages/daemon/src/cli/Logging.ts"
import { RunningAddresses, serverLayer } from "../../packages/daemon/src/Server.ts"
import { layer as settingsLayer } from "../../packages/daemon/src/Settings.ts"
import { FAULTS_FOLDER } from "./FailPoints.ts"
import { steerClock } from "./SteeredClock.ts"
import { watchingTracer, watchProcess } from "./WatchedEffects.ts"

/** How often wallets are settled, in milliseconds; without it as seldom as ever. */
const SETTLE_EVERY = "TREEMARK_TEST_SETTLE_EVERY"

steerClock()
const isWatched = process.env[FAULTS_FOLDER] !== undefined
if (isWatched) watchProcess()

const settleEvery = process.env[SETTLE_EVERY]
const settling =
  settleEvery === undefined ? Layer.empty : Layer.succeed(SettlementInterval, Duration.millis(Number(settleEvery)))

const daemon = Effect.gen(function* () {
  const running = yield* Layer.build(serverLayer.pipe(Layer.provide(settling)))
  writeSync(1, `${JSON.stringify({ addresses: Context.get(running, RunningAddresses) })}\n`)
  yield* Deferred.await(Context.get(running, DaemonControl).stopRequested)
}).pipe(
  Effect.scoped,
  Effect.provide(logging),
  Effect.provide(settingsLayer({})),
  Effect.provide(Layer.merge(NodeServices.layer, logToStandardError))
)

NodeRuntime.runMain(
  isWatched ? Effect.provideService(daemon, Tracer.Tracer, watchingTracer) : Effect.withTracerEnabled(daemon, false)
)
