/** The daemon from its tarball, alone in an empty folder outside of the repository: as a command, and inside of another service. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { run, workshop } from "./Installed.ts"

const node = (place: string, ...args: ReadonlyArray<string>): string => run(process.execPath, place, ...args)

describe("the daemon as it is released", () => {
  const packages = workshop()
  afterAll(packages.remove)

  it("@treemark/daemon installs alone and its command makes an account, serves, commits, audits and is administered", {
    timeout: 600_000
  }, async () => {
    const place = packages.install(packages.tarball("daemon"))
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

  it("runs inside of a service, beside its routes, and is administered by the commands", {
    timeout: 600_000
  }, async () => {
    const place = packages.install(packages.tarball("daemon"), packages.tarball("core"))
    writeFileSync(join(place, "service.mjs"), SERVICE)
    const home = join(place, "home")
    const service = spawn(process.execPath, ["service.mjs", home], {
      cwd: place,
      env: { PATH: process.env.PATH },
      stdio: "pipe"
    })
    let log = ""
    service.stderr.on("data", (text: Buffer) => (log += text.toString("utf8")))
    try {
      const [line] = await Promise.race([once(service.stdout, "data"), once(service, "exit")])
      const { own, url } = JSON.parse(String(line))
      const bin = join("node_modules", "@treemark", "daemon", "bin", "treemarkd.js")
      const { token } = JSON.parse(node(place, bin, "account", "create", "--name", "shop", "--credits", "1", "--json"))
      const answer = await fetch(`${own}/upload`, {
        method: "POST",
        headers: { authorization: token },
        body: "a photo"
      })
      const { txHash } = (await answer.json()) as { readonly txHash: string }
      assert.match(txHash, /^0x[0-9a-f]{64}$/, log)
      assert.strictEqual((await fetch(`${url}/ready`)).status, 200)
      service.stdin.end("stop")
      const [told] = await once(service.stdout, "data")
      assert.deepStrictEqual(JSON.parse(String(told)), { stopped: true, again: true, refused: true })
      const [code] = await once(service, "exit")
      assert.strictEqual(code, 0, log)
    } finally {
      service.kill("SIGKILL")
    }
  })
})

/** A shop that commits what is uploaded to it. It listens, starts the daemon, and ends both when it is told to. */
const SERVICE = `
import { createServer } from "node:http"
import { once } from "node:events"
import { startDaemon } from "@treemark/daemon"
import { createClient } from "@treemark/core/client"

const [home] = process.argv.slice(2)
const daemon = await startDaemon({ home, port: 0 })
const server = createServer(async (request, response) => {
  const client = createClient({ url: daemon.url, token: request.headers.authorization })
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { size, ...asset } = await client.register(Buffer.concat(chunks), { contentType: "image/jpeg" })
  const receipt = await client.commit({ ...asset, assetCreator: "Shop", assetTimestampCreated: 1_700_000_000 })
  response.end(JSON.stringify(receipt))
}).listen(0, "127.0.0.1")
await once(server, "listening")
console.log(JSON.stringify({ own: "http://127.0.0.1:" + server.address().port, url: daemon.url }))
await once(process.stdin, "data")
const refused = await startDaemon({ home, port: 0 }).then(() => "", (error) => error.message)
await daemon.stop()
await daemon.stop()
const again = await startDaemon({ home, port: 0 })
await again.stop()
console.log(JSON.stringify({ stopped: true, again: again.url !== "", refused: refused !== "" }))
server.close()
process.stdin.destroy()
`
