/**
 * The commands as a release has them, for tests that run a command or a daemon as a process: `GlobalSetup.ts` builds them once, before the
 * first test, so that no test pays seconds for compiling sources. Outside a test run they are the checkout's own, from its sources; that
 * these run too is shown by `npm start` (end-to-end/MainJob), by the README's commands (readme) and by verify/Release.
 */
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"

/** The name of the variable that holds the folder of the builds. */
export const BUILT = "TREEMARK_TEST_BUILT"

export const repository = resolve(import.meta.dirname, "../..")

/** What is built, below the folder of the builds. */
export const PLACES = {
  treemarkd: "packages/daemon/bin/treemarkd.js",
  treemarkVerify: "packages/verify/bin/treemark-verify.js",
  watchedDaemon: "faults/Daemon.js",
  verifyPage: "packages/verify/dist/verify.html"
}

const built = process.env[BUILT]
const compiled = process.env.NODE_COMPILE_CACHE

/** `treemarkd`, to be run with Node. */
export const TREEMARKD = join(built ?? repository, PLACES.treemarkd)

/** `treemark-verify`, to be run with Node. */
export const TREEMARK_VERIFY = join(built ?? repository, PLACES.treemarkVerify)

/** The daemon of faults/Daemon.ts, whose outside effects are watched, to be run with Node; there is none from sources. */
export const WATCHED_DAEMON = built === undefined ? undefined : join(built, PLACES.watchedDaemon)

/** The page that verifies, as a release has it; there is none from sources. */
export const verifyPage = (): string => {
  if (built === undefined) throw new Error("The page was not built: run this test with vitest, whose set-up builds it.")
  return readFileSync(join(built, PLACES.verifyPage), "utf8")
}

/** Variables of a process of the daemon besides its own: where Node keeps compiled code for the next start (`vitest.config.ts`). */
export const COMPILED: Readonly<Record<string, string>> = compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }
