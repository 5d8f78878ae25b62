/** The real daemon with its content on S3-compatible storage, as the settings name it; it keeps no block in its own folder. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TREEMARKD } from "../../layers/Built.ts"
import { startDaemon } from "../../layers/RunningDaemon.ts"
import { S3_KEY, startS3Server } from "../../layers/S3Server.ts"
import { tempFolder } from "../store/TempStore.ts"
import { bytesOf, keyStream, sha256Hex } from "./ContentFixture.ts"
import { PREFIX } from "./S3Fixture.ts"

const SIZE = 45_000_000

/** `treemarkd start` as a process of its own that is expected to end by itself. */
const failedStart = (env: Readonly<Record<string, string>>) =>
  Effect.flatMap(tempFolder, (home) =>
    Effect.callback<{ readonly code: unknown; readonly stderr: string }>((resume) => {
      const options = { env: { PATH: process.env.PATH, HOME: home, TREEMARK_HOME: home, ...env } }
      const running = execFile(process.execPath, [TREEMARKD, "start", "--port", "0"], options, (error, _, stderr) =>
        resume(Effect.succeed({ code: error?.code, stderr }))
      )
      return Effect.sync(() => running.kill("SIGKILL"))
    })
  )

const environment = (contentUrl: string) => ({
  TREEMARK_CONTENT_URL: contentUrl,
  TREEMARK_S3_ACCESS_KEY_ID: S3_KEY.id,
  TREEMARK_S3_SECRET_ACCESS_KEY: S3_KEY.secret
})

describe("a daemon with content_url", () => {
  it.live(
    "registers a file of 45 MB on the storage and serves it, a part of it too, also after the storage was away",
    () =>
      Effect.gen(function* () {
        const storage = yield* startS3Server(PREFIX)
        const daemon = yield* startDaemon({ env: environment(storage.contentUrl) })
        const file = yield* bytesOf(keyStream("daemon", SIZE))
        const asset = yield* daemon.register(file, "video/mp4")
        assert.strictEqual(asset.assetSha256, sha256Hex(file))
        assert.isFalse(existsSync(join(daemon.home, "blocks")))

        const whole = yield* daemon.call(`/ipfs/${asset.assetCid}`)
        assert.strictEqual(whole.status, 200)
        assert.strictEqual(whole.headers["content-type"], "video/mp4")
        assert.strictEqual(sha256Hex(whole.bytes), asset.assetSha256)
        const range = { headers: { range: "bytes=30000000-30000009" } }
        const part = yield* daemon.call(`/ipfs/${asset.assetCid}`, range)
        assert.strictEqual(part.status, 206)
        assert.deepStrictEqual(Buffer.from(part.bytes), file.subarray(30_000_000, 30_000_010))

        yield* storage.stop
        const away = yield* daemon.call(`/ipfs/${asset.assetCid}`, range)
        assert.strictEqual(away.status, 500)
        assert.strictEqual(away.json().code, "storage_unavailable")
        assert.include(daemon.log(), "could not be reached")
        assert.notInclude(daemon.log(), S3_KEY.secret)
        yield* storage.start
        assert.strictEqual((yield* daemon.call(`/ipfs/${asset.assetCid}`, range)).status, 206)
      }).pipe(Effect.scoped),
    600_000
  )

  it.live("does not start without the bucket, or without a key, and says what to correct", () =>
    Effect.gen(function* () {
      const storage = yield* startS3Server()
      const missing = yield* failedStart(environment(`${storage.endpoint}/elsewhere`))
      assert.include(missing.stderr, "it has no bucket elsewhere. Create the bucket, or correct content_url.")
      const keyless = yield* failedStart({ TREEMARK_CONTENT_URL: storage.contentUrl })
      assert.include(keyless.stderr, "content_url needs s3_access_key_id and s3_secret_access_key")
      assert.deepStrictEqual([missing.code, keyless.code], [78, 78])
    }).pipe(Effect.scoped)
  )
})
