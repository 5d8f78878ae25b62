/** What `/ready` asks of the content store: a folder that cannot be written and storage that does not answer are told. */
import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { ContentStore } from "@treemark/core"
import { Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { makeContentProbe } from "../../packages/daemon/src/ContentProbe.ts"
import * as BlockFolder from "../../packages/daemon/src/content/BlockFolder.ts"
import * as S3Settings from "../../packages/daemon/src/S3Settings.ts"
import { Settings } from "../../packages/daemon/src/Settings.ts"
import { S3_KEY, startS3Server } from "../layers/S3Server.ts"
import { tempFolder } from "./store/TempStore.ts"

const settingsOf = (home: string, contentUrl: Option.Option<string>) =>
  ({
    home,
    contentFolder: Option.none(),
    contentUrl,
    s3Region: "us-east-1",
    s3AccessKeyId: Option.some(Redacted.make(S3_KEY.id)),
    s3SecretAccessKey: Option.some(Redacted.make(S3_KEY.secret))
  }) as Settings["Service"]

const layerOf = (settings: Settings["Service"], content: Layer.Layer<ContentStore, unknown>) =>
  Layer.merge(Layer.succeed(Settings, settings), content)

describe("the probe of the content store", () => {
  it.effect("finds a folder that cannot be written, and sees after a while that it can be again", () =>
    Effect.gen(function* () {
      const home = yield* tempFolder
      const folder = join(home, "blocks")
      const content = BlockFolder.layer({ folder, publicUrl: "http://127.0.0.1" })
      yield* Effect.gen(function* () {
        const probe = yield* makeContentProbe
        yield* probe
        assert.deepStrictEqual(readdirSync(join(folder, "tmp")), [])
        rmSync(folder, { recursive: true })
        writeFileSync(folder, "a file in its place")
        yield* probe
        yield* TestClock.adjust("6 seconds")
        const error = yield* Effect.flip(probe)
        assert.strictEqual(error._tag, "StorageUnavailable")
        rmSync(folder)
        yield* TestClock.adjust("6 seconds")
        yield* probe
      }).pipe(Effect.provide(layerOf(settingsOf(home, Option.none()), content)))
    }).pipe(Effect.scoped)
  )

  it.live("finds storage elsewhere that refuses to write, and asks it only once in a while", () =>
    Effect.gen(function* () {
      const s3 = yield* startS3Server()
      const settings = settingsOf(yield* tempFolder, Option.some(s3.contentUrl))
      const content = S3Settings.layer(s3.contentUrl, settings, "http://127.0.0.1")
      yield* Effect.gen(function* () {
        const probe = yield* makeContentProbe
        yield* probe
        const asked = s3.seen.length
        yield* probe
        assert.strictEqual(s3.seen.length, asked)
        s3.fail({ status: 403, code: "AccessDenied" }, 100)
        const error = yield* Effect.flip(yield* makeContentProbe)
        assert.strictEqual(error._tag, "StorageUnavailable")
      }).pipe(Effect.provide(layerOf(settings, content)))
    }).pipe(Effect.scoped)
  )
})
