/** S3-compatible storage that is missing, refuses, breaks, falls silent or loses its answers: what is told, and that it recovers. */
import { rename } from "node:fs/promises"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { ContentStore, cidOf, RAW_CODE, StorageUnavailable } from "@treemark/core"
import { Clock, Duration, Effect, Layer, Logger, Option, Redacted } from "effect"
import * as S3Blocks from "../../../packages/daemon/src/content/S3Blocks.ts"
import { S3Refused, S3Unreachable } from "../../../packages/daemon/src/content/S3Errors.ts"
import { S3_BUCKET, S3_KEY, type S3Fault, type S3Seen, startS3Server } from "../../layers/S3Server.ts"
import { s3Address, s3Key, s3Options, withS3 } from "./S3Fixture.ts"

const BLOCK = new TextEncoder().encode('{"assetCid":"a"}')
const CID = cidOf(RAW_CODE, BLOCK)

const on =
  (method: string) =>
  (seen: S3Seen): boolean =>
    seen.method === method && seen.target.includes(CID)

const count = (seen: ReadonlyArray<S3Seen>, method: string) => seen.filter(on(method)).length

const stored = Effect.gen(function* () {
  return Option.isSome(yield* (yield* ContentStore).get(CID))
})

const put = Effect.gen(function* () {
  yield* (yield* ContentStore).put(CID, BLOCK)
})

describe("storage that refuses when the daemon starts", () => {
  const SECRET = "a-secret-that-nobody-may-see"
  const refusal = (options: Partial<S3Blocks.S3BlocksOptions>) =>
    Effect.gen(function* () {
      const server = yield* startS3Server()
      const layer = S3Blocks.layer({ ...s3Options(server), ...options })
      const error = yield* Effect.flip(Effect.provide(stored, layer))
      assert.instanceOf(error, S3Refused)
      for (const shown of [error.message, inspect(error, { depth: 9 }), JSON.stringify(error)]) {
        assert.notInclude(shown, SECRET)
        assert.notInclude(shown, S3_KEY.id)
      }
      return { message: error.message, endpoint: server.endpoint }
    }).pipe(Effect.scoped)

  it.live("is told of a bucket that does not exist: its name, the place, and what to correct", () =>
    Effect.gen(function* () {
      const server = yield* startS3Server()
      const options = { ...s3Options(server), address: s3Address(`${server.endpoint}/elsewhere`) }
      const error = yield* Effect.flip(Effect.provide(stored, S3Blocks.layer(options)))
      assert.include(error.message, "it has no bucket elsewhere. Create the bucket, or correct content_url.")
      assert.include(error.message, server.endpoint)
    }).pipe(Effect.scoped)
  )

  it.live("is told of a key it does not know, and of a secret that does not fit, without showing either", () =>
    Effect.gen(function* () {
      const unknown = yield* refusal({ accessKeyId: Redacted.make(SECRET) })
      assert.include(unknown.message, "it does not know this access key. Correct s3_access_key_id.")
      const wrong = yield* refusal({ secretAccessKey: Redacted.make(SECRET) })
      assert.include(wrong.message, "the secret does not belong to the access key. Correct s3_secret_access_key.")
    })
  )

  const answered = (fault: S3Fault, advice: string) =>
    Effect.gen(function* () {
      const server = yield* startS3Server()
      server.fail(fault, 1)
      const error = yield* Effect.flip(Effect.provide(stored, S3Blocks.layer(s3Options(server))))
      assert.include(error.message, advice)
    }).pipe(Effect.scoped)

  it.live("is told of rights that are missing, and of another region", () =>
    Effect.all([
      answered({ status: 403, code: "AccessDenied" }, "It needs s3:ListBucket on the bucket assets, and s3:GetObject"),
      answered({ status: 301, code: "PermanentRedirect" }, "is in another region. Correct s3_region"),
      answered({ status: 400, code: "AuthorizationHeaderMalformed" }, "is in another region. Correct s3_region")
    ])
  )
})

describe("storage that is down", () => {
  it.live("is told as unavailable, with the reason and no credentials, and works again when it is back", () =>
    withS3((server) =>
      Effect.gen(function* () {
        yield* put
        yield* server.stop
        for (const call of [stored, put]) {
          const error = yield* Effect.flip(call)
          assert.instanceOf(error, StorageUnavailable)
          assert.instanceOf(error.cause, S3Unreachable)
          assert.include(error.cause.message, "ECONNREFUSED")
          assert.include(error.cause.message, server.endpoint)
          assert.notInclude(inspect(error, { depth: 9 }), S3_KEY.secret)
        }
        yield* server.start
        assert.isTrue(yield* stored)
      })
    )
  )

  it.live("does not keep the daemon from starting, which warns and works once the storage is there", () =>
    Effect.gen(function* () {
      const server = yield* startS3Server()
      yield* server.stop
      const log: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => log.push(String(message)))])
      yield* Effect.gen(function* () {
        assert.include(log.join(), "The daemon starts without its content.")
        yield* server.start
        yield* put
        assert.isTrue(yield* stored)
      }).pipe(Effect.provide(S3Blocks.layer(s3Options(server)).pipe(Layer.provideMerge(logger))))
    }).pipe(Effect.scoped)
  )

  it.live("is told as unavailable, never as content that is not there, when its bucket is gone", () =>
    withS3((server) =>
      Effect.gen(function* () {
        yield* put
        const bucket = server.objectFile("x").replace(/\/[^/]+$/, "")
        yield* Effect.promise(() => rename(bucket, `${bucket}-gone`))
        const error = yield* Effect.flip(stored)
        assert.include(String(error.cause), `it has no bucket ${S3_BUCKET}`)
      })
    )
  )
})

describe("storage that breaks for a moment", () => {
  it.live("is asked again: 500, 503, 429, a cut connection and a conflict between two writers lose nothing", () =>
    withS3((server) =>
      Effect.gen(function* () {
        const passing: ReadonlyArray<S3Fault> = [
          { status: 500, code: "InternalError" },
          { status: 503, code: "SlowDown" },
          { status: 429, code: "TooManyRequests" },
          { status: 409, code: "ConditionalRequestConflict" },
          "reset"
        ]
        for (const fault of passing) {
          server.seen.length = 0
          server.fail(fault, 2, on("PUT"))
          yield* put
          assert.strictEqual(count(server.seen, "PUT"), 3, inspect(fault))
          server.fail(fault, 2, on("GET"))
          assert.isTrue(yield* stored, inspect(fault))
        }
      })
    )
  )

  it.live("is asked five times and no more, and once when asking again is no use", () =>
    withS3((server) =>
      Effect.gen(function* () {
        server.fail({ status: 503, code: "SlowDown" }, 5, on("GET"))
        const error = yield* Effect.flip(stored)
        assert.strictEqual(count(server.seen, "GET"), 5)
        assert.include(String(error.cause), "status 503, SlowDown")
        server.fail({ status: 403, code: "AccessDenied" }, 1, on("PUT"))
        yield* Effect.flip(put)
        assert.strictEqual(count(server.seen, "PUT"), 1)
        yield* put
        assert.isTrue(yield* stored)
      })
    )
  )

  it.live("is not waited for without end when it falls silent", () =>
    withS3(
      (server) =>
        Effect.gen(function* () {
          server.fail("hang", 1, on("PUT"))
          yield* put
          assert.strictEqual(count(server.seen, "PUT"), 2)
          server.fail("hang", 5, on("GET"))
          const error = yield* Effect.flip(stored)
          assert.include(String(error.cause), "it did not answer within 300ms")
        }),
      { timeout: Duration.millis(300) }
    )
  )

  it.live("has the block once when it stored it and the answer was lost", () =>
    withS3((server) =>
      Effect.gen(function* () {
        server.fail("lost", 1, on("PUT"))
        yield* put
        assert.isTrue(yield* stored)
        assert.strictEqual(count(server.seen, "PUT"), 2)
      })
    )
  )
})

describe("a block that is stored already", () => {
  it.live("is not written again, but compared", () =>
    withS3((server) =>
      Effect.gen(function* () {
        yield* put
        server.seen.length = 0
        yield* put
        assert.deepStrictEqual(
          server.seen.map(({ method, target }) => [method, target]),
          [
            ["PUT", `/${S3_BUCKET}/${s3Key(CID)}`],
            ["GET", `/${S3_BUCKET}/${s3Key(CID)}`]
          ]
        )
      })
    )
  )

  it.live("is written without a condition to storage that knows no conditional writes", () =>
    withS3((server) =>
      Effect.gen(function* () {
        server.fail({ status: 501, code: "NotImplemented" }, 1, on("PUT"))
        yield* put
        assert.isTrue(yield* stored)
      })
    )
  )
})

describe("a clock that is an hour behind", () => {
  it.live("does not stop the content: the storage's own time is taken", () =>
    withS3((server) =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const behind: Clock.Clock = Object.assign(Object.create(clock), {
          currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now - 3_600_000)
        })
        yield* Effect.andThen(put, stored).pipe(Effect.provideService(Clock.Clock, behind))
        assert.strictEqual(count(server.seen, "PUT"), 2)
        assert.strictEqual(count(server.seen, "GET"), 1)
      })
    )
  )
})
