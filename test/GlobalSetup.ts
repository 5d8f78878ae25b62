/**
 * Before the first test of a run: builds the commands as a release has them, and the daemon whose effects are watched, into a folder
 * below node_modules that is named after everything they are made of. The next run with the same sources takes what is there.
 */
import { execFile, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { build } from "rolldown"
import { BUILT, COMPILED, PLACES, repository } from "./layers/Built.ts"

const BUILDS = join(repository, "node_modules/.cache/treemark-test")
const MADE_OF = [
  "packages/*/{src,bin,web,console,contract,schema}/**",
  "packages/*/{package.json,build*.ts}",
  "test/faults/*.ts",
  "test/GlobalSetup.ts",
  "package-lock.json"
]
const OLD_MILLISECONDS = 24 * 3_600_000
const DAEMON = join(repository, "packages/daemon/src")

export default async function setup(): Promise<void> {
  const folder = join(BUILDS, sourceHash())
  if (!existsSync(folder)) await buildInto(folder)
  process.env[BUILT] = folder
}

const sourceHash = (): string => {
  const hash = createHash("sha256").update(process.version)
  const files = MADE_OF.flatMap((pattern) => globSync(pattern, { cwd: repository })).sort()
  for (const file of files) {
    const path = join(repository, file)
    if (statSync(path).isFile()) hash.update(`\n${file}\n`).update(readFileSync(path))
  }
  return hash.digest("hex").slice(0, 16)
}

/** Built beside its place and moved there whole, so that two runs at once do not take half of it. */
const buildInto = async (folder: string): Promise<void> => {
  mkdirSync(BUILDS, { recursive: true })
  for (const old of globSync(join(BUILDS, "*"))) {
    if (Date.now() - statSync(old).mtimeMs > OLD_MILLISECONDS) rmSync(old, { recursive: true, force: true })
  }
  const draft = mkdtempSync(join(BUILDS, "draft-"))
  await Promise.all([buildPackage("daemon", draft), buildPackage("verify", draft), buildWatchedDaemon(draft)])
  try {
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(draft, { recursive: true })
  }
  await Promise.all([compile(folder, PLACES.treemarkd, "start"), compile(folder, PLACES.watchedDaemon)])
}

/** A package as it is installed: its commands find no sources beside them and take the bundle. */
const buildPackage = async (name: string, draft: string): Promise<void> => {
  const source = join(repository, "packages", name)
  const target = join(draft, "packages", name)
  for (const part of ["bin", "schema", "package.json"]) {
    if (existsSync(join(source, part))) cpSync(join(source, part), join(target, part), { recursive: true })
  }
  await promisify(execFile)(process.execPath, [join(source, "build.ts"), join(target, "dist")])
}

/** faults/Daemon.ts with the threads of the daemon, which are programs of their own beside it; the chains' is watched. */
const buildWatchedDaemon = async (draft: string): Promise<void> => {
  const threads = globSync("**/*Worker.ts", { cwd: DAEMON }).map((path) => [basename(path, ".ts"), join(DAEMON, path)])
  const watched = (name: string) => join(repository, "test/faults", name)
  await build({
    input: { ...Object.fromEntries(threads), Daemon: watched("Daemon.ts"), ChainWorker: watched("ChainWorker.ts") },
    platform: "node",
    external: /^@ethereumjs\//,
    resolve: { conditionNames: ["@treemark/source", "node", "import", "module", "default"] },
    output: {
      dir: join(draft, "faults"),
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js"
    },
    onLog: (_, log) => {
      if (log.code === "UNRESOLVED_IMPORT") throw new Error(`The bundle is not whole: ${log.message}`)
    }
  })
}

/**
 * Starts a daemon and ends it in good order, after which its compiled code is there for all that are killed; and keeps what it says of its
 * own answers, which `layers/AnswersDescribed` holds them against.
 */
const compile = async (folder: string, place: string, ...args: ReadonlyArray<string>): Promise<void> => {
  const home = mkdtempSync(join(tmpdir(), "treemark-compile-"))
  const env = { PATH: process.env.PATH, TREEMARK_HOME: home, TREEMARK_PORT: "0", ...COMPILED }
  const daemon = spawn(process.execPath, [join(folder, place), ...args], { env, stdio: ["ignore", "pipe", "ignore"] })
  const ended = once(daemon, "exit")
  const [line] = await Promise.race([once(daemon.stdout, "data"), ended])
  const [url] = /http:[/]{2}[^ ,"]+/.exec(String(line)) ?? []
  if (url !== undefined) writeFileSync(join(folder, "openapi.json"), await (await fetch(`${url}/openapi.json`)).text())
  daemon.kill("SIGTERM")
  await ended
  rmSync(home, { recursive: true, force: true })
}
