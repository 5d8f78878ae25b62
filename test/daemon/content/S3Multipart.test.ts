/** Objects over the part size: uploaded in parts, whole or not at all, nothing left behind, hashed on every read. */
import { readdir, writeFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import { ContentStore, cidOf, RAW_CODE, StorageUnavailable } from "@treemark/core"
import { Effect, Fiber, Option } from "effect"
import type { S3Seen, S3Server } from "../../layers/S3Server.ts"
import { bytesOf, keyStream } from "./ContentFixture.ts"
import { s3Key, withS3 } from "./S3Fixture.ts"

/** AWS takes no smaller parts, but for the last one. */
const PART = 5 * 1_048_576

const withObject = <A, E>(
  use: (server: S3Server, cid: string, bytes: Uint8Array) => Effect.Effect<A, E, ContentStore>
) =>
  withS3(
    (server) =>
      Effect.flatMap(bytesOf(keyStream("multipart", 3 * PART + 11)), (bytes) =>
        use(server, cidOf(RAW_CODE, bytes), bytes)
      ),
    { partSize: PART }
  )

const isPart = ({ target }: S3Seen): boolean => target.includes("partNumber=")
const isEnd = ({ method, target }: S3Seen): boolean => method === "POST" && target.includes("uploadId=")

const uploads = (server: S3Server) =>
  Effect.promise(() => readdir(server.uploadsFolder).catch(() => [] as ReadonlyArray<string>))

describe("an object of several parts", () => {
  it.live("is uploaded in parts and read back whole, and not uploaded again", () =>
    withObject((server, cid, bytes) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        yield* contents.put(cid, bytes)
        assert.strictEqual(server.seen.filter(isPart).length, 4)
        assert.isTrue(Buffer.from(Option.getOrThrow(yield* contents.get(cid))).equals(bytes))
        assert.deepStrictEqual(yield* uploads(server), [])
        yield* contents.put(cid, bytes)
        assert.strictEqual(server.seen.filter(isPart).length, 4)
      })
    )
  )

  it.live("is refused when a byte of it was changed, and mended when it is stored again", () =>
    withObject((server, cid, bytes) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        yield* contents.put(cid, bytes)
        const tampered = Buffer.from(bytes)
        tampered.writeUInt8(tampered.readUInt8(2 * PART) ^ 1, 2 * PART)
        yield* Effect.promise(() => writeFile(server.objectFile(s3Key(cid)), tampered))
        assert.include(String((yield* Effect.flip(contents.get(cid))).cause), "ObjectDamaged")
        yield* contents.put(cid, bytes)
        assert.isTrue(Option.isSome(yield* contents.get(cid)))
      })
    )
  )

  it.live("survives a part that fails twice and an end that is refused under status 200", () =>
    withObject((server, cid, bytes) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        server.fail({ status: 503, code: "SlowDown" }, 2, isPart)
        server.fail("late-error", 1, isEnd)
        yield* contents.put(cid, bytes)
        assert.isTrue(Option.isSome(yield* contents.get(cid)))
        assert.strictEqual(server.seen.filter(isEnd).length, 2)
      })
    )
  )

  it.live("counts as stored when only the last answer was lost", () =>
    withObject((server, cid, bytes) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        server.fail("lost", 1, isEnd)
        yield* contents.put(cid, bytes)
        assert.isTrue(Option.isSome(yield* contents.get(cid)))
      })
    )
  )

  it.live("leaves neither an object nor parts behind when it fails", () =>
    withObject((server, cid, bytes) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        server.fail({ status: 403, code: "AccessDenied" }, 1, ({ target }) => target.includes("partNumber=3"))
        const error = yield* Effect.flip(contents.put(cid, bytes))
        assert.instanceOf(error, StorageUnavailable)
        assert.include(
          server.seen.map(({ method }) => method),
          "DELETE"
        )
        assert.deepStrictEqual(yield* uploads(server), [])
        assert.isTrue(Option.isNone(yield* contents.get(cid)))
      })
    )
  )

  it.live("leaves no parts behind when it is interrupted", () =>
    withObject((server, cid, bytes) =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        server.fail("hang", 1, ({ target }) => target.includes("partNumber=4"))
        const running = yield* Effect.forkChild(contents.put(cid, bytes))
        while (!server.seen.some(({ target }) => target.includes("partNumber=4"))) yield* Effect.sleep("5 millis")
        assert.strictEqual((yield* uploads(server)).length, 1)
        yield* Fiber.interrupt(running)
        assert.deepStrictEqual(yield* uploads(server), [])
      })
    )
  )
})
