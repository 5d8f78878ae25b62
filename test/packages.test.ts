/** Each package is packed, installed alone in an empty folder outside the repository, and run there. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"

const repository = resolve(import.meta.dirname, "..")

describe("released packages", () => {
  let folder = ""

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "treemark-packages-"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** A folder with nothing in it but the installed package. */
  const install = (name: string): string => {
    const place = mkdtempSync(join(folder, `${name}-`))
    execFileSync("npm", ["pack", "--pack-destination", place], {
      cwd: join(repository, "packages", name),
      stdio: "pipe"
    })
    const tarball = readdirSync(place).find((file) => file.endsWith(".tgz"))
    writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, type: "module" }))
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", `./${tarball}`], {
      cwd: place,
      stdio: "pipe",
      env: { ...process.env, NODE_OPTIONS: "" }
    })
    return place
  }

  const node = (place: string, ...args: ReadonlyArray<string>): string =>
    execFileSync(process.execPath, args, {
      cwd: place,
      encoding: "utf8",
      env: { PATH: process.env.PATH, TREEMARK_HOME: join(place, "home") }
    })

  it("@treemark/core installs alone and works as a library", { timeout: 600_000 }, () => {
    const place = install("core")
    writeFileSync(
      join(place, "use.js"),
      `import { amount, balanceText, DagJson } from "@treemark/core"
       import { recoverSigner } from "@treemark/core/verify"
       console.log(JSON.stringify([balanceText(amount(99_990_000_000_000n)), DagJson.encode({ b: 1, a: 2 }).cid.slice(0, 4), typeof recoverSigner]))`
    )
    assert.deepStrictEqual(JSON.parse(node(place, "use.js")), ["0.0000", "bagu", "function"])
  })

  it("@treemark/daemon installs alone and its command makes an account, serves, commits, audits and is administered", {
    timeout: 600_000
  }, async () => {
    const place = install("daemon")
    const bin = join("node_modules", "@treemark", "daemon", "bin", "treemarkd.js")
    const created = JSON.parse(node(place, bin, "account", "create", "--name", "packed", "--credits", "2.5", "--json"))
    assert.strictEqual(created.account.credits, "2.5")
    assert.match(created.token, /^tmk_/)
    assert.match(node(place, bin, "--version"), /0\.1\.0/)

    const daemon = spawn(process.execPath, [bin, "start", "--port", "0", "--json"], {
      cwd: place,
      env: { PATH: process.env.PATH, TREEMARK_HOME: join(place, "home") },
      stdio: ["ignore", "pipe", "inherit"]
    })
    try {
      const [line] = await once(daemon.stdout, "data")
      const { main } = JSON.parse(String(line)).addresses
      assert.strictEqual((await fetch(`${main}/ready`)).status, 200)
      assert.strictEqual((await fetch(`${main}/docs`)).status, 200)
      assert.include(await (await fetch(`${main}/verify`)).text(), '<h1 data-say="heading">')
      assert.strictEqual(JSON.parse(node(place, bin, "status", "--json")).addresses.main, main)
      writeFileSync(join(place, "note.txt"), "a note")
      const asset = JSON.parse(node(place, bin, "asset", "register", "note.txt", "--json"))
      assert.strictEqual(asset.encodingFormat, "text/plain")
      const { assetCid, assetSha256, encodingFormat } = asset
      const request = {
        assetCid,
        assetSha256,
        encodingFormat,
        assetTimestampCreated: 1_700_000_000,
        assetCreator: "Ada"
      }
      writeFileSync(join(place, "request.json"), JSON.stringify(request))
      node(place, bin, "commit", "request.json", "--account", "packed", "--json")
      const audited = JSON.parse(node(place, bin, "audit", "--json"))
      assert.deepInclude(audited.checked, { commits: 1, events: 1, receipts: 1, trees: 1 })
      assert.deepStrictEqual(JSON.parse(node(place, bin, "stop", "--json")), { stopped: true })
    } finally {
      daemon.kill("SIGKILL")
    }
  })
})
