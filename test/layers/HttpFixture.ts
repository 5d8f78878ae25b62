/** Listeners on real sockets for a test, and clients that can say what a well-behaved one would not. */
import { type IncomingHttpHeaders, request } from "node:http"
import { connect } from "node:net"
import { assert } from "@effect/vitest"
import type { Operation } from "@treemark/core"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { listener, serveOn } from "../../packages/daemon/src/http/edge/Listeners.ts"
import { mainApp, operationApp } from "../../packages/daemon/src/http/HttpApp.ts"
import { daemonServices, makeWorld, type World } from "./DaemonServices.ts"

export interface Running {
  readonly port: number
  readonly world: World
}

type ServiceOptions = Parameters<typeof daemonServices>[1]

/** Starts a listener for as long as the scope is open; `references` overrides defaults such as rates and limits. */
export const start = Effect.fnUntraced(function* (
  options: ServiceOptions & { readonly operation?: Operation; readonly references?: Context.Context<never> } = {}
) {
  const world = makeWorld()
  const listening = listener({ host: "127.0.0.1", port: 0 })
  const app = options.operation === undefined ? serveOn(mainApp) : serveOn(operationApp(options.operation))
  const context = yield* Layer.build(
    app.pipe(
      Layer.provide(daemonServices(world, options)),
      Layer.provideMerge(listening),
      Layer.provide(Layer.succeedContext(options.references ?? Context.empty()))
    )
  )
  const { address } = Context.get(context, HttpServer.HttpServer)
  if (!("port" in address)) return yield* Effect.die(new Error("The listener has no port."))
  return { port: address.port, world } satisfies Running
})

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON. */
  readonly json: () => Record<string, unknown>
}

/** Asserts that `answer` is a problem of RFC 9457 with this status and code, whole and in agreement with itself. */
export const assertProblem = (answer: Answer, status: number, code: string) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.headers["content-type"], "application/problem+json")
  const problem = answer.json()
  assert.strictEqual(problem.code, code)
  assert.strictEqual(problem.type, `urn:treemark:problem:${code}`)
  assert.strictEqual(problem.status, status)
  assert.strictEqual(problem.requestId, answer.headers["x-request-id"])
  assert.isAbove(String(problem.title).length, 5)
  assert.isAbove(String(problem.detail).length, 20)
  return problem
}

export interface Call {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Sent chunked, without Content-Length. */
  readonly chunks?: ReadonlyArray<string | Uint8Array>
}

/** One request on a connection of its own; `Content-Type` is JSON when there is a body, unless given (`""` leaves it out). */
export const call = (port: number, path: string, { method, headers = {}, body, chunks }: Call = {}) =>
  Effect.callback<Answer, Error>((resume) => {
    const hasBody = body !== undefined || chunks !== undefined
    const sent: Record<string, string> = { ...(hasBody ? { "content-type": "application/json" } : {}), ...headers }
    if (sent["content-type"] === "") delete sent["content-type"]
    if (body !== undefined) sent["content-length"] = String(Buffer.byteLength(body))
    const outgoing = request(
      { host: "127.0.0.1", port, path, method: method ?? (hasBody ? "POST" : "GET"), headers: sent, agent: false },
      (incoming) => {
        const parts: Array<Buffer> = []
        incoming.on("data", (part: Buffer) => parts.push(part))
        incoming.on("end", () => {
          const text = Buffer.concat(parts).toString("utf8")
          const { statusCode = 0, headers } = incoming
          resume(Effect.succeed({ status: statusCode, headers, text, json: () => JSON.parse(text) }))
        })
        incoming.on("error", (error) => resume(Effect.fail(error)))
      }
    )
    outgoing.on("error", (error) => resume(Effect.fail(error)))
    for (const chunk of chunks ?? []) outgoing.write(chunk)
    outgoing.end(body)
    return Effect.sync(() => outgoing.destroy())
  })

/** Writes `text` to a new connection, then `later` every 100 ms, and answers with what came back until the server closed it. */
export const exchange = (port: number, text: string, later = "") =>
  Effect.callback<{ readonly received: string; readonly milliseconds: number }>((resume) => {
    const startedAt = performance.now()
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    const trickle = setInterval(() => later !== "" && socket.writable && socket.write(later), 100)
    let received = ""
    socket.on("data", (part) => (received += part.toString("utf8")))
    socket.on("close", () => {
      clearInterval(trickle)
      resume(Effect.succeed({ received, milliseconds: Math.round(performance.now() - startedAt) }))
    })
    // A reset while the answer is on its way is how a closed upload looks from here.
    socket.on("error", () => undefined)
    return Effect.sync(() => socket.destroy())
  })

/** The problem in a raw answer of {@link exchange}. */
export const problemIn = (received: string) => ({
  status: Number(received.split(" ")[1]),
  head: received.split("\r\n\r\n")[0]!.toLowerCase(),
  problem: JSON.parse(received.slice(received.indexOf("\r\n\r\n") + 4)) as Record<string, unknown>
})
