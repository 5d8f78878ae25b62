/** kill -9 in the middle of an upload: the next start removes what it wrote, and every registered file is whole. And the quota, as callers meet it. */
import { readdirSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startDaemon } from "../layers/RunningDaemon.ts"

const CHUNK = 262_144

const chunks = (...names: ReadonlyArray<string>) =>
  Buffer.concat(names.map((name) => Buffer.alloc(CHUNK, `${name} of a broken upload `)))

/** Blocks, drafts and notes in the content folder. */
const filesIn = (home: string): ReadonlyArray<string> =>
  readdirSync(join(home, "blocks"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()

const until = (isSo: () => boolean) =>
  Effect.sync(isSo).pipe(Effect.delay("20 millis"), Effect.repeat({ until: (so) => so }))

describe("uploads", () => {
  it.live("that a kill cut off are gone after the next start, and what was registered is whole", () =>
    Effect.gen(function* () {
      const daemon = yield* startDaemon()
      const { token } = yield* daemon.createAccount({ name: "sender" })
      const asset = yield* daemon.register(chunks("a", "b"))
      const before = filesIn(daemon.home)
      const { hostname, port } = new URL(daemon.url)
      const sending = request({
        host: hostname,
        port,
        path: "/assets",
        method: "POST",
        headers: { authorization: `token ${token}`, "content-type": "text/plain", "content-length": 100 * CHUNK }
      })
      sending.on("error", () => undefined)
      sending.write(chunks("a", "c", "d", "e", "f"))
      yield* until(() => filesIn(daemon.home).length >= before.length + 4)
      yield* daemon.kill("SIGKILL")
      assert.isAbove(filesIn(daemon.home).length, before.length)
      yield* daemon.restart()
      yield* until(() => filesIn(daemon.home).length <= before.length)
      assert.deepStrictEqual(filesIn(daemon.home), before)
      const audit = (yield* daemon.admin("audit")) as { readonly findings?: ReadonlyArray<unknown> }
      assert.deepStrictEqual(audit.findings ?? [], [])
      assert.strictEqual((yield* daemon.call(`/ipfs/${asset.assetCid}`)).bytes.length, 2 * CHUNK)
    }).pipe(Effect.scoped)
  )

  it.live("that pass the quota are 413 with what to do, before the body is sent, and leave nothing", () =>
    Effect.gen(function* () {
      const daemon = yield* startDaemon({ settings: 'storage_quota = "1 MB"\n' })
      const { token } = yield* daemon.createAccount({ name: "sender" })
      const headers = { authorization: `token ${token}`, "content-type": "text/plain" }
      assert.strictEqual((yield* daemon.call("/assets", { body: chunks("a", "b"), headers })).status, 201)
      const before = filesIn(daemon.home)
      const refused = yield* daemon.call("/assets", {
        method: "POST",
        headers: { ...headers, "content-length": "600000" }
      })
      assert.deepInclude(refused.json(), { status: 413, code: "storage_quota_reached" })
      assert.match(refused.text, /may store 1 MB \(1000000 bytes\) and has stored 524\.29 kB \(524288 bytes\)/u)
      assert.deepStrictEqual(filesIn(daemon.home), before)
      assert.strictEqual((yield* daemon.call("/assets", { body: chunks("a", "b"), headers })).status, 201)
    }).pipe(Effect.scoped)
  )
})
