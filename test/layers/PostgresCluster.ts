/**
 * A real PostgreSQL for tests: a cluster of its own in a temporary folder, on a free loopback port, with fsync on, killed with the
 * scope (and, on Linux, with this process). The server refuses to run as root, so root starts it as the user `postgres` or `nobody`.
 * Where it is not installed (Debian: `postgresql`), tests that need it are skipped, but never where CI is set (`Parts.ts`).
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { isMissing, postgresFolder } from "./Parts.ts"

const SETPRIV = "/usr/bin/setpriv"
const USER = "treemark"
const START_MILLISECONDS = 300_000

const bin = postgresFolder()

/** True when tests against PostgreSQL have to be skipped here. In CI it is always false. */
export const isPostgresMissing = isMissing("postgres")

export interface PostgresCluster {
  readonly port: number
  /** `postgres://` URL of a database of this cluster. */
  readonly urlOf: (database: string) => string
  /** Makes an empty database and answers its URL. */
  readonly create: (database: string) => Effect.Effect<string>
  /** One statement on a database of the cluster, by psql, so that no client of ours is involved; answers what it printed. */
  readonly ask: (database: string, statement: string) => Effect.Effect<string>
  /** Kills every process of the server (SIGQUIT, its immediate shutdown): transactions under way are cut off. */
  readonly kill: Effect.Effect<void>
  /** Starts it again on the same port and files. */
  readonly start: Effect.Effect<void>
}

/** A user that is not root, when this process is. */
const owner = (() => {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string, name: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }))
  for (const name of ["postgres", "nobody"]) {
    try {
      return { uid: idOf("-u", name), gid: idOf("-g", name) }
    } catch {}
  }
  return undefined
})()

const program = (name: string): string => {
  if (bin === undefined) throw new Error("no PostgreSQL: install the Debian package postgresql")
  return join(bin, name)
}

const asOwner = owner === undefined ? {} : { uid: owner.uid, gid: owner.gid }

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    child.kill("SIGQUIT")
  })

/** Starts a cluster with further settings; it is gone when the scope closes, however the test ends. */
export const startPostgresWith = Effect.fnUntraced(function* (
  more: ReadonlyArray<string>
): Effect.fn.Return<PostgresCluster, Error, Scope.Scope> {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const made = mkdtempSync(join(tmpdir(), "treemark-pg-"))
      if (owner !== undefined) chownSync(made, owner.uid, owner.gid)
      return made
    }),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
  )
  const data = join(folder, "data")
  execFileSync(program("initdb"), ["-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"], {
    ...asOwner,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"]
  })
  const port = yield* Effect.promise(freePort)
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    "fsync=on",
    "synchronous_commit=on",
    "max_connections=200",
    "log_min_messages=fatal",
    ...more
  ]
  const args = ["-D", data, ...settings.flatMap((setting) => ["-c", setting])]
  const urlOf = (database: string) => `postgres://${USER}@127.0.0.1:${port}/${database}`
  const psql = (database: string, statement: string) =>
    execFileSync(program("psql"), ["-XAtq", "-v", "ON_ERROR_STOP=1", urlOf(database), "-c", statement], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"]
    }).trim()

  let server: ChildProcess | undefined
  const launch = async () => {
    const command = [program("postgres"), ...args]
    const [first = "", ...rest] = existsSync(SETPRIV)
      ? [SETPRIV, "--pdeathsig", "QUIT", ...asUser(), ...command]
      : command
    server = spawn(first, rest, {
      ...(existsSync(SETPRIV) ? {} : asOwner),
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"]
    })
    let said = ""
    server.stderr?.on("data", (text: Buffer) => (said += text.toString("utf8")))
    const until = performance.now() + START_MILLISECONDS
    for (;;) {
      try {
        psql("postgres", "SELECT 1")
        return
      } catch (error) {
        if (server.exitCode !== null || performance.now() > until) {
          throw new Error(`PostgreSQL did not start: ${said}`, { cause: error })
        }
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }
  const kill = Effect.promise(async () => {
    if (server !== undefined) await ended(server)
  })
  yield* Effect.addFinalizer(() => kill)
  yield* Effect.tryPromise({ try: launch, catch: (cause) => cause as Error })
  return {
    port,
    urlOf,
    create: (database) =>
      Effect.sync(() => {
        psql("postgres", `CREATE DATABASE "${database}"`)
        return urlOf(database)
      }),
    ask: (database, statement) => Effect.sync(() => psql(database, statement)),
    kill,
    start: Effect.promise(launch)
  }
})

/** A cluster that keeps what it has answered, whatever happens to it. */
export const startPostgres = startPostgresWith([])

const asUser = (): ReadonlyArray<string> =>
  owner === undefined ? [] : [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"]
