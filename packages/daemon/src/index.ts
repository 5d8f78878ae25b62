/**
 * `@treemark/daemon`: the daemon inside of another Node service, with promises and plain values. The process, its signals and its end stay the
 * service's own; a data folder has one daemon at a time, and the commands (`npx @treemark/daemon account create …`) find this one by its folder.
 */
import { NodeServices } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer, ManagedRuntime } from "effect"
import { explain } from "./cli/Failures.ts"
import { logging, logToStandardError } from "./cli/Logging.ts"
import { RunningAddresses, serverLayer } from "./Server.ts"
import { layer as settingsLayer } from "./Settings.ts"

/** Settings by the names of `treemark.toml` in camel case; what is not given is read from `TREEMARK_*` and the file in the data folder. */
export interface DaemonSettings {
  /** The data folder; default: `TREEMARK_HOME`, else a folder of the user's. */
  readonly home?: string
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** Default: 7053; 0 picks a free one. */
  readonly port?: number
  /** Networks: `local` (default), `numbers`, or one of the settings file. */
  readonly profile?: string
  readonly [setting: string]: string | number | boolean | undefined
}

/** A daemon that answers, until it is stopped. */
export interface RunningDaemon {
  /** Where it answers, such as `http://127.0.0.1:7053`. */
  readonly url: string
  /** `main`, and one for each operation with a listener of its own. */
  readonly addresses: { readonly main: string; readonly [listener: string]: string }
  /** Ends it well: what is in flight is answered, or is durable and goes on with the next start. May be called twice. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a daemon and waits until it answers.
 *
 * @throws Error that says what is wrong and what to do: a port that is taken, a data folder that another daemon uses, a setting that is none.
 */
export const startDaemon = async (settings: DaemonSettings = {}): Promise<RunningDaemon> => {
  const given = Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  )
  const runtime = ManagedRuntime.make(
    serverLayer.pipe(
      Layer.provide(logging),
      Layer.provide(settingsLayer(given)),
      Layer.provide(Layer.merge(logToStandardError, NodeServices.layer))
    )
  )
  const started = await runtime.runPromiseExit(Effect.withTracerEnabled(RunningAddresses, false))
  if (Exit.isSuccess(started)) {
    const addresses = { main: "", ...started.value }
    return { url: addresses.main, addresses, stop: () => runtime.dispose() }
  }
  await runtime.dispose()
  const cause = Cause.squash(started.cause)
  throw new Error(explain(cause as never).message, { cause })
}
