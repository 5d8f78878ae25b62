/** What only shows on a bare socket: broken and slow requests, bodies that stop, connections at shutdown, a port in use. */
import { Agent, request } from "node:http"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { UploadLimits } from "../../../../packages/daemon/src/http/assets/AssetsHandlers.ts"
import { listener } from "../../../../packages/daemon/src/http/edge/Listeners.ts"
import { BodyDeadline } from "../../../../packages/daemon/src/http/edge/StrictBody.ts"
import { ASSET_CID, ASSET_SHA256, TOKEN, WALLET } from "../../../layers/DaemonServices.ts"
import { assertProblem, call, exchange, problemIn, start } from "../../../layers/HttpFixture.ts"
import { leastOf } from "../../../layers/Timing.ts"

const HEAD = "POST /balance/mainnet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

const COMMIT = {
  encodingFormat: "image/png",
  assetCid: ASSET_CID,
  assetTimestampCreated: 1,
  assetCreator: "A",
  assetSha256: ASSET_SHA256
}

describe("requests that are not HTTP", () => {
  it.live("a malformed request is 400 bad_request as a problem, and the connection ends", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const broken = [
        "HELO there\r\n\r\n",
        "BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n",
        `${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
        `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`
      ]
      for (const text of broken) {
        const { received } = yield* exchange(port, text)
        const { head, problem, status } = problemIn(received)
        assert.strictEqual(status, 400, text)
        assert.strictEqual(problem.code, "bad_request")
        assert.include(head, "content-type: application/problem+json")
        assert.include(head, `x-request-id: ${problem.requestId}`)
        assert.include(head, "connection: close")
      }
    }).pipe(Effect.scoped)
  )

  it.live(
    "garbage behind a request that is being answered is not answered in its place, and does not end a commit",
    () =>
      Effect.gen(function* () {
        const { port, world } = yield* start()
        world.gate = yield* Deferred.make<void>()
        const body = JSON.stringify(COMMIT)
        const head = `POST /commit HTTP/1.1\r\nHost: localhost\r\nAuthorization: token ${TOKEN}\r\nContent-Type: application/json\r\n`
        const { received } = yield* exchange(
          port,
          `${head}Content-Length: ${body.length}\r\n\r\n${body}HELO there\r\n\r\n`
        )
        assert.strictEqual(received, "")
        yield* Deferred.succeed(world.gate, undefined)
        while (world.recorded.length === 0) yield* Effect.sleep("5 millis")
      }).pipe(Effect.scoped)
  )

  it.live("no Host, or two of them, is 400 bad_request", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const hosts of ["", "Host: localhost\r\nHost: evil.example\r\n"]) {
        const { received } = yield* exchange(port, `GET /health HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
        assert.deepStrictEqual([problemIn(received).status, problemIn(received).problem.code], [400, "bad_request"])
      }
    }).pipe(Effect.scoped)
  )

  it.live("an absolute request target stands above Host", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const text = "GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      assert.strictEqual(problemIn((yield* exchange(port, text)).received).problem.code, "host_not_allowed")
    }).pipe(Effect.scoped)
  )

  it.live("headers over 16 KiB are 431 headers_too_large", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const text = `GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`
      const { problem, status } = problemIn((yield* exchange(port, text)).received)
      assert.deepStrictEqual([status, problem.code], [431, "headers_too_large"])
    }).pipe(Effect.scoped)
  )

  it.live("an expectation other than 100-continue is 417 expectation_failed", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const answer = yield* call(port, "/health", { headers: { expect: "the-unexpected" } })
      assertProblem(answer, 417, "expectation_failed")
    }).pipe(Effect.scoped)
  )

  it.live("a body that is too large by its Content-Length is refused before 100 Continue is said", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const text = `${HEAD}Content-Length: 65537\r\nExpect: 100-continue\r\n\r\n`
      const { received } = yield* exchange(port, text)
      assert.notInclude(received, "100 Continue")
      assert.strictEqual(problemIn(received).problem.code, "payload_too_large")
    }).pipe(Effect.scoped)
  )

  it.live("CONNECT is 405 with Allow, and its connection ends", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const { received } = yield* exchange(port, "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n")
      const { head, problem, status } = problemIn(received)
      assert.deepStrictEqual([status, problem.code], [405, "method_not_allowed"])
      assert.include(head, "allow: get, head, options, post")
    }).pipe(Effect.scoped)
  )

  it.live("a request that asks to upgrade is answered as if it had not", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const answer = yield* call(port, "/balance/mainnet", {
        headers: { connection: "Upgrade", upgrade: "h2c" },
        chunks: [JSON.stringify({ wallet: WALLET })]
      })
      assert.strictEqual(answer.status, 200)
    }).pipe(Effect.scoped)
  )
})

describe("slow clients", () => {
  it.live("half-sent headers, and a connection that says nothing, are cut with 408 within seconds", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const [half, silent] = yield* Effect.all(
        [exchange(port, "POST /commit HTTP/1.1\r\nHost: loc"), exchange(port, "")],
        {
          concurrency: 2
        }
      )
      for (const { milliseconds } of [half, silent]) assert.isBelow(milliseconds, 30_000)
      assert.isAbove(half.milliseconds, 4_000)
      assert.deepStrictEqual(
        [problemIn(half.received).status, problemIn(half.received).problem.code],
        [408, "request_timeout"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("a small body that trickles is cut with 408 at its deadline, on the paid operations too", () =>
    Effect.gen(function* () {
      const { port } = yield* start({ references: Context.make(BodyDeadline, Duration.millis(500)) })
      for (const path of ["/balance/mainnet", "/commit"]) {
        const text = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{`
        const { milliseconds, received } = yield* exchange(port, text, " ")
        const { head, problem, status } = problemIn(received)
        assert.deepStrictEqual([status, problem.code], [408, "request_timeout"])
        assert.include(head, "connection: close")
        assert.isBelow(milliseconds, 8_000)
      }
    }).pipe(Effect.scoped)
  )

  it.live("an upload may be slow, but not stand still: then it is cut with 408", () =>
    Effect.gen(function* () {
      const limits = { bytes: Number.POSITIVE_INFINITY, idle: Duration.millis(400) }
      const { port, world } = yield* start({ references: Context.make(UploadLimits, limits) })
      const head = `POST /assets HTTP/1.1\r\nHost: localhost\r\nAuthorization: token ${TOKEN}\r\nConnection: close\r\n`
      const slow = yield* exchange(port, `${head}Content-Length: 9\r\n\r\n`, "a")
      assert.match(slow.received, /^HTTP\/1.1 201 /)
      assert.isAbove(world.uploaded.length, 4)
      const stopped = yield* exchange(port, `${head}Content-Length: 9\r\n\r\nabc`)
      assert.strictEqual(problemIn(stopped.received).problem.code, "request_timeout")
    }).pipe(Effect.scoped)
  )

  it.live("what is left of a refused body is not waited for", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const text = "POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
      const { milliseconds, received } = yield* exchange(port, text, "x")
      assert.strictEqual(problemIn(received).problem.code, "not_found")
      assert.isBelow(milliseconds, 8_000)
    }).pipe(Effect.scoped)
  )
})

describe("shutdown", () => {
  /** A started fixture and how to stop it; stopping answers with the milliseconds it took. */
  const stoppable = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const running = yield* start().pipe(Scope.provide(scope))
    const stop = Effect.gen(function* () {
      const startedAt = performance.now()
      yield* Scope.close(scope, Exit.void)
      return performance.now() - startedAt
    })
    return { ...running, stop }
  })
  /** The milliseconds that stopping takes once `client` is connected; the least of a few, below `enough`. */
  const stopped = (enough: number, client: (port: number) => Effect.Effect<void, Error>) =>
    leastOf(
      enough,
      Effect.gen(function* () {
        const { port, stop } = yield* stoppable
        yield* client(port)
        return yield* stop
      })
    )

  it.live("an idle keep-alive connection does not delay it", () =>
    Effect.gen(function* () {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const idle = (port: number) =>
        Effect.callback<void>((resume) => {
          request({ port, path: "/health", agent, headers: { host: "localhost" } }, (answer) => {
            assert.strictEqual(answer.statusCode, 200)
            answer.resume().on("end", () => resume(Effect.void))
          }).end()
        })
      assert.isBelow(yield* stopped(700, idle), 700)
      agent.destroy()
    })
  )

  it.live("a connection that has not sent a whole request does not delay it by more than a second", () =>
    Effect.gen(function* () {
      const unfinished = Effect.fnUntraced(function* (port: number) {
        yield* Effect.forkDetach(exchange(port, ""))
        yield* Effect.forkDetach(exchange(port, "GET /health HTTP/1.1\r\nHost"))
        yield* Effect.sleep("100 millis")
      })
      assert.isBelow(yield* stopped(2_000, unfinished), 2_000)
    })
  )

  it.live("a client that always has the next request on its way does not delay it", () =>
    Effect.gen(function* () {
      const get = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
      const eager = Effect.fnUntraced(function* (port: number) {
        const socket = connect(port, "127.0.0.1", () => socket.write(get + get))
        socket.on("data", () => socket.write(get)).on("error", () => undefined)
        yield* Effect.sleep("100 millis")
      })
      assert.isBelow(yield* stopped(2_000, eager), 2_000)
    })
  )

  it.live("what is in flight is finished, its connection closed after it, and new connections are refused", () =>
    Effect.gen(function* () {
      const { port, stop, world } = yield* stoppable
      world.gate = yield* Deferred.make<void>()
      const agent = new Agent({ keepAlive: true })
      const body = JSON.stringify(COMMIT)
      const answer = new Promise<number | undefined>((resolve) => {
        const headers = { host: "localhost", authorization: `token ${TOKEN}`, "content-type": "application/json" }
        request({ port, path: "/commit", method: "POST", agent, headers }, (incoming) => {
          incoming.resume().on("end", () => resolve(incoming.statusCode))
        }).end(body)
      })
      while (world.recording.length === 0) yield* Effect.sleep("5 millis")
      const stopping = yield* Effect.forkChild(stop)
      yield* Effect.sleep("200 millis")
      const refused = yield* Effect.promise(
        () =>
          new Promise<string | undefined>((resolve) => {
            connect(port, "127.0.0.1").on("error", (error: NodeJS.ErrnoException) => resolve(error.code))
          })
      )
      assert.strictEqual(refused, "ECONNREFUSED")
      yield* Deferred.succeed(world.gate, undefined)
      assert.strictEqual(yield* Effect.promise(() => answer), 200)
      assert.isBelow(yield* Fiber.join(stopping), 900)
      agent.destroy()
    })
  )
})

describe("listening", () => {
  it.live("a port in use is said so, with what to do", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const failed = yield* Effect.flip(Layer.build(listener({ host: "127.0.0.1", port })))
      assert.strictEqual(failed._tag, "ListenFailed")
      assert.include(failed.message, `127.0.0.1:${port}`)
      assert.include(failed.message, "--port 0")
    }).pipe(Effect.scoped)
  )
})
