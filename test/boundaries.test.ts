/**
 * Who may import whom (the house plan): core is pure, verification reaches only the pure folders, verify imports only
 * @treemark/core/verify and its own, handlers and adapters do not know each other. Read off the import statements.
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const repository = resolve(import.meta.dirname, "..")
const IMPORT = /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"|import\(\s*"([^"]+)"\s*\)/g

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

const sources = (folder: string): ReadonlyArray<string> =>
  globSync(`${folder}/**/*.ts`, { cwd: repository }).map((path) => path.replaceAll("\\", "/"))

const importsOf = (file: string): ReadonlyArray<Import> =>
  [...readFileSync(join(repository, file), "utf8").matchAll(IMPORT)].map((match) => {
    const specifier = match[2] ?? match[3] ?? ""
    const to = specifier.startsWith(".")
      ? relative(repository, resolve(repository, dirname(file), specifier))
      : specifier
    return { from: file, to, typeOnly: match[1] !== undefined }
  })

const violations = (folder: string, allowed: (one: Import) => boolean): ReadonlyArray<string> =>
  sources(folder)
    .flatMap(importsOf)
    .filter((one) => !allowed(one))
    .map((one) => `${one.from} imports ${one.to}`)

const isNode = (specifier: string): boolean => specifier.startsWith("node:")
const core = "packages/core/src"

describe("boundaries", () => {
  it("core imports no node: module, no HTTP and no platform", () => {
    const pure = (specifier: string) =>
      specifier.startsWith(`${core}/`) ||
      specifier === "effect" ||
      /^(@noble|multiformats)\/|^@ipld\/dag-json$/.test(specifier)
    assert.isAbove(sources(core).length, 20)
    assert.deepStrictEqual(
      violations(core, ({ to }) => pure(to)),
      []
    )
  })

  it("core uses no clock, no randomness, no process and no network of its own, but for the client of a daemon", () => {
    const talks = (file: string) => file.startsWith(`${core}/client/`)
    const impure = /\b(Date\.now|Math\.random|new Date\(\)|process\.|fetch\(|crypto\.getRandomValues|setTimeout)/
    const found = sources(core).filter(
      (file) => !talks(file) && impure.test(withoutComments(readFileSync(join(repository, file), "utf8")))
    )
    assert.deepStrictEqual(found, [])
  })

  it("@treemark/core/verify reaches only the pure folders, and no Effect runtime", () => {
    const reached = new Set<string>()
    const packages = new Set<string>()
    const walk = (file: string) => {
      if (reached.has(file)) return
      reached.add(file)
      for (const { to } of importsOf(file)) {
        if (to.startsWith("packages/")) walk(to)
        else packages.add(to)
      }
    }
    walk(`${core}/verify.ts`)
    const folders = [...reached].map((file) => file.slice(core.length + 1).split("/")[0])
    assert.deepStrictEqual(
      [...new Set(folders)].filter((folder) => !PURE_FOLDERS.has(String(folder))),
      []
    )
    assert.deepStrictEqual(
      [...packages].filter((name) => !/^(@noble|multiformats)\//.test(name)),
      []
    )
  })

  it("a room of core imports only rooms below it, types included", () => {
    const roomOf = (file: string) => {
      const path = file.slice(core.length + 1).split("/")
      return path.length === 1 ? "the entries" : String(path[0])
    }
    assert.deepStrictEqual([...new Set(sources(core).map(roomOf))].sort(), [...CORE_ROOMS].sort())
    assert.deepStrictEqual(
      violations(
        core,
        ({ from, to }) =>
          !to.startsWith(`${core}/`) || CORE_ROOMS.indexOf(roomOf(to)) <= CORE_ROOMS.indexOf(roomOf(from))
      ),
      []
    )
    for (const [room, others] of Object.entries(CORE_NEEDS)) {
      assert.deepStrictEqual(
        violations(
          `${core}/${room}`,
          ({ to }) => !to.startsWith(`${core}/`) || roomOf(to) === room || others.includes(roomOf(to))
        ),
        []
      )
    }
  })

  it("verify imports only @treemark/core/verify, its own files and node: modules that open no socket", () => {
    const sockets = /^node:(net|http|https|http2|dgram|tls|dns|inspector|cluster|child_process)/
    assert.isAbove(sources("packages/verify/src").length, 2)
    assert.deepStrictEqual(
      violations(
        "packages/verify/src",
        ({ from, to }) =>
          to === "@treemark/core/verify" ||
          to.startsWith("packages/verify/") ||
          (isNode(to) && !sockets.test(to)) ||
          (to === "tiny-secp256k1" && from === "packages/verify/src/backends/Wasm.ts")
      ),
      []
    )
  })

  it("verify names the addon secp256k1 in one place, and never its entry, which falls back to JavaScript in silence", () => {
    const naming = sources("packages/verify/src").flatMap((file) =>
      [...readFileSync(join(repository, file), "utf8").matchAll(/["'`](secp256k1(?:\/[^"'`]*)?)["'`]/g)].map(
        ([, name]) => `${file}: ${name}`
      )
    )
    assert.deepStrictEqual(naming, [
      "packages/verify/src/backends/Backend.ts: secp256k1",
      "packages/verify/src/backends/Native.ts: secp256k1/package.json"
    ])
  })

  it("a room of the daemon imports only rooms below it, types included", () => {
    const daemon = "packages/daemon/src"
    const roomOf = (file: string) => {
      const path = file.slice(daemon.length + 1).split("/")
      if (path.length > 1) return String(path[0])
      return path[0] === "index.ts" ? "the entry" : "the layers"
    }
    assert.deepStrictEqual(
      [...new Set(sources(daemon).map(roomOf))].filter((room) => !ROOMS.includes(room)),
      []
    )
    assert.deepStrictEqual(
      violations(
        daemon,
        ({ from, to }) => !to.startsWith(`${daemon}/`) || ROOMS.indexOf(roomOf(to)) <= ROOMS.indexOf(roomOf(from))
      ),
      []
    )
  })

  it("no files import one another in a circle, types included", () => {
    for (const folder of ["packages/core/src", "packages/daemon/src", "packages/verify/src", "packages/verify/web"]) {
      assert.deepStrictEqual(circles(folder), [])
    }
  })

  it("no source file is over 300 lines", () => {
    const long = sources("packages/*/src").filter(
      (file) => readFileSync(join(repository, file), "utf8").split("\n").length > 301
    )
    assert.deepStrictEqual(long, [])
  })
})

/** What verification may reach. */
const PURE_FOLDERS = new Set([
  "verify.ts",
  "json",
  "asset-tree",
  "identity",
  "money",
  "proof",
  "statement",
  "verification"
])

/** The rooms of core from the ground up. */
const CORE_ROOMS = [
  "json",
  "identity",
  "money",
  "asset-tree",
  "rules",
  "proof",
  "verification",
  "statement",
  "history",
  "ledger",
  "signing",
  "charging",
  "balance",
  "commit",
  "memory",
  "client",
  "the entries"
]

/** Rooms that need less of what is below them than their place would let them. */
const CORE_NEEDS: { readonly [room: string]: ReadonlyArray<string> } = {
  client: [],
  identity: [],
  money: [],
  "asset-tree": ["json", "identity"],
  rules: ["json", "asset-tree", "identity", "money"],
  proof: ["json", "asset-tree", "identity"],
  verification: ["json", "asset-tree", "identity", "proof"],
  statement: ["json", "asset-tree", "identity", "money", "proof"],
  history: ["json", "asset-tree", "verification"]
}

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "")

/** The rooms of the daemon from the ground up; "the layers" are the files that stand in no room. */
const ROOMS = [
  "telemetry",
  "store",
  "wallets",
  "evm",
  "devchain",
  "content",
  "books",
  "commits",
  "accounts",
  "keeping",
  "http",
  "admin",
  "the layers",
  "cli",
  "main-job",
  "the entry"
]

/** What still reaches up: the list only ever gets shorter. */

/** The circles among the files of a folder, each as the files that reach one another. */
const circles = (folder: string): ReadonlyArray<ReadonlyArray<string>> => {
  const graph = new Map(sources(folder).map((file) => [file, importsOf(file).map(({ to }) => to)]))
  const reach = (file: string): ReadonlySet<string> => {
    const seen = new Set<string>()
    const walk = (one: string) => {
      for (const to of graph.get(one) ?? []) {
        if (seen.has(to) || !graph.has(to)) continue
        seen.add(to)
        walk(to)
      }
    }
    walk(file)
    return seen
  }
  const reached = new Map([...graph.keys()].map((file) => [file, reach(file)]))
  const inCircle = [...graph.keys()].filter((file) => reached.get(file)?.has(file))
  return inCircle.length === 0 ? [] : [inCircle]
}
