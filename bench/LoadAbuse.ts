/**
 * A process of careless or hostile callers for bench/Load.ts: an upload, endless calls, connections that say nothing or next to nothing.
 * Reads its work from standard input, prints what it saw.
 */
import { request } from "node:http"
import { connect, type Socket } from "node:net"

export interface Abuse {
  readonly url: string
  readonly seconds: number
  /** Bytes of one file. */
  readonly upload?: number
  readonly token?: string
  /** Each second a batch of so many calls that never end. */
  readonly endless?: number
  /** Connections that send nothing. */
  readonly idle?: number
  /** Connections that send one byte of a header a second. */
  readonly slow?: number
}

export interface AbuseSeen {
  /** How often each was answered so, by kind and status; `closed`: the daemon ended the connection. */
  readonly [what: string]: number
}

const MEBIBYTE = 2 ** 20

const sleep = (millis: number) => new Promise((done) => setTimeout(done, millis))

const run = async ({ endless = 0, idle = 0, seconds, slow = 0, token, upload = 0, url }: Abuse): Promise<AbuseSeen> => {
  const seen: Record<string, number> = {}
  const saw = (what: string) => {
    seen[what] = (seen[what] ?? 0) + 1
  }
  const ends = performance.now() + seconds * 1000
  const { hostname, port } = new URL(url)

  const send = (
    path: string,
    headers: Record<string, string | number>,
    write: (to: ReturnType<typeof request>) => void
  ) =>
    new Promise<string>((done) => {
      const outgoing = request({ hostname, port, path, method: "POST", headers }, (incoming) => {
        incoming.resume()
        incoming.on("end", () => done(String(incoming.statusCode)))
        incoming.on("error", () => done("closed"))
      })
      outgoing.on("error", () => done("closed"))
      write(outgoing)
    })

  const uploading = async () => {
    if (upload === 0) return
    const began = performance.now()
    const headers = { authorization: `token ${token}`, "content-type": "video/mp4", "content-length": upload }
    const status = await send("/assets", headers, (to) => {
      let left = upload
      const more = () => {
        while (left > 0) {
          const part = Buffer.alloc(Math.min(MEBIBYTE, left), left % 251)
          left -= part.length
          if (!to.write(part)) return void to.once("drain", more)
        }
        to.end()
      }
      more()
    })
    saw(`upload ${status}`)
    seen["upload seconds"] = Math.round((performance.now() - began) / 1000)
  }

  const loops = async () => {
    if (endless === 0) return
    const call = { jsonrpc: "2.0", method: "eth_call", params: [{ data: "0x5b600056" }, "latest"] }
    const body = JSON.stringify(Array.from({ length: endless }, (_, id) => ({ ...call, id })))
    const sent: Array<Promise<void>> = []
    while (performance.now() < ends) {
      const headers = { "content-type": "application/json", "content-length": body.length }
      sent.push(send("/rpc/mainnet", headers, (to) => void to.end(body)).then((status) => saw(`endless ${status}`)))
      await sleep(1000)
    }
    await Promise.race([Promise.all(sent), sleep(10_000)])
  }

  const connections = async (count: number, name: string, talk: (socket: Socket) => void) => {
    if (count === 0) return
    const open: Array<Socket> = []
    for (let n = 0; n < count; n++) {
      const socket = connect(Number(port), hostname)
      socket.on("connect", () => saw(`${name} opened`))
      socket.on("close", () => performance.now() < ends && saw(`${name} closed`))
      socket.on("error", () => undefined)
      socket.resume()
      talk(socket)
      open.push(socket)
      if (n % 100 === 99) await sleep(5)
    }
    await sleep(Math.max(0, ends - performance.now()))
    for (const socket of open) socket.destroy()
  }

  const drip = (socket: Socket) => {
    const text = `GET /ready HTTP/1.1\r\nhost: ${hostname}:${port}\r\nx-slow: ${"z".repeat(10_000)}`
    let at = 0
    const timer = setInterval(() => socket.write(text[at++] ?? "z"), 1000)
    socket.on("close", () => clearInterval(timer))
  }

  await Promise.all([uploading(), loops(), connections(idle, "idle", () => undefined), connections(slow, "slow", drip)])
  return seen
}

let text = ""
for await (const chunk of process.stdin) text += String(chunk)
console.log(JSON.stringify(await run(JSON.parse(text) as Abuse)))
process.exit(0)
