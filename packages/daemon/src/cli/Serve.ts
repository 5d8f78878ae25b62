/** The daemon itself, until it is told to stop. Apart from `start.ts`, so that no other command loads what serves. */
import { Console, Context, Deferred, Effect, Layer } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { Sessions } from "../accounts/Sessions.ts"
import { DaemonControl } from "../admin/AdminHandlers.ts"
import { consoleAddress, signInUrl } from "../admin/ConsoleHandlers.ts"
import { RunningAddresses, serverLayer } from "../Server.ts"
import { Settings } from "../Settings.ts"
import { traced } from "../telemetry/Traces.ts"
import { endAtOnceWhenToldTwice, endInTime } from "./Stop.ts"
import { letGrow } from "./YoungMemory.ts"

/** Prints a line with each address when it is ready; its spans go where the settings say, or are not made. */
export const serve = (json: boolean) =>
  Effect.flatMap(Settings, ({ otlpEndpoint }) => traced(otlpEndpoint, packageJson.version)(serveUntilTold(json)))

const serveUntilTold = Effect.fnUntraced(function* (json: boolean) {
  yield* endAtOnceWhenToldTwice
  const daemon = yield* Layer.build(serverLayer)
  yield* endInTime
  const addresses = Context.get(daemon, RunningAddresses)
  const line = Object.entries(addresses).map(([name, url]) => `${name} ${url}`)
  const code = yield* Context.get(daemon, Sessions).makeCode(undefined)
  const console = signInUrl(consoleAddress(addresses.main ?? ""), code)
  yield* Console.log(
    json ? JSON.stringify({ addresses }) : `Treemark is ready: ${[...line, `console ${console}`].join(" · ")}`
  )
  letGrow()
  yield* Deferred.await(Context.get(daemon, DaemonControl).stopRequested)
}, Effect.scoped)
