/**
 * An HTTP node that is a real one with faults: it forwards JSON-RPC to `target` unless `plan` names a fault for that call. Each
 * call is counted by method, so that a test can say "the second send", and see what reached the node.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export type Fault =
  /** The connection is broken off before the node hears of the call. */
  | "cut-before"
  /** The node does it, and the answer is lost. */
  | "reply-lost"
  /** No answer, ever; the node hears nothing. */
  | "hang"
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly result: unknown }

export interface FaultyProxy {
  readonly url: string
  readonly port: number
  /** What happens to the n-th call (from 1) of a method; none: it is forwarded. */
  plan: (method: string, n: number, params: ReadonlyArray<unknown>) => Fault | undefined | Promise<Fault | undefined>
  /** How many calls of a method came in. */
  readonly calls: (method: string) => number
  /** Raw transactions that came in, in order of arrival. */
  readonly sent: ReadonlyArray<string>
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

/** Listens on a free port until the scope closes; open connections are cut then. */
export const startProxy = (target: string) =>
  Effect.gen(function* () {
    const counts = new Map<string, number>()
    const sent: Array<string> = []
    const proxy = { plan: (() => undefined) as FaultyProxy["plan"] }

    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = await bodyOf(request)
      const call = JSON.parse(body) as Call
      const n = (counts.get(call.method) ?? 0) + 1
      counts.set(call.method, n)
      if (call.method === "eth_sendRawTransaction") sent.push(String(call.params[0]))
      const fault = await proxy.plan(call.method, n, call.params)
      const json = (rest: object) => response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, ...rest }))
      if (fault === "hang") return
      if (fault === "cut-before") return void request.socket.destroy()
      if (typeof fault === "object" && "status" in fault) {
        return void response.writeHead(fault.status, fault.headers).end(fault.body ?? "")
      }
      if (typeof fault === "object") return void json(fault)
      const reply = await fetch(target, { method: "POST", body, headers: { "content-type": "application/json" } })
      const text = await reply.text()
      if (fault === "reply-lost") return void request.socket.destroy()
      response.writeHead(200, { "content-type": "application/json" }).end(text)
    }

    const server = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const made = createServer((request, response) => {
          answer(request, response).catch(() => request.socket.destroy())
        })
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) =>
        Effect.callback<void>((resume) => {
          made.close(() => resume(Effect.void))
          made.closeAllConnections()
        })
    )
    const { port } = server.address() as AddressInfo
    return Object.assign(proxy, {
      url: `http://127.0.0.1:${port}`,
      port,
      calls: (method: string) => counts.get(method) ?? 0,
      sent
    }) satisfies FaultyProxy
  })
