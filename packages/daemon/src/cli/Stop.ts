/**
 * How a daemon ends when it is told to (SIGTERM, SIGINT, `treemarkd stop`): well, and soon. The first signal begins an orderly end, which
 * what is in flight may delay for `shutdown_grace`; what cannot end by then (a node that does not answer, a call that never does) is
 * durable, and the process exits 0 without it. A second signal ends it at once.
 */
import { rmSync } from "node:fs"
import { Duration, Effect } from "effect"
import { daemonFiles } from "../admin/DaemonFile.ts"
import { Settings } from "../Settings.ts"

/** What comes after the last answer: closing the store, the chains and the sockets. */
const CLOSING = Duration.seconds(2)

/** Exit codes of a process that a signal ended. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/** One Ctrl-C may come twice: from the terminal, and from npm, which hands on its own. */
const ONE_KEY_MILLIS = 250

/** From here on a second signal ends the process at once. */
export const endAtOnceWhenToldTwice = Effect.gen(function* () {
  const { home } = yield* Settings
  let first: number | undefined
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      first ??= performance.now()
      if (performance.now() - first > ONE_KEY_MILLIS) end(home, code)
    })
  }
})

/** Once the scope closes, the process has the grace period to end well, and then ends. */
export const endInTime = Effect.gen(function* () {
  const { home, shutdownGrace } = yield* Settings
  const grace = Duration.format(shutdownGrace)
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      yield* Effect.logInfo(`The daemon was told to stop: no new work, and at most ${grace} for what is in flight.`)
      const log = Effect.runForkWith(yield* Effect.context<never>())
      setTimeout(
        () => {
          log(
            Effect.logWarning(
              `Not everything ended within ${grace}. What was under way is durable: the next start goes on.`
            )
          )
          end(home, 0)
        },
        Duration.toMillis(Duration.sum(shutdownGrace, CLOSING))
      ).unref()
    })
  )
})

/** What the orderly end would have removed is removed here too: nobody should look for this process. */
const end = (home: string, code: number): never => {
  for (const path of daemonFiles(home)) rmSync(path, { force: true })
  process.exit(code)
}
