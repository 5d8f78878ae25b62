/**
 * `Daemon.ts` and everything it needs in one folder, as a release is built, so that a daemon is ready in half a second and a test can
 * afford to kill it a hundred times. `GlobalSetup.ts` built it, once for all tests.
 */
import { Effect } from "effect"
import { COMPILED, WATCHED_DAEMON } from "../layers/Built.ts"

export interface Bundle {
  /** The program to run with Node. */
  readonly program: string
  readonly env: Readonly<Record<string, string>>
}

export const buildDaemon: Effect.Effect<Bundle> = Effect.suspend(() =>
  WATCHED_DAEMON === undefined
    ? Effect.die(new Error("The watched daemon was not built: run this test with vitest, whose set-up builds it."))
    : Effect.succeed({ program: WATCHED_DAEMON, env: COMPILED })
)
