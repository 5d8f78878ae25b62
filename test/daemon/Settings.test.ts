/** Settings: flags over TREEMARK_* over the file over defaults, and a message for each that cannot be used. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Option, Redacted } from "effect"
import { homeFolder } from "../../packages/daemon/src/HomeFolder.ts"
import { layer, Settings } from "../../packages/daemon/src/Settings.ts"

interface Given {
  readonly toml?: string
  readonly env?: Readonly<Record<string, string>>
  readonly flags?: Parameters<typeof layer>[0]
}

const read = Effect.fnUntraced(function* ({ env = {}, flags = {}, toml }: Given) {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "treemark-settings-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
  if (toml !== undefined) writeFileSync(join(home, "treemark.toml"), toml)
  return yield* Effect.provide(Settings, layer({ home, ...flags }, env))
}, Effect.provide(NodeServices.layer))

const refused = (given: Given) => Effect.map(Effect.flip(read(given)), ({ message }) => message)

describe("settings", () => {
  it.effect("have defaults that need no file and no variable", () =>
    Effect.gen(function* () {
      const { allowedHosts, commitTimeout, host, logLevel, port, profile, profiles, publicUrl } = yield* read({})
      assert.deepStrictEqual(
        { allowedHosts, host, logLevel, port, profile, profiles },
        { allowedHosts: [], host: "127.0.0.1", logLevel: "Info", port: 7053, profile: "local", profiles: {} }
      )
      assert.strictEqual(Duration.toSeconds(commitTimeout), 30)
      assert.isTrue(Option.isNone(publicUrl))
    })
  )

  it.effect("are taken from flags, then variables, then the file", () =>
    Effect.gen(function* () {
      const toml = 'port = 1001\nprovider = "file"\nhost = "::1"\n'
      const env = { TREEMARK_PORT: "1002", TREEMARK_PROVIDER: "variable" }
      const { host, port, provider } = yield* read({ toml, env, flags: { port: "1003" } })
      assert.deepStrictEqual({ host, port, provider }, { host: "::1", port: 1003, provider: "variable" })
    })
  )

  it.effect("read a size with its unit, decimal or binary, or as plain bytes, and 0 as none", () =>
    Effect.gen(function* () {
      const sizes = yield* Effect.forEach(
        ["", 'storage_quota = "500 MB"', 'storage_quota = "64GiB"', "storage_quota = 12345", "storage_quota = 0"],
        (toml) => Effect.map(read({ toml }), ({ storageQuota }) => storageQuota)
      )
      assert.deepStrictEqual(sizes, [100e9, 500e6, 64 * 2 ** 30, 12_345, 0])
    })
  )

  it.effect("read every kind of value from the file: numbers, durations, lists both ways, profiles", () =>
    Effect.gen(function* () {
      const { allowedHosts, allowedOrigins, profiles, rpcTimeout, seedPassword } = yield* read({
        toml: `rpc_timeout = "3 seconds"
allowed_hosts = ["a.example", "b.example"]
allowed_origins = "https://a.example, https://b.example"
seed_password = "hunter2"
[profiles.own]
base = "local"
`
      })
      assert.strictEqual(Duration.toSeconds(rpcTimeout), 3)
      assert.deepStrictEqual(allowedHosts, ["a.example", "b.example"])
      assert.deepStrictEqual(allowedOrigins, ["https://a.example", "https://b.example"])
      assert.deepStrictEqual(profiles, { own: { base: "local" } })
      assert.strictEqual(Redacted.value(Option.getOrThrow(seedPassword)), "hunter2")
      assert.notInclude(JSON.stringify(seedPassword), "hunter2")
    })
  )

  it.effect("a variable that is set to nothing counts as not set", () =>
    Effect.gen(function* () {
      const { listenCommit, port } = yield* read({ env: { TREEMARK_PORT: "", TREEMARK_LISTEN_COMMIT: "" } })
      assert.strictEqual(port, 7053)
      assert.isTrue(Option.isNone(listenCommit))
    })
  )

  it.effect("that cannot be used are named, with what would be right", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [given: Given, says: string]> = [
        [{ flags: { port: "65536" } }, "port must be a port: a whole number from 0 to 65535"],
        [{ flags: { port: "0x10" } }, "port must be a port"],
        [{ env: { TREEMARK_PORT: "1e3" } }, "port must be a port"],
        [{ toml: "port = 8.5" }, "port must be a port"],
        [{ flags: { listenCommit: "localhost" } }, "listen_commit must be host:port"],
        [{ flags: { listenCommit: "localhost:65536" } }, "listen_commit must be host:port"],
        [{ env: { TREEMARK_PUBLIC_URL: "example" } }, "public_url must be a URL"],
        [{ env: { TREEMARK_COMMIT_TIMEOUT: "soon" } }, 'commit_timeout must be a duration, such as "30 seconds"'],
        [{ toml: "max_fee_gwei = 1.5" }, "max_fee_gwei must be a whole number of gwei"],
        [{ env: { TREEMARK_COMMITTERS: "0" } }, "committers must be a whole number from 1 to 64"],
        [{ env: { TREEMARK_COMMITTERS: "65" } }, "committers must be a whole number from 1 to 64"],
        [{ toml: "confirmations = 0" }, "confirmations must be a whole number from 1 to 1000"],
        [{ toml: "watch_blocks = -1" }, "watch_blocks must be a whole number from 0 to 10000"],
        [{ toml: "replace_after = 1.5" }, "replace_after must be a whole number from 1 to 10000"],
        [{ env: { TREEMARK_LOG_LEVEL: "loud" } }, "log_level must be Debug, Info"],
        [{ toml: "[port]\nmain = 1" }, "port must be a single value, not a table"],
        [{ toml: 'storage_quota = "plenty"' }, 'storage_quota must be a size, such as "100 GB", or 0 for no limit'],
        [{ toml: "prot = 1" }, "unknown key prot; the keys are allowed_hosts, "],
        [{ toml: "port = 1\nport = 2" }, "it is not TOML: line 2"]
      ]
      for (const [given, says] of cases) {
        const message = yield* refused(given)
        assert.include(message, says)
        assert.match(message, /Nothing was started; correct it and start again\.$/)
      }
    })
  )

  it.effect("that cannot be used are told without quoting the file or a secret", () =>
    Effect.gen(function* () {
      assert.notInclude(yield* refused({ toml: 'seed_password = "hunter2' }), "hunter2")
      const database = yield* refused({
        env: { TREEMARK_DATABASE_URL: "postgres://u:hunter2@h/d", TREEMARK_PORT: "x" }
      })
      assert.notInclude(database, "hunter2")
    })
  )

  it.effect("a data folder that is a file, and a settings file that is a folder, are told as what they are", () =>
    Effect.gen(function* () {
      const base = mkdtempSync(join(tmpdir(), "treemark-settings-"))
      writeFileSync(join(base, "file"), "")
      assert.include(yield* refused({ flags: { home: join(base, "file") } }), `${join(base, "file")} is not a folder.`)
      mkdirSync(join(base, "treemark.toml"))
      assert.match(yield* refused({ flags: { home: base } }), /treemark\.toml\): the file cannot be read/)
      rmSync(base, { recursive: true })
    })
  )

  it("the data folder is the flag, then TREEMARK_HOME, then the user's data folder", () => {
    assert.strictEqual(homeFolder("/flag", { TREEMARK_HOME: "/variable" }), "/flag")
    assert.strictEqual(homeFolder(undefined, { TREEMARK_HOME: "/variable", XDG_DATA_HOME: "/xdg" }), "/variable")
    assert.strictEqual(homeFolder(undefined, { TREEMARK_HOME: "", XDG_DATA_HOME: "/xdg" }), "/xdg/treemark")
    assert.match(homeFolder(undefined, {}), /\/\.local\/share\/treemark$/)
  })
})
