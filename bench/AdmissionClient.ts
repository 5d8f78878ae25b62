/** A process of callers for bench/Admission.ts: each calls again as soon as it is answered. Reads its work from the arguments, prints what it saw. */
import { Agent, request } from "node:http"

export interface Work {
  readonly url: string
  readonly callers: number
  readonly seconds: number
  /** Each caller takes the next of these in turn. */
  readonly calls: ReadonlyArray<{ readonly path: string; readonly body?: unknown; readonly token?: string }>
}

export interface Seen {
  readonly answered: number
  /** By status; `0`: the connection broke. */
  readonly refused: { readonly [status: string]: number }
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly withoutRetryAfter: number
}

const run = async ({ callers, calls, seconds, url }: Work): Promise<Seen> => {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  const ends = performance.now() + seconds * 1000
  const times: Array<number> = []
  const refused: Record<string, number> = {}
  let withoutRetryAfter = 0
  const { hostname, port } = new URL(url)
  const once = ({ body, path, token }: Work["calls"][number], n: number): Promise<void> =>
    new Promise((resolve) => {
      const startedAt = performance.now()
      const text = body === undefined ? undefined : JSON.stringify(body).replace("MESSAGE", `${process.pid} ${n}`)
      const ended = (status: number, retryAfter: string | undefined) => {
        if (status === 200) times.push(performance.now() - startedAt)
        else {
          refused[status] = (refused[status] ?? 0) + 1
          if (retryAfter === undefined) withoutRetryAfter++
        }
        // Whoever is refused waits as it is told to.
        setTimeout(resolve, status === 200 ? 0 : Number(retryAfter ?? 1) * 1000)
      }
      const outgoing = request(
        {
          agent,
          hostname,
          port,
          path,
          method: text === undefined ? "GET" : "POST",
          headers: {
            ...(text === undefined
              ? {}
              : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
            ...(token === undefined ? {} : { authorization: `token ${token}` })
          }
        },
        (incoming) => {
          incoming.resume()
          incoming.on("end", () => ended(incoming.statusCode ?? 0, incoming.headers["retry-after"]))
          incoming.on("error", () => ended(0, undefined))
        }
      )
      outgoing.on("error", () => ended(0, undefined))
      outgoing.end(text)
    })
  let next = 0
  const caller = async (): Promise<void> => {
    while (performance.now() < ends) {
      const n = next++
      await once(calls[n % calls.length]!, n)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  agent.destroy()
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  return {
    answered: sorted.length,
    refused,
    perSecond: sorted.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    withoutRetryAfter
  }
}

if (process.argv[1] === import.meta.filename) {
  let text = ""
  for await (const chunk of process.stdin) text += String(chunk)
  console.log(JSON.stringify(await run(JSON.parse(text) as Work)))
}
