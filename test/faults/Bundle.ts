/**
 * `Daemon.ts` and everything it needs in one folder, as a release is built, so that a daemon is ready in half a second and a test can
 * afford to kill it a hundred times. Compiled code is kept beside it for the next start.
 */
import { globSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { build } from "rolldown"
import { temporaryHome } from "../end-to-end/Treemarkd.ts"

const DAEMON = fileURLToPath(new URL("../../packages/daemon/src/", import.meta.url))

/** The threads of the daemon, which are programs of their own beside it; the chains' is watched. */
const workers = (): Record<string, string> => ({
  ...Object.fromEntries(
    globSync("**/*Worker.ts", { cwd: DAEMON }).map((path) => [basename(path, ".ts"), join(DAEMON, path)])
  ),
  ChainWorker: source("./ChainWorker.ts")
})

const source = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export interface Bundle {
  /** The program to run with Node. */
  readonly program: string
  readonly env: Readonly<Record<string, string>>
}

/** Builds it into a folder that is removed with the scope. */
export const buildDaemon = Effect.gen(function* () {
  const folder = yield* temporaryHome
  yield* Effect.promise(() =>
    build({
      input: { Daemon: source("./Daemon.ts"), ...workers() },
      platform: "node",
      resolve: { conditionNames: ["@treemark/source", "node", "import", "module", "default"] },
      output: { dir: folder, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
      onLog: (_, log) => {
        if (log.code === "UNRESOLVED_IMPORT") throw new Error(`The bundle is not whole: ${log.message}`)
      }
    })
  )
  return {
    program: join(folder, "Daemon.js"),
    env: { NODE_COMPILE_CACHE: join(folder, "compiled") }
  } satisfies Bundle
})
